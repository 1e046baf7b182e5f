package dev.orbweaver.internal.url;

/**
 * Implements the first steps of the basic URL parser (section 4.4). Removes C0 controls and spaces
 * at both ends, tabs and line breaks everywhere, and replaces lone surrogates by U+FFFD.
 */
final class InputText {

    private InputText() {}

    static String clean(String input) {
        var start = 0;
        var end = input.length();
        while (start < end && input.charAt(start) <= ' ') {
            start++;
        }
        while (end > start && input.charAt(end - 1) <= ' ') {
            end--;
        }
        for (var i = start; i < end; i++) {
            if (isTabOrNewline(input.charAt(i)) || Character.isSurrogate(input.charAt(i))) {
                return rebuild(input, start, end);
            }
        }
        return input.substring(start, end);
    }

    private static String rebuild(String input, int start, int end) {
        var out = new StringBuilder(end - start);
        for (var i = start; i < end; i++) {
            var c = input.charAt(i);
            if (isTabOrNewline(c)) {
                continue;
            }
            if (!Character.isSurrogate(c)) {
                out.append(c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < end
                    && Character.isLowSurrogate(input.charAt(i + 1))) {
                out.append(c).append(input.charAt(++i));
            } else {
                out.append('\uFFFD');
            }
        }
        return out.toString();
    }

    private static boolean isTabOrNewline(char c) {
        return c == '\t' || c == '\n' || c == '\r';
    }
}
