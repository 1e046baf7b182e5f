package dev.orbweaver.crawl;

import dev.orbweaver.model.Hop;

import java.util.concurrent.Semaphore;

/**
 * Bounds the memory that links take between parsing a page and committing it, over all visits in
 * flight. Each page's links are bounded by themselves, but hundreds of hostile pages parsed at the
 * same time would still fill the heap.
 *
 * <p>A visit reserves the most that its document can lead to, parses it, gives back what it did not
 * need, and the rest when it is committed. The committer never waits here, so every reservation
 * ends. Nearly all pages keep nothing: their links are too few to count.
 */
final class LinkBudget {

    /** A page cannot have more characters in its links; the parser cuts there. */
    private static final long PAGE_CHARS_MAX = 8L << 20;

    private static final long SITEMAP_CHARS_MAX = 30L << 20;

    /** What even an empty document may copy from its base, and what each of its bytes may add. */
    private static final long CHARS_PER_DOCUMENT = 2L << 20;

    private static final int CHARS_PER_BYTE = 64;

    /** Up to here a page's links are part of what any visit takes. */
    private static final long NEGLIGIBLE_BYTES = 256 << 10;

    private static final int UNIT = 1 << 10;

    private final int units;
    private final Semaphore free;

    /**
     * @param bytes what the links of all visits may take together
     */
    LinkBudget(long bytes) {
        this.units = Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE);
        this.free = new Semaphore(units, true);
    }

    /** A quarter of the heap. */
    static LinkBudget ofHeap() {
        return new LinkBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    /** Waits until a document of this length may be parsed. Returns what was reserved. */
    int reserve(long bodyBytes, Hop hop) {
        var most = hop == Hop.SITEMAP ? SITEMAP_CHARS_MAX : PAGE_CHARS_MAX;
        var chars = Math.min(most, CHARS_PER_DOCUMENT + CHARS_PER_BYTE * bodyBytes);
        var wanted = unitsOf(chars);
        free.acquireUninterruptibly(wanted);
        return wanted;
    }

    /** Gives back what links of this size do not need. Returns what is still reserved. */
    int keep(int reserved, long linkBytes) {
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
