package dev.orbweaver.model;

/**
 * The reason why a crawl ended.
 *
 * @param reason the kind of end
 * @param detail a sentence with the limit, host or error; empty when there is nothing to add
 */
public record CrawlEnd(Reason reason, String detail) {

    /** The kinds of end. */
    public enum Reason {
        /** Nothing is queued and nothing is due. */
        COMPLETE("complete"),
        /** The limit on pages was reached. */
        MAX_PAGES("max-pages"),
        /** The limit on bytes was reached. */
        MAX_BYTES("max-bytes"),
        /** The limit on time was reached. */
        MAX_TIME("max-time"),
        /** Hosts or retries are due later than the crawl waits; it can be resumed. */
        WAITING("waiting"),
        /** The crawl was stopped; it can be resumed. */
        STOPPED("stopped"),
        /** The captures that must be kept exceed the size that the retention allows. */
        RETENTION("retention"),
        /** The output could not be written. */
        BROKEN("broken"),
        /** A page handler threw an exception; the crawl can be resumed. */
        HANDLER_FAILED("handler-failed"),
        /** An internal error. */
        INTERNAL("internal");

        private final String id;

        Reason(String id) {
            this.id = id;
        }

        /** Returns the id used in {@code summary.json} and the REST API. */
        public String id() {
            return id;
        }
    }
}
