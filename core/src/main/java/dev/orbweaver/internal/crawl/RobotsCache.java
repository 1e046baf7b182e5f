package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

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
 * ({@link RobotsRulesCache}); all others lie in a {@link RobotsStore}, which also survives the
 * process. An answer goes there once the visit that brought it is committed. Nothing is read or
 * written while the book is locked.
 */
final class RobotsCache {

    private static final Logger LOG = LoggerFactory.getLogger(RobotsCache.class);
    private static final int DELAYS_MAX = 100_000;

    /** How an origin stands. */
    sealed interface RobotsState {

        /** These are the rules. */
        record Known(RobotsRules rules) implements RobotsState {}

        /** Whoever is told this must ask for this URL and come back with the answer. */
        record MustFetch(CrawlUrl url) implements RobotsState {}

        /** Somebody else is asking. */
        record FetchInProgress() implements RobotsState {}

        /** It was asked in vain and will be asked again. */
        record Unreachable(Instant attemptedAt, Instant until) implements RobotsState {}
    }

    /** What came of asking: the outcome, how that came about, and the file if there was one. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared by value.
    record RobotsResponse(
            RobotsOutcome outcome,
            String statusText,
            byte[] text,
            Instant receivedAt,
            Duration retryAfter) {

        /**
         * No answer, or none that says anything.
         *
         * @param quiet how long the host wants not to be asked again
         */
        static RobotsResponse withoutBody(
                RobotsOutcome outcome, String said, Instant at, Duration quiet) {
            return new RobotsResponse(outcome, said, new byte[0], at, quiet);
        }
    }

    private final CrawlUrls urls;
    private final String productToken;
    private final RobotsStore store;
    private final RobotsRulesCache origins;

    /** Of the few hosts that ask for one; of any more only the origin's own delay is kept. */
    private final Map<String, Map<String, Duration>> delays = new HashMap<>();

    RobotsCache(CrawlUrls urls, String productToken, RobotsStore store) {
        this(urls, productToken, store, new RobotsRulesCache());
    }

    RobotsCache(CrawlUrls urls, String productToken, RobotsStore store, RobotsRulesCache origins) {
        this.urls = urls;
        this.productToken = productToken;
        this.store = store;
        this.origins = origins;
        store.delays()
                .forEach(
                        (origin, delay) ->
                                urls.parse(origin + "/").ifPresent(url -> recordDelay(url, delay)));
    }

    /**
     * How a URL's origin stands; when the answer is {@link RobotsState.MustFetch}, the caller has
     * taken that duty on.
     */
    RobotsState claim(CrawlUrl url, Instant now) {
        loadFromStore(url.origin(), now);
        return claimFromMemory(url, now);
    }

    private synchronized RobotsState claimFromMemory(CrawlUrl url, Instant now) {
        var origin = origins.getOrCreate(url.origin());
        if (origin.fetching) {
            return new RobotsState.FetchInProgress();
        }
        if (now.isBefore(origin.nextAttempt)) {
            var rules = origin.validRules(now);
            return rules.isPresent()
                    ? new RobotsState.Known(rules.get())
                    : new RobotsState.Unreachable(origin.attemptedAt, origin.nextAttempt);
        }
        origin.fetching = true;
        var redirected = origin.redirectedTo;
        return new RobotsState.MustFetch(redirected == null ? robotsUrl(url) : redirected);
    }

    /** Brings an origin from the store that memory does not know, or not well enough any more. */
    private void loadFromStore(String name, Instant now) {
        synchronized (this) {
            if (origins.find(name).filter(origin -> !origin.isStale(now)).isPresent()) {
                return;
            }
        }
        try {
            var kept = store.find(name);
            if (kept.isPresent()) {
                cacheStored(clampToClock(kept.get(), now), now);
            }
        } catch (IOException e) {
            LOG.warn("the robots.txt of {} is asked for again: {}", name, e.getMessage());
        }
    }

    /**
     * An answer from before the clock was set back is rewritten, or its wait would begin again with
     * every process and never end where none lives long enough.
     */
    private RobotsEntry clampToClock(RobotsEntry kept, Instant now) throws IOException {
        var answer = kept.clampedTo(now);
        if (kept.attemptedAt().isAfter(now)) {
            store.save(answer);
        }
        return answer;
    }

    private synchronized void cacheStored(RobotsEntry answer, Instant now) {
        var known = origins.find(answer.origin());
        if (known.isEmpty()
                || (known.get().isStale(now)
                        && answer.attemptedAt().isAfter(known.get().attemptedAt))) {
            var origin = origins.getOrCreate(answer.origin());
            origin.restore(answer, rules(answer.text()), now);
            urls.parse(answer.origin() + "/").ifPresent(url -> recordDelay(url, answer.delay()));
            origins.updateWeight(origin);
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
    synchronized Optional<RobotsRules> cachedRules(CrawlUrl url, Instant now) {
        return origins.find(url.origin())
                .filter(origin -> now.isBefore(origin.nextAttempt))
                .flatMap(origin -> origin.validRules(now));
    }

    /** How many redirects in a row were followed for the URL's origin. */
    synchronized int hops(CrawlUrl url) {
        return origins.find(url.origin()).map(origin -> origin.hops).orElse(0);
    }

    /**
     * Takes the answer from whoever had the duty. Returns how the origin stands now; after a
     * redirect it is as if somebody were asking still, and the next claim asks the target. Rules
     * count for others only from {@link #activateRules} on.
     */
    synchronized RobotsState onResponse(
            CrawlUrl url, CrawlUrl asked, RobotsResponse robotsResponse) {
        var origin = origins.getOrCreate(url.origin());
        origin.fetching = robotsResponse.outcome instanceof RobotsOutcome.Rules;
        origin.attemptedAt = robotsResponse.receivedAt;
        return switch (robotsResponse.outcome) {
            case RobotsOutcome.Rules(var rules) -> {
                recordDelay(url, rules.crawlDelay().orElse(Duration.ZERO));
                origin.setRules(origins.deduplicate(robotsResponse.text, rules), robotsResponse);
                origins.updateWeight(origin);
                yield new RobotsState.Known(rules);
            }
            case RobotsOutcome.Redirect(var location) ->
                    follow(origin, asked, location, robotsResponse);
            case RobotsOutcome.Unreachable _ -> unreachable(origin, robotsResponse);
        };
    }

    /**
     * The longest delay that any origin of the URL's host asks for: a host is one machine to us,
     * whatever its schemes and ports.
     */
    synchronized Duration hostDelay(CrawlUrl url) {
        var own = origins.find(url.origin()).map(origin -> origin.delay).orElse(Duration.ZERO);
        return delays.getOrDefault(url.host(), Map.of()).values().stream()
                .max(Comparator.naturalOrder())
                .filter(longest -> longest.compareTo(own) > 0)
                .orElse(own);
    }

    private void recordDelay(CrawlUrl url, Duration delay) {
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
    synchronized void activateRules(CrawlUrl url) {
        releaseClaim(url);
    }

    /** The visit that brought an answer is committed: from now on it survives the process too. */
    void persist(CrawlUrl url) {
        try {
            var unsaved = takeUnsaved(url);
            if (unsaved.isPresent()) {
                store.save(withStoredRules(unsaved.get()));
            }
        } catch (IOException e) {
            LOG.warn("what {}/robots.txt says is not kept: {}", url.origin(), e.getMessage());
        }
    }

    private synchronized Optional<RobotsRulesCache.Unsaved> takeUnsaved(CrawlUrl url) {
        return origins.find(url.origin()).flatMap(known -> known.takeUnsaved(url.origin()));
    }

    /** An answer that came in vain is kept with the rules that the store has already. */
    private RobotsEntry withStoredRules(RobotsRulesCache.Unsaved unsaved) throws IOException {
        return unsaved.complete()
                ? unsaved.entry()
                : unsaved.entry().withRulesOf(store.find(unsaved.entry().origin()));
    }

    /** Gives the duty back unfulfilled. */
    synchronized void releaseClaim(CrawlUrl url) {
        origins.find(url.origin()).ifPresent(origin -> origin.fetching = false);
    }

    private RobotsState follow(
            RobotsRulesCache.Origin origin,
            CrawlUrl asked,
            String location,
            RobotsResponse robotsResponse) {
        var target = urls.resolve(asked, location);
        if (target.isEmpty()) {
            return unreachable(origin, robotsResponse);
        }
        origin.redirectedTo = target.get();
        origin.hops++;
        return new RobotsState.FetchInProgress();
    }

    private static RobotsState unreachable(
            RobotsRulesCache.Origin origin, RobotsResponse robotsResponse) {
        origin.recordFailure(robotsResponse);
        return origin.validRules(robotsResponse.receivedAt)
                .<RobotsState>map(RobotsState.Known::new)
                .orElseGet(
                        () ->
                                new RobotsState.Unreachable(
                                        robotsResponse.receivedAt, origin.nextAttempt));
    }

    private CrawlUrl robotsUrl(CrawlUrl url) {
        return urls.parse(url.origin() + "/robots.txt")
                .orElseThrow(() -> new IllegalStateException("no robots.txt URL for " + url));
    }
}
