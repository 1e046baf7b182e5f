package dev.orbweaver;

import dev.orbweaver.internal.engine.FrontierFactory;
import dev.orbweaver.internal.engine.MemoryFrontier;

/**
 * Where a crawl has its frontier: the queues, the set of seen URLs and the politeness state. By
 * default it is on disk, in the crawl's own directory, where it survives a crash.
 *
 * <pre>{@code
 * Crawler.builder("https://example.com/").frontier(FrontierProvider.inMemory())
 * }</pre>
 *
 * <p>Immutable. A provider can be passed to several builders; each crawl gets a frontier of its
 * own.
 */
public final class FrontierProvider {

    private final FrontierFactory factory;

    private FrontierProvider(FrontierFactory factory) {
        this.factory = factory;
    }

    /**
     * Returns a provider of frontiers in memory, for short crawls and tests. Nothing is written for
     * queued URLs, so such a crawl cannot be resumed; its directory must be empty at the start.
     */
    public static FrontierProvider inMemory() {
        return new FrontierProvider(new MemoryFrontier());
    }

    /**
     * Returns a provider of another implementation. It implements interfaces of {@code internal}
     * packages, which change without notice; their contract is {@code FrontierContract} in the
     * {@code tests} jar of {@code orbweaver-core}.
     */
    public static FrontierProvider of(FrontierFactory factory) {
        return new FrontierProvider(factory);
    }

    FrontierFactory factory() {
        return factory;
    }
}
