package dev.orbweaver.internal.url;

/** The special schemes and their default ports (URL standard, section 3.1 of "URLs"). */
final class Scheme {

    static final int NO_PORT = -1;

    private Scheme() {}

    static boolean isSpecial(String scheme) {
        return switch (scheme) {
            case "http", "https", "ws", "wss", "ftp", "file" -> true;
            default -> false;
        };
    }

    static int defaultPort(String scheme) {
        return switch (scheme) {
            case "http", "ws" -> 80;
            case "https", "wss" -> 443;
            case "ftp" -> 21;
            default -> NO_PORT;
        };
    }

    /**
     * Returns whether the query is escaped in the document's encoding: special schemes except web
     * sockets.
     */
    static boolean encodesQueryAsDocument(String scheme) {
        return isSpecial(scheme) && !scheme.startsWith("ws");
    }

    /** Returns the index of the colon after a scheme, or -1 if the text does not start with one. */
    static int end(String text) {
        if (text.isEmpty() || !Ascii.isAlpha(text.charAt(0))) {
            return -1;
        }
        var i = 1;
        while (i < text.length() && Ascii.isSchemeRest(text.charAt(i))) {
            i++;
        }
        return i < text.length() && text.charAt(i) == ':' ? i : -1;
    }
}
