package dev.orbweaver.internal.revisit;

import java.time.Instant;

/**
 * Says that a page has changed: a sitemap's {@code lastmod}, an entry of a feed, an IndexNow push.
 *
 * @param time at which the page changed, as the signal says
 */
public record Signal(long urlHash, long hostHash, Instant time) {}
