package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.FrontierFailedException;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Why a crawl ended.
 *
 * @param detail more about it, for people; may be empty
 */
public record CrawlEnd(Reason reason, String detail) {

    static CrawlEnd ofFailure(Throwable error) {
        var message = error.getMessage();
        var ofTheDisk =
                error instanceof IOException
                        || error instanceof UncheckedIOException
                        || (error instanceof FrontierFailedException failed
                                && failed.isStorageFailure());
        return new CrawlEnd(
                ofTheDisk ? Reason.BROKEN : Reason.INTERNAL,
                message == null ? error.toString() : message);
    }

    /** The kinds of end. */
    public enum Reason {
        /** Nothing is left to do. */
        COMPLETE("complete"),
        /** As many pages as wanted. */
        MAX_PAGES("max-pages"),
        /** As many bytes as wanted. */
        MAX_BYTES("max-bytes"),
        /** As long as wanted. */
        MAX_TIME("max-time"),
        /** Something rests for longer than the crawl is willing to wait. */
        WAITING("waiting"),
        /** Somebody stopped it. */
        STOPPED("stopped"),
        /** What it collects can no longer be written. */
        BROKEN("broken"),
        /** An error of our own. */
        INTERNAL("internal");

        private final String id;

        Reason(String word) {
            this.id = word;
        }

        /** The word used in summaries. */
        public String id() {
            return id;
        }
    }
}
