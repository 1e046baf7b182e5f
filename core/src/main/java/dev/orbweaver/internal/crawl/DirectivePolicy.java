package dev.orbweaver.internal.crawl;

/**
 * How far a crawl goes along with what pages ask of it.
 *
 * @param obeyRelNofollow whether links that say nofollow, ugc or sponsored of themselves are left
 *     alone
 * @param purpose what the pages are for
 */
public record DirectivePolicy(boolean obeyRelNofollow, Purpose purpose) {

    /** Links are followed whatever they say of themselves, and pages are kept for no purpose. */
    public static final DirectivePolicy DEFAULT = new DirectivePolicy(false, Purpose.NONE);
}
