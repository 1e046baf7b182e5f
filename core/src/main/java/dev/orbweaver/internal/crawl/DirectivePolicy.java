package dev.orbweaver.internal.crawl;

/**
 * Which directives of pages a crawl obeys.
 *
 * @param obeyRelNofollow whether links marked nofollow, ugc or sponsored are ignored
 * @param purpose what the stored pages are used for
 */
public record DirectivePolicy(boolean obeyRelNofollow, Purpose purpose) {

    /** Follows all links and declares no purpose. */
    public static final DirectivePolicy DEFAULT = new DirectivePolicy(false, Purpose.NONE);
}
