package dev.orbweaver.internal.url;

/** Detects Windows drive letters, a special case of file URLs (URL standard, section 4.1). */
final class DriveLetter {

    private DriveLetter() {}

    /** Returns whether a drive letter segment, such as {@code C:} or {@code C|}, starts here. */
    static boolean startsAt(String text, int at) {
        if (at + 2 > text.length() || !Ascii.isAlpha(text.charAt(at))) {
            return false;
        }
        var second = text.charAt(at + 1);
        if (second != ':' && second != '|') {
            return false;
        }
        return at + 2 == text.length() || text.charAt(at + 2) == '/' || text.charAt(at + 2) == '\\';
    }

    /** Returns whether a path's first segment is a normalised drive letter. */
    static boolean isFirstSegment(CharSequence path) {
        return path.length() >= 3
                && Ascii.isAlpha(path.charAt(1))
                && path.charAt(2) == ':'
                && (path.length() == 3 || path.charAt(3) == '/');
    }
}
