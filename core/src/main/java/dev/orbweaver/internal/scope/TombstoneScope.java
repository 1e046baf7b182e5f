package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * A scope without URLs that were taken down, seeds included. Take-downs may be added while the
 * crawl runs, so an accepted URL may be rejected later.
 */
public record TombstoneScope(Scope inner, Predicate<CrawlUrl> isTakenDown) implements Scope {

    private static final Verdict TAKEN_DOWN = new Verdict(Optional.of(Refusal.RULE), "taken down");

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        return isTakenDown.test(url) ? TAKEN_DOWN : inner.evaluate(url, hop, depth);
    }

    @Override
    public Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        return isTakenDown.test(url)
                ? Optional.of(TAKEN_DOWN.rule())
                : inner.refusalReason(url, hop, depth);
    }

    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        return inner.evaluate(head, hop);
    }

    @Override
    public Scope withSeed(CrawlUrl seed) {
        return new TombstoneScope(inner.withSeed(seed), isTakenDown);
    }

    @Override
    public String describe() {
        return inner.describe();
    }
}
