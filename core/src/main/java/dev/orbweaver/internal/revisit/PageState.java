package dev.orbweaver.internal.revisit;

/** What the last visit of a page found. The position of a constant is stored. */
public enum PageState {
    /** The page responded. */
    PRESENT,
    /** The last visit had no response; the page is visited again after a while. */
    UNREACHABLE,
    /** The last visit found 404 or 410; a visit a day later confirms it. */
    MISSING,
    /** Two visits at least a day apart found 404 or 410. */
    GONE
}
