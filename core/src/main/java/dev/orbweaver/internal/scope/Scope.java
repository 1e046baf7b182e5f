package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;

import java.util.Optional;

/** Says which links belong to a crawl. */
public interface Scope {

    /** Judges a URL by what is known before it is requested. */
    Verdict evaluate(CrawlUrl url, Hop hop, int depth);

    /** Judges an answer by its head, before its body is read. */
    default Verdict evaluate(ResponseHead head, Hop hop) {
        return new Verdict(Optional.empty(), "every answer is taken");
    }

    /**
     * Why a URL must not be asked for any more, though it was taken in as this; nothing when it
     * may.
     */
    default Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        return Optional.empty();
    }

    /** The same scope with one more seed. */
    Scope withSeed(CrawlUrl seed);

    /** The scope in one line, for people. */
    String describe();

    /**
     * A judgement and the rule that made it.
     *
     * @param refusal why not, or nothing when the URL belongs
     */
    record Verdict(Optional<Refusal> refusal, String rule) {

        /** Whether the URL belongs. */
        public boolean isAccepted() {
            return refusal.isEmpty();
        }
    }
}
