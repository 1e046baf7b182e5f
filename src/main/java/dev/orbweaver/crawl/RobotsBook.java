package dev.orbweaver.crawl;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.robots.RobotsOutcome;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.url.CrawlUrls;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of every origin's robots.txt, and who is asking for it just now.
 *
 * <p>Rules are good for a day. When asking again fails, the old ones stand for up to 30 days (RFC
 * 9309, section 2.4). Without old ones nothing of the origin may be fetched; it is asked again
 * after a minute, then after twice as long each time, at most an hour.
 *
 * <p>In memory are the origins lately asked about, bounded by number and by the size of their rules
 * ({@link KnownOrigins}); all others lie in a {@link RobotsStore}, which also survives the process.
 * An answer goes there once the visit that brought it is committed. Nothing is read or written
 * while the book is locked.
 */
final class RobotsBook {

    private static final Logger LOG = LoggerFactory.getLogger(RobotsBook.class);
    private static final int DELAYS_MAX = 100_000;

    /** How an origin stands. */
    sealed interface Standing {

        /** These are the rules. */
        record Known(RobotsRules rules) implements Standing {}

        /** Whoever is told this must ask for this URL and come back with the answer. */
        record Ask(CrawlUrl url) implements Standing {}

        /** Somebody else is asking. */
        record BeingAsked() implements Standing {}

        /** It was asked in vain and will be asked again. */
        record Unreachable(Instant askedAt, Instant until) implements Standing {}
    }

    /** What came of asking: the outcome, how that came about, and the file if there was one. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared by value.
    record Reply(RobotsOutcome outcome, String said, byte[] text, Instant at, Duration quiet) {

        /**
         * No answer, or none that says anything.
         *
         * @param quiet how long the host wants not to be asked again
         */
        static Reply without(RobotsOutcome outcome, String said, Instant at, Duration quiet) {
            return new Reply(outcome, said, new byte[0], at, quiet);
        }
    }

    private final CrawlUrls urls;
    private final String productToken;
    private final RobotsStore store;
    private final KnownOrigins origins;

    /** Of the few hosts that ask for one; of any more only the origin's own delay is kept. */
    private final Map<String, Map<String, Duration>> delays = new HashMap<>();

    RobotsBook(CrawlUrls urls, String productToken, RobotsStore store) {
        this(urls, productToken, store, new KnownOrigins());
    }

    RobotsBook(CrawlUrls urls, String productToken, RobotsStore store, KnownOrigins origins) {
        this.urls = urls;
        this.productToken = productToken;
        this.store = store;
        this.origins = origins;
        store.delays()
                .forEach(
                        (origin, delay) ->
                                urls.parse(origin + "/").ifPresent(url -> noteDelay(url, delay)));
    }

    /**
     * How a URL's origin stands; when the answer is {@link Standing.Ask}, the caller has taken that
     * duty on.
     */
    Standing claim(CrawlUrl url, Instant now) {
        recall(url.origin(), now);
        return claimFromMemory(url, now);
    }

    private synchronized Standing claimFromMemory(CrawlUrl url, Instant now) {
        var origin = origins.obtain(url.origin());
        if (origin.asking) {
            return new Standing.BeingAsked();
        }
        if (now.isBefore(origin.nextAsk)) {
            var rules = origin.rulesAt(now);
            return rules.isPresent()
                    ? new Standing.Known(rules.get())
                    : new Standing.Unreachable(origin.askedAt, origin.nextAsk);
        }
        origin.asking = true;
        var redirected = origin.redirectedTo;
        return new Standing.Ask(redirected == null ? robotsUrl(url) : redirected);
    }

    /** Brings an origin from the store that memory does not know, or not well enough any more. */
    private void recall(String name, Instant now) {
        synchronized (this) {
            if (origins.find(name).filter(origin -> !origin.isOut(now)).isPresent()) {
                return;
            }
        }
        try {
            var kept = store.find(name);
            if (kept.isPresent()) {
                recalled(broughtUp(kept.get(), now), now);
            }
        } catch (IOException e) {
            LOG.warn("the robots.txt of {} is asked for again: {}", name, e.getMessage());
        }
    }

    /**
     * An answer from before the clock was set back is written anew, or its wait would begin again
     * with every process and never end where none lives long enough.
     */
    private RobotsAnswer broughtUp(RobotsAnswer kept, Instant now) throws IOException {
        var answer = kept.asOf(now);
        if (kept.askedAt().isAfter(now)) {
            store.keep(answer);
        }
        return answer;
    }

    private synchronized void recalled(RobotsAnswer answer, Instant now) {
        var known = origins.find(answer.origin());
        if (known.isEmpty()
                || (known.get().isOut(now) && answer.askedAt().isAfter(known.get().askedAt))) {
            var origin = origins.obtain(answer.origin());
            origin.recall(answer, rules(answer.text()), now);
            urls.parse(answer.origin() + "/").ifPresent(url -> noteDelay(url, answer.delay()));
            origins.weigh(origin);
        }
    }

    private RobotsRules rules(byte[] text) {
        return text.length == 0
                ? RobotsRules.ALLOW_ALL
                : RobotsRules.parse(text, text.length, productToken);
    }

    /**
     * The rules for a URL if they are known and still good, for judging links that are only being
     * offered: whoever is turned away here is not judged again. Only memory is asked, as there are
     * many links; what is let through is judged once more when its turn comes.
     */
    synchronized Optional<RobotsRules> known(CrawlUrl url, Instant now) {
        return origins.find(url.origin())
                .filter(origin -> now.isBefore(origin.nextAsk))
                .flatMap(origin -> origin.rulesAt(now));
    }

    /** How many redirects in a row were followed for the URL's origin. */
    synchronized int hops(CrawlUrl url) {
        return origins.find(url.origin()).map(origin -> origin.hops).orElse(0);
    }

    /**
     * Takes the answer from whoever had the duty. Returns how the origin stands now; after a
     * redirect it is as if somebody were asking still, and the next claim asks the target. Rules
     * count for others only from {@link #inForce} on.
     */
    synchronized Standing answer(CrawlUrl url, CrawlUrl asked, Reply reply) {
        var origin = origins.obtain(url.origin());
        origin.asking = reply.outcome instanceof RobotsOutcome.Rules;
        origin.askedAt = reply.at;
        return switch (reply.outcome) {
            case RobotsOutcome.Rules(var rules) -> {
                noteDelay(url, rules.crawlDelay().orElse(Duration.ZERO));
                origin.learn(origins.shared(reply.text, rules), reply);
                origins.weigh(origin);
                yield new Standing.Known(rules);
            }
            case RobotsOutcome.Follow(var location) -> follow(origin, asked, location, reply);
            case RobotsOutcome.Unreachable _ -> unreachable(origin, reply);
        };
    }

    /**
     * The longest delay that any origin of the URL's host asks for: a host is one machine to us,
     * whatever its schemes and ports.
     */
    synchronized Duration delayOfHost(CrawlUrl url) {
        var own = origins.find(url.origin()).map(origin -> origin.delay).orElse(Duration.ZERO);
        return delays.getOrDefault(url.host(), Map.of()).values().stream()
                .max(Comparator.naturalOrder())
                .filter(longest -> longest.compareTo(own) > 0)
                .orElse(own);
    }

    private void noteDelay(CrawlUrl url, Duration delay) {
        if (!delay.isPositive()) {
            delays.computeIfPresent(url.host(), (_, known) -> without(known, url.origin()));
        } else if (delays.size() < DELAYS_MAX || delays.containsKey(url.host())) {
            delays.computeIfAbsent(url.host(), _ -> new HashMap<>()).put(url.origin(), delay);
        }
    }

    private static @Nullable Map<String, Duration> without(
            Map<String, Duration> known, String origin) {
        known.remove(origin);
        return known.isEmpty() ? null : known;
    }

    /**
     * The delay that the rules ask for is kept from now on, so others may go by them. Before, a
     * visit that began just after the rules were read would go out without it.
     */
    synchronized void inForce(CrawlUrl url) {
        abandon(url);
    }

    /** The visit that brought an answer is committed: from now on it survives the process too. */
    void committed(CrawlUrl url) {
        try {
            var unsaved = takeUnsaved(url);
            if (unsaved.isPresent()) {
                store.keep(whole(unsaved.get()));
            }
        } catch (IOException e) {
            LOG.warn("what {}/robots.txt says is not kept: {}", url.origin(), e.getMessage());
        }
    }

    private synchronized Optional<KnownOrigins.Unsaved> takeUnsaved(CrawlUrl url) {
        return origins.find(url.origin()).flatMap(known -> known.unsaved(url.origin()));
    }

    /** An answer that came in vain is kept with the rules that the store has already. */
    private RobotsAnswer whole(KnownOrigins.Unsaved unsaved) throws IOException {
        return unsaved.whole()
                ? unsaved.answer()
                : unsaved.answer().withRulesOf(store.find(unsaved.answer().origin()));
    }

    /** Gives the duty back unfulfilled. */
    synchronized void abandon(CrawlUrl url) {
        origins.find(url.origin()).ifPresent(origin -> origin.asking = false);
    }

    private Standing follow(
            KnownOrigins.Origin origin, CrawlUrl asked, String location, Reply reply) {
        var target = urls.resolve(asked, location);
        if (target.isEmpty()) {
            return unreachable(origin, reply);
        }
        origin.redirectedTo = target.get();
        origin.hops++;
        return new Standing.BeingAsked();
    }

    private static Standing unreachable(KnownOrigins.Origin origin, Reply reply) {
        origin.fail(reply);
        return origin.rulesAt(reply.at)
                .<Standing>map(Standing.Known::new)
                .orElseGet(() -> new Standing.Unreachable(reply.at, origin.nextAsk));
    }

    private CrawlUrl robotsUrl(CrawlUrl url) {
        return urls.parse(url.origin() + "/robots.txt")
                .orElseThrow(() -> new IllegalStateException("no robots.txt URL for " + url));
    }
}
