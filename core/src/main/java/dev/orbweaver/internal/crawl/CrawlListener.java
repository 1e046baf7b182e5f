package dev.orbweaver.internal.crawl;

import dev.orbweaver.model.Capture;

/**
 * Is told of every capture once it is committed, in order, on the committer's thread: whoever is
 * slow here slows the crawl.
 */
@FunctionalInterface
public interface CrawlListener {

    /** Listens to nothing. */
    CrawlListener NONE = _ -> {};

    /** A capture is now a fact. */
    void captured(Capture capture);

    /** A batch is committed, and all of its captures were told. */
    default void committed() {}
}
