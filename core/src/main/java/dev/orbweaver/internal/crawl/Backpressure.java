package dev.orbweaver.internal.crawl;

/**
 * Decides whether the queue can take more URLs. Over a limit, or with too little free disk space,
 * pages are stored and their links are deferred. This ends when the queue has drained to half of
 * each limit and the disk has enough free space again.
 */
final class Backpressure {

    private final long queuedUrlsMax;
    private final long queuedBytesMax;
    private final long freeBytesMin;
    private boolean active;

    Backpressure(long queuedUrlsMax, long queuedBytesMax, long freeBytesMin) {
        this.queuedUrlsMax = queuedUrlsMax;
        this.queuedBytesMax = queuedBytesMax;
        this.freeBytesMin = freeBytesMin;
    }

    /** Updates the state from current measurements and returns whether links are deferred. */
    synchronized boolean update(long queuedUrls, long queuedBytes, long freeBytes) {
        var full =
                queuedUrls >= queuedUrlsMax
                        || queuedBytes >= queuedBytesMax
                        || freeBytes < freeBytesMin;
        active = full || (active && !isDrained(queuedUrls, queuedBytes, freeBytes));
        return active;
    }

    /** Returns whether deferred links may be offered to the frontier. */
    boolean isDrained(long queuedUrls, long queuedBytes, long freeBytes) {
        return queuedUrls <= queuedUrlsMax / 2
                && queuedBytes <= queuedBytesMax / 2
                && freeBytes >= freeBytesMin;
    }

    synchronized boolean isActive() {
        return active;
    }
}
