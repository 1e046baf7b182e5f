package dev.orbweaver.internal.url;

/**
 * Detects single-dot and double-dot path segments (URL standard, section 4.1), escaped dots
 * included.
 */
final class DotSegment {

    private DotSegment() {}

    /** Returns 1 or 2 for a segment of one or two dots, 0 for any other. */
    static int dots(String text, int start, int end) {
        if (end - start > 6) {
            return 0;
        }
        var dots = 0;
        var i = start;
        while (i < end) {
            if (text.charAt(i) == '.') {
                i++;
            } else if (text.regionMatches(true, i, "%2e", 0, 3) && i + 3 <= end) {
                i += 3;
            } else {
                return 0;
            }
            dots++;
        }
        return dots <= 2 ? dots : 0;
    }
}
