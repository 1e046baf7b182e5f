package dev.orbweaver.internal.xml;

/** Receives what a feed says, in the order of the document. */
public interface FeedHandler {

    /** The base URL that the root element declares, or empty. */
    default void base(String url) {}

    /** A link of the current entry to its page. */
    void entryLink(String target);

    /** Any other link, of an entry or of the feed. */
    default void otherLink(String target, String rel) {}

    /** A date of the current entry, as written; a later call is for a date that counts more. */
    default void date(String text) {}

    /** {@code id} is a URL that identifies the entry and may be its page, or empty. */
    void endEntry(String id);

    /** Whether the rest of the feed need not be read. */
    default boolean isFull() {
        return false;
    }
}
