package dev.orbweaver.testkit;

import java.util.Locale;

/**
 * Writes a link in one of many spellings that resolve, by the WHATWG URL standard, to the target's
 * URL, with or without a fragment.
 *
 * @param scheme the scheme of all links, with colon and slashes
 * @param base the path that relative links start from
 * @param authority the host and port of the page
 */
record Href(String scheme, String base, String authority) {

    /** Returns the attribute value, not escaped. */
    String write(String targetAuthority, String path, SeededRandom seededRandom) {
        var link =
                targetAuthority.equals(authority)
                        ? local(path, seededRandom)
                        : absolute(targetAuthority, path, seededRandom);
        return seededRandom.oneIn(6) ? link + "#part-" + seededRandom.nextInt(9) : link;
    }

    /** Writes a complete {@code href} attribute with varying quotes. */
    static String attribute(String value, SeededRandom seededRandom) {
        var escaped =
                value.replace(
                        "&",
                        switch (seededRandom.nextInt(4)) {
                            case 0 -> "&";
                            case 1 -> "&#38;";
                            default -> "&amp;";
                        });
        return switch (seededRandom.nextInt(8)) {
            case 0 -> "href='" + escaped + "'";
            case 1 -> "href=" + escaped;
            case 2 -> "HREF = \" " + escaped + "\n\"";
            default -> "href=\"" + escaped + "\"";
        };
    }

    private String local(String path, SeededRandom seededRandom) {
        return switch (seededRandom.nextInt(6)) {
            case 0, 1 -> path;
            case 2 -> absolute(authority, path, seededRandom);
            default -> relative(path);
        };
    }

    private String absolute(String whose, String path, SeededRandom seededRandom) {
        return switch (seededRandom.nextInt(6)) {
            case 0 -> "//" + whose + path;
            case 1 -> scheme + whose.toUpperCase(Locale.ROOT) + path;
            case 2 -> scheme.toUpperCase(Locale.ROOT) + whose + path;
            default -> scheme + whose + path;
        };
    }

    /**
     * Returns the shortest relative path from the base's directory, as in {@code ../wiki/x.html}.
     */
    String relative(String path) {
        var query = path.indexOf('?');
        var pathEnd = query < 0 ? path.length() : query;
        var common = 0;
        for (var i = 0;
                i < Math.min(base.length(), pathEnd) && base.charAt(i) == path.charAt(i);
                i++) {
            if (base.charAt(i) == '/') {
                common = i + 1;
            }
        }
        var link = new StringBuilder();
        for (var i = common; i < base.length(); i++) {
            if (base.charAt(i) == '/') {
                link.append("../");
            }
        }
        link.append(path, common, path.length());
        // An empty reference, or one that begins with its query, would mean the base itself.
        return link.isEmpty() || link.charAt(0) == '?' ? "./" + link : link.toString();
    }
}
