package dev.orbweaver.scope;

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
    private int known;

    /**
     * Widens a scope by seeds that come in elsewhere.
     *
     * @param known how many seeds the scope has been made with
     * @param seeds all there are by now, those first
     */
    public SharedScope(Scope inner, int known, Supplier<List<CrawlUrl>> seeds) {
        this.inner = inner;
        this.known = known;
        this.seeds = seeds;
    }

    @Override
    public Verdict judge(CrawlUrl url, Hop hop, int depth) {
        return inner.judge(url, hop, depth);
    }

    @Override
    public Verdict judge(ResponseHead head, Hop hop) {
        return inner.judge(head, hop);
    }

    @Override
    public Optional<String> forbids(CrawlUrl url, Hop hop, int depth) {
        if (hop.seed()) {
            if (!inner.judge(url, Hop.LINK, 0).accepted()) {
                var _ = withSeed(url);
            }
        } else if (!inner.judge(url, hop, depth).accepted()) {
            learn();
        }
        return inner.forbids(url, hop, depth);
    }

    private synchronized void learn() {
        var all = seeds.get();
        for (; known < all.size(); known++) {
            inner = inner.withSeed(all.get(known));
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
