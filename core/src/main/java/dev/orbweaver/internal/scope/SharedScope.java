package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ResponseHead;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The scope of a job that others work on too. A seed may be redirected to another place, which then
 * is a seed as well; when that happens elsewhere, this is found out by being given a URL that would
 * not belong here: somebody knew of a seed that we do not. Seeds are noted before anything they let
 * in is handed out, so to look them up then is soon enough.
 */
public final class SharedScope implements Scope {

    private final Supplier<List<CrawlUrl>> seeds;
    private volatile Scope inner;
    private int knownSeeds;

    /**
     * Widens a scope by seeds that come in elsewhere.
     *
     * @param known how many seeds the scope has been made with
     * @param seeds all there are by now, those first
     */
    public SharedScope(Scope inner, int known, Supplier<List<CrawlUrl>> seeds) {
        this.inner = inner;
        this.knownSeeds = known;
        this.seeds = seeds;
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
        var all = seeds.get();
        for (; knownSeeds < all.size(); knownSeeds++) {
            inner = inner.withSeed(all.get(knownSeeds));
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
