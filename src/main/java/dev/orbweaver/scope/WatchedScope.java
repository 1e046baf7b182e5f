package dev.orbweaver.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * A scope without what was taken down, seeds included. That may change while the crawl runs, so a
 * URL that was taken in may be forbidden when its turn comes.
 */
public final class WatchedScope implements Scope {

    private static final Verdict TAKEN_DOWN =
            new Verdict(Optional.of(Refusal.RULE), "it was taken down");

    private final Scope inner;
    private final Predicate<CrawlUrl> takenDown;

    /** The inner scope, less what is taken down. */
    public WatchedScope(Scope inner, Predicate<CrawlUrl> takenDown) {
        this.inner = inner;
        this.takenDown = takenDown;
    }

    @Override
    public Verdict judge(CrawlUrl url, Hop hop, int depth) {
        return takenDown.test(url) ? TAKEN_DOWN : inner.judge(url, hop, depth);
    }

    @Override
    public Optional<String> forbids(CrawlUrl url, Hop hop, int depth) {
        return takenDown.test(url)
                ? Optional.of(TAKEN_DOWN.rule())
                : inner.forbids(url, hop, depth);
    }

    @Override
    public Verdict judge(ResponseHead head, Hop hop) {
        return inner.judge(head, hop);
    }

    @Override
    public Scope withSeed(CrawlUrl seed) {
        return new WatchedScope(inner.withSeed(seed), takenDown);
    }

    @Override
    public String describe() {
        return inner.describe();
    }
}
