package dev.orbweaver.internal.crawl;

import dev.orbweaver.model.Capture;

/** Receives captures after their commit, in order, on the committer's thread; it must be fast. */
@FunctionalInterface
public interface CrawlListener {

    /** Does nothing. */
    CrawlListener NONE = _ -> {};

    /** Called after a capture was committed. */
    void captured(Capture capture);

    /** Called after a failed attempt was committed whose URL is requested again later. */
    default void retried(Capture capture) {}

    /** Called after {@link #captured} was called for all captures of a batch. */
    default void committed() {}
}
