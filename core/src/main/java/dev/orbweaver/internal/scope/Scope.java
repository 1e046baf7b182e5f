package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;

import java.util.Optional;

/** Decides which links belong to a crawl. */
public interface Scope {

    /** Decides before the URL is requested. */
    Verdict evaluate(CrawlUrl url, Hop hop, int depth);

    /** Decides by a response's head, before its body is read. */
    default Verdict evaluate(ResponseHead head, Hop hop) {
        return new Verdict(Optional.empty(), "every answer is taken");
    }

    /** Why a URL that was accepted must not be requested any more; empty when it may. */
    default Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        return Optional.empty();
    }

    /** This scope with one more seed. */
    Scope withSeed(CrawlUrl seed);

    /** The scope in one line, for people. */
    String describe();

    /** {@code refusal} says why the URL does not belong; empty when it does. */
    record Verdict(Optional<Refusal> refusal, String rule) {

        public boolean isAccepted() {
            return refusal.isEmpty();
        }
    }
}
