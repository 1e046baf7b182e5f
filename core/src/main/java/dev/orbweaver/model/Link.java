package dev.orbweaver.model;

/**
 * A link of a page, resolved to an absolute URL.
 *
 * <pre>{@code
 * document.resolve("next.html").map(url -> new Link(url, LinkKind.ENTRY, false))
 * }</pre>
 *
 * @param url the target
 * @param kind the element or header field in which the link was found
 * @param nofollow whether the link itself has {@code rel=nofollow}; a directive for the whole page
 *     is {@link Page#nofollow}
 * @param points added to the priority of the target, from -100 to 100; 0 for most links
 */
public record Link(CrawlUrl url, LinkKind kind, boolean nofollow, int points) {

    /** Creates a link that does not change the priority of its target. */
    public Link(CrawlUrl url, LinkKind kind, boolean nofollow) {
        this(url, kind, nofollow, 0);
    }
}
