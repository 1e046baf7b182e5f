package dev.orbweaver.internal.crawl;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the memory that links take between parsing a page and committing it, over all visits in
 * flight of a process. Each page's links are bounded by themselves, but hundreds of hostile pages
 * parsed at the same time would still fill the heap.
 *
 * <p>A visit reserves the most that its document can lead to, parses it, gives back what it did not
 * need, and the rest when it is committed. The committer never waits here, so every reservation
 * ends. Nearly all pages keep nothing: their links are too few to count.
 */
final class LinkBudget {

    /** What a link takes besides its characters. */
    static final int LINK_BYTES = 96;

    /** Up to here a page's links are part of what any visit takes. */
    private static final long NEGLIGIBLE_BYTES = 256 << 10;

    private static final long WAIT_MILLIS = 100;
    private static final int UNIT = 1 << 10;
    private static final LinkBudget SHARED = new LinkBudget(Runtime.getRuntime().maxMemory() / 4);

    private final int units;
    private final Semaphore free;

    /**
     * @param bytes what the links of all visits may take together
     */
    LinkBudget(long bytes) {
        this.units = Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE);
        this.free = new Semaphore(units, true);
    }

    /** That of the process: a quarter of the heap. */
    static LinkBudget shared() {
        return SHARED;
    }

    /**
     * Waits a little until a document may be parsed.
     *
     * @param chars how many characters all its links can have together, 0 if it can have none
     * @return what was reserved, or -1 when there was no room yet
     */
    int tryReserve(long chars) {
        var wanted = chars == 0 ? 0 : unitsOf(chars);
        try {
            return wanted == 0 || free.tryAcquire(wanted, WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    ? wanted
                    : -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    /** Gives back what links of this size do not need. Returns what is still reserved. */
    int shrinkTo(int reserved, long linkBytes) {
        var needed = linkBytes <= NEGLIGIBLE_BYTES ? 0 : Math.min(reserved, unitsOf(linkBytes));
        free.release(reserved - needed);
        return needed;
    }

    /** Gives everything back. */
    void release(int reserved) {
        free.release(reserved);
    }

    /** A link takes about two and a half times its characters as objects; one page always fits. */
    private int unitsOf(long chars) {
        return Math.clamp(chars * 5 / 2 / UNIT, 1, units);
    }
}
