package dev.orbweaver.internal.archive;

import java.io.IOException;

/**
 * Decides whether two visits found the same main text, so that a new theme, a nonce or a date in
 * the footer does not count as a change of a page.
 */
public interface MainTextComparison {

    enum Result {
        SAME_TEXT,
        DIFFERENT_TEXT,
        /** The content of one of the visits could not be processed; the log says why. */
        UNREADABLE
    }

    /**
     * Compares two visits of one URL. This reads and parses both stored responses, so it is for
     * visits with different payload digests only.
     *
     * @throws IOException if a record cannot be read
     */
    Result compare(StoredPage before, StoredPage after) throws IOException;
}
