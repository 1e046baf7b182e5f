package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The scope of a job shared by several workers. The target of a redirected seed becomes a seed. If
 * another worker added it, this one leases a URL that is out of its scope and then reads the seeds
 * again. A seed is stored before any URL that it allows is leased.
 */
public final class SharedScope implements Scope {

    private final IntFunction<List<CrawlUrl>> seedsFrom;
    private final Supplier<List<CrawlUrl>> newRoots;
    private volatile Scope inner;
    private int knownSeeds;

    /**
     * Creates a scope that reads seeds added by other workers.
     *
     * @param known the number of seeds in the inner scope
     * @param seedsFrom returns the seeds from a position on; those at lower ones are in the inner
     *     scope
     * @param newRoots of hosts in seed lists that were read since its last call
     */
    public SharedScope(
            Scope inner,
            int known,
            IntFunction<List<CrawlUrl>> seedsFrom,
            Supplier<List<CrawlUrl>> newRoots) {
        this.inner = inner;
        this.knownSeeds = known;
        this.seedsFrom = seedsFrom;
        this.newRoots = newRoots;
    }

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        return inner.evaluate(url, hop, depth);
    }

    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        return inner.evaluate(head, hop);
    }

    @Override
    public Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        if (hop.isSeed()) {
            if (!inner.evaluate(url, Hop.LINK, 0).isAccepted()) {
                var _ = withSeed(url);
            }
        } else if (!inner.evaluate(url, hop, depth).isAccepted()) {
            addNewSeeds();
        }
        return inner.refusalReason(url, hop, depth);
    }

    private synchronized void addNewSeeds() {
        for (var seed : seedsFrom.apply(knownSeeds)) {
            inner = inner.withSeed(seed);
            knownSeeds++;
        }
        for (var root : newRoots.get()) {
            inner = inner.withSeed(root);
        }
    }

    @Override
    public synchronized Scope withSeed(CrawlUrl seed) {
        inner = inner.withSeed(seed);
        return this;
    }

    @Override
    public String describe() {
        return inner.describe();
    }
}
