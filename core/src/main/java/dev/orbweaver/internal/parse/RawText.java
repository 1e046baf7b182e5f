package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** Finds the end of elements whose content is text without tags: style sheets, titles, scripts. */
final class RawText {

    private static final byte[] SCRIPT = "script".getBytes(US_ASCII);

    private RawText() {}

    /** Returns the start of the end tag of the element {@code name}, or the end of the page. */
    static int end(byte[] bytes, int from, int end, byte[] name) {
        var at = from;
        while (true) {
            at = ByteScan.indexOf(bytes, at, end, (byte) '<');
            if (at == end || closes(bytes, at, end, name)) {
                return at;
            }
            at++;
        }
    }

    /**
     * Returns the end of a script. Inside {@code <!--} a nested {@code <script>} hides one end tag,
     * until {@code -->} (13.2.5.15 to 13.2.5.31).
     */
    static int scriptEnd(byte[] bytes, int from, int end, byte[] name) {
        var escaped = false;
        var hidden = false;
        var dashesFrom = end;
        for (var at = from; at < end; at++) {
            if (!escaped) {
                at = ByteScan.indexOf(bytes, at, end, (byte) '<');
                if (at == end) {
                    return end;
                }
            }
            switch (bytes[at]) {
                case '<' -> {
                    if (closes(bytes, at, end, name) && !hidden) {
                        return at;
                    }
                    if (!escaped && opensComment(bytes, at, end)) {
                        escaped = true;
                        // The dashes of "<!--" may be those of "-->".
                        dashesFrom = at + 2;
                        at += 3;
                    } else if (escaped && hidden && closes(bytes, at, end, SCRIPT)) {
                        hidden = false;
                    } else if (escaped && !hidden && isNamed(bytes, at + 1, end, SCRIPT)) {
                        hidden = true;
                    }
                }
                case '>' -> {
                    if (at - 2 >= dashesFrom && bytes[at - 1] == '-' && bytes[at - 2] == '-') {
                        escaped = false;
                        hidden = false;
                    }
                }
                default -> {
                    // Text of the script.
                }
            }
        }
        return end;
    }

    private static boolean opensComment(byte[] bytes, int at, int end) {
        return at + 3 < end && bytes[at + 1] == '!' && bytes[at + 2] == '-' && bytes[at + 3] == '-';
    }

    private static boolean closes(byte[] bytes, int at, int end, byte[] name) {
        return at + 1 < end
                && bytes[at + 1] == '/'
                && name.length > 0
                && isNamed(bytes, at + 2, end, name);
    }

    private static boolean isNamed(byte[] bytes, int at, int end, byte[] name) {
        var nameEnd = at + name.length;
        return nameEnd < end
                && ByteScan.startsWith(bytes, at, end, name)
                && HtmlTokenizer.endsName(bytes[nameEnd]);
    }
}
