package dev.orbweaver.model;

/** A resolved link. {@code nofollow} is the link's own {@code rel}, not the page's directive. */
public record Link(CrawlUrl url, LinkKind kind, boolean nofollow) {}
