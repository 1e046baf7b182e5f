package dev.orbweaver.internal.revisit;

import java.time.Duration;

/** What the last visit of a page found. */
public enum PageState {
    /** The page responded. */
    PRESENT(0),
    /** The last visit had no response; the page is visited again after a while. */
    UNREACHABLE(1),
    /** The last visit found 404 or 410; a visit a day later confirms it. */
    MISSING(2),
    /** Two visits at least a day apart found 404 or 410. */
    GONE(3);

    /** Two visits that find a page missing are this far apart before it is gone. */
    public static final Duration CONFIRMED_AFTER = Duration.ofDays(1);

    private static final PageState[] BY_CODE = values();

    /** The stored number, which is the position of the constant. */
    private final int code;

    PageState(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static PageState of(int code) {
        return BY_CODE[code & (BY_CODE.length - 1)];
    }
}
