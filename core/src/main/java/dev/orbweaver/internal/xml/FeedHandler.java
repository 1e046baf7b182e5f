package dev.orbweaver.internal.xml;

/** Receives the contents of a feed in document order. */
public interface FeedHandler {

    /** Called with the base URL that the root element declares, or empty. */
    default void base(String url) {}

    /** Called with the link of the current entry to its page. */
    void entryLink(String target);

    /** Called with any other link of an entry or of the feed. */
    default void otherLink(String target, String rel) {}

    /** Called with a date of the current entry as written; a later call has precedence. */
    default void date(String text) {}

    /**
     * Called at the end of an entry; {@code id} is an identifying URL that may be its page, or
     * empty.
     */
    void endEntry(String id);

    /** Returns whether the rest of the feed can be skipped. */
    default boolean isFull() {
        return false;
    }
}
