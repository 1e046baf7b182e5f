package dev.orbweaver.crawl;

/**
 * Whether there is room for more URLs. Over the limit, or with too little of the disk free, pages
 * are stored without taking their links in; that ends when the queue has drained to half and there
 * is room on the disk again.
 */
final class Backpressure {

    private final long queuedBytesMax;
    private final long freeBytesMin;
    private boolean on;

    Backpressure(long queuedBytesMax, long freeBytesMin) {
        this.queuedBytesMax = queuedBytesMax;
        this.freeBytesMin = freeBytesMin;
    }

    /** Decides by how things stand. */
    synchronized boolean update(long queuedBytes, long freeBytes) {
        var full = queuedBytes >= queuedBytesMax || freeBytes < freeBytesMin;
        var drained = queuedBytes <= queuedBytesMax / 2 && freeBytes >= freeBytesMin;
        on = full || (on && !drained);
        return on;
    }

    synchronized boolean on() {
        return on;
    }
}
