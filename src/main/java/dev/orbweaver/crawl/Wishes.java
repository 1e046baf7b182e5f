package dev.orbweaver.crawl;

/**
 * How far a crawl goes along with what pages ask of it.
 *
 * @param obeyRel whether links that say nofollow, ugc or sponsored of themselves are left alone
 * @param purpose what the pages are for
 */
public record Wishes(boolean obeyRel, Purpose purpose) {

    /** Links are followed whatever they say of themselves, and pages are kept for no purpose. */
    public static final Wishes USUAL = new Wishes(false, Purpose.NONE);
}
