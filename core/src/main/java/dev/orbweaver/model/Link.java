package dev.orbweaver.model;

/**
 * One link of a page, already resolved. {@code nofollow} is the link's own {@code rel}, not the
 * page's directive.
 */
public record Link(CrawlUrl url, LinkKind kind, boolean nofollow) {}
