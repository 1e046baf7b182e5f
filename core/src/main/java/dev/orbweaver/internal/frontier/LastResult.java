package dev.orbweaver.internal.frontier;

/** What the last visit of a queued URL stored, if the job has visited it before. */
public enum LastResult {
    /** The URL was not visited before. */
    NONE,
    PAGE,
    /** A response without a page, such as a redirect. */
    OTHER
}
