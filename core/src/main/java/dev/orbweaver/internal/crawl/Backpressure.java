package dev.orbweaver.internal.crawl;

/**
 * Whether there is room for more URLs. Over a limit, or with too little of the disk free, pages are
 * stored without taking their links in; that ends when the queue has drained to half of each limit
 * and there is room on the disk again.
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

    /** Decides by how things stand. */
    synchronized boolean update(long queuedUrls, long queuedBytes, long freeBytes) {
        var full =
                queuedUrls >= queuedUrlsMax
                        || queuedBytes >= queuedBytesMax
                        || freeBytes < freeBytesMin;
        active = full || (active && !isDrained(queuedUrls, queuedBytes, freeBytes));
        return active;
    }

    /** Whether links that were deferred may be taken in. */
    boolean isDrained(long queuedUrls, long queuedBytes, long freeBytes) {
        return queuedUrls <= queuedUrlsMax / 2
                && queuedBytes <= queuedBytesMax / 2
                && freeBytes >= freeBytesMin;
    }

    synchronized boolean isActive() {
        return active;
    }
}
