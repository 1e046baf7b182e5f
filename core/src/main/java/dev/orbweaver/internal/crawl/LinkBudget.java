package dev.orbweaver.internal.crawl;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the memory of links between parsing and commit, over all visits of the process. The links
 * of each page are bounded too, but hundreds of hostile pages parsed at the same time would still
 * fill the heap.
 *
 * <p>A visit reserves the maximum that its document can need and parses it. It then releases what
 * it did not need, and the rest after the commit. The committer never waits here, so every
 * reservation ends. Nearly all pages keep no reservation, because their links are below {@link
 * #NEGLIGIBLE_BYTES}.
 */
final class LinkBudget {

    /** Overhead of a link besides its characters. */
    static final int LINK_BYTES = 96;

    /** Links up to this size need no reservation: they are part of the base cost of a visit. */
    private static final long NEGLIGIBLE_BYTES = 256 << 10;

    private static final long WAIT_MILLIS = 100;
    private static final int UNIT = 1 << 10;
    private static final LinkBudget SHARED = new LinkBudget(Runtime.getRuntime().maxMemory() / 4);

    private final int units;
    private final Semaphore free;

    /**
     * @param bytes the maximum for the links of all visits together
     */
    LinkBudget(long bytes) {
        this.units = Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE);
        this.free = new Semaphore(units, true);
    }

    /** Returns the budget of the process: a quarter of the heap. */
    static LinkBudget shared() {
        return SHARED;
    }

    /**
     * Waits up to {@link #WAIT_MILLIS} for a reservation for one document.
     *
     * @param chars the maximum number of characters of all its links together; 0 if it can have
     *     none
     * @return the reserved units, or -1 if they were not available in time
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

    /** Releases what links of this size do not need and returns the units still reserved. */
    int shrinkTo(int reserved, long linkBytes) {
        var needed = linkBytes <= NEGLIGIBLE_BYTES ? 0 : Math.min(reserved, unitsOf(linkBytes));
        free.release(reserved - needed);
        return needed;
    }

    /** Releases the whole reservation. */
    void release(int reserved) {
        free.release(reserved);
    }

    /**
     * A link takes about 2.5 times its characters as objects. The result is capped so that one page
     * fits.
     */
    private int unitsOf(long chars) {
        return Math.clamp(chars * 5 / 2 / UNIT, 1, units);
    }
}
