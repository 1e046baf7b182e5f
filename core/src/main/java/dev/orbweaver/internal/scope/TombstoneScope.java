package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * A scope without URLs that the user took down or removed, seeds included. They may be added while
 * the crawl runs, so an accepted URL may be rejected later.
 */
public record TombstoneScope(Scope inner, Predicate<CrawlUrl> isTakenDown, Verdict verdict)
        implements Scope {

    public static TombstoneScope takenDown(Scope inner, Predicate<CrawlUrl> isTakenDown) {
        return new TombstoneScope(
                inner, isTakenDown, new Verdict(Optional.of(Refusal.RULE), "taken down"));
    }

    public static TombstoneScope removed(Scope inner, Predicate<CrawlUrl> isRemoved) {
        return new TombstoneScope(
                inner,
                isRemoved,
                new Verdict(Optional.of(Refusal.EXCLUDED), "removed by the user"));
    }

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        return isTakenDown.test(url) ? verdict : inner.evaluate(url, hop, depth);
    }

    @Override
    public Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        return isTakenDown.test(url)
                ? Optional.of(verdict.rule())
                : inner.refusalReason(url, hop, depth);
    }

    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        return inner.evaluate(head, hop);
    }

    @Override
    public Scope withSeed(CrawlUrl seed) {
        return new TombstoneScope(inner.withSeed(seed), isTakenDown, verdict);
    }

    @Override
    public String describe() {
        return inner.describe();
    }
}
