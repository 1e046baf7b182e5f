package dev.orbweaver.spi;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;

import java.util.Optional;

/**
 * Decides which URLs belong to a crawl: a replacement of the built-in rules, or a filter in
 * addition to them.
 *
 * <pre>{@code
 * Scope noArchives = (url, hop, depth) ->
 *         url.text().contains("/archive/") ? Scope.refuse("archive pages") : Scope.ACCEPT;
 * }</pre>
 *
 * <p>A scope is called by several threads at once and must decide fast: it is called for every link
 * of every page, also for links that are already known. {@link #refusalReason} is called a second
 * time for an accepted URL, directly before its request. When a method throws an exception or
 * returns null, the URL is refused, and the failure is logged with the URL and a stack trace, up to
 * 100 times. Filters are never called for seeds.
 */
@FunctionalInterface
public interface Scope {

    /** Accepts a URL. */
    Verdict ACCEPT = new Verdict(Optional.empty(), "accepted");

    /** Refuses a URL, with a reason for people. */
    static Verdict refuse(String reason) {
        return new Verdict(Optional.of(Refusal.RULE), reason);
    }

    /**
     * Decides before the URL is queued.
     *
     * @param hop how the URL was found; seeds are requested in any case
     * @param depth the number of links between a seed and the URL, 0 for a seed
     */
    Verdict evaluate(CrawlUrl url, Hop hop, int depth);

    /** Decides by the head of a response, before its body is read. */
    default Verdict evaluate(ResponseHead head, Hop hop) {
        return ACCEPT;
    }

    /** Returns why a queued URL must not be requested any more; empty when it may. */
    default Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        return Optional.empty();
    }

    /**
     * Returns a scope with one more seed: the target of a redirected seed becomes a seed. It may be
     * this scope, extended. There may be a million seeds, and all of them may redirect.
     */
    default Scope withSeed(CrawlUrl seed) {
        return this;
    }

    /** Returns the scope in one line, for people. */
    default String describe() {
        return "custom scope";
    }

    /**
     * A decision.
     *
     * @param refusal why the URL does not belong to the crawl; empty when it does
     * @param rule the rule that decided, for people
     */
    record Verdict(Optional<Refusal> refusal, String rule) {

        /** Returns whether the URL belongs to the crawl. */
        public boolean isAccepted() {
            return refusal.isEmpty();
        }
    }
}
