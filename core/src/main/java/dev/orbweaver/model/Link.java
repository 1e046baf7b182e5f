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
 */
public record Link(CrawlUrl url, LinkKind kind, boolean nofollow) {}
