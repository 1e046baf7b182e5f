package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import java.util.Optional;

/** A scope that accepts what both of two scopes accept; the second is a filter of the program's. */
public record FilteredScope(Scope inner, Scope filter) implements Scope {

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        var verdict = inner.evaluate(url, hop, depth);
        if (!verdict.isAccepted() || hop.isSeed()) {
            return verdict;
        }
        var filtered = filter.evaluate(url, hop, depth);
        return filtered.isAccepted() ? verdict : filtered;
    }

    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        var verdict = inner.evaluate(head, hop);
        return verdict.isAccepted() ? filter.evaluate(head, hop) : verdict;
    }

    @Override
    public Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        var reason = inner.refusalReason(url, hop, depth);
        return reason.isPresent() || hop.isSeed() ? reason : filter.refusalReason(url, hop, depth);
    }

    @Override
    public Scope withSeed(CrawlUrl seed) {
        return new FilteredScope(inner.withSeed(seed), filter.withSeed(seed));
    }

    @Override
    public String describe() {
        return inner.describe() + ", " + filter.describe();
    }
}
