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
 * Caches the robots.txt state of each origin and coordinates who fetches it.
 *
 * <p>Rules are fresh for a day. If a later fetch fails, the old rules apply for up to 30 days (RFC
 * 9309, section 2.4). Without old rules nothing of the origin may be fetched; its robots.txt is
 * retried after a minute, then with doubled delays of at most an hour.
 *
 * <p>Recently used origins are in memory, bounded by number and by the size of their rules ({@link
 * RobotsRulesCache}). All others are in a {@link RobotsStore}, which also survives the process. An
 * entry is stored there after the visit that fetched it is committed. No I/O happens while this
 * cache is locked.
 */
final class RobotsCache {

    private static final Logger LOG = LoggerFactory.getLogger(RobotsCache.class);
    private static final int DELAYS_MAX = 100_000;

    /** The robots.txt state of an origin. */
    sealed interface RobotsState {

        /** The rules are known. */
        record Known(RobotsRules rules) implements RobotsState {}

        /** The caller must fetch this URL and report the response. */
        record MustFetch(CrawlUrl url) implements RobotsState {}

        /**
         * The rules were fetched by another crawl. The caller must begin with them as if it had
         * fetched this URL.
         */
        record Adopted(RobotsRules rules, CrawlUrl url) implements RobotsState {}

        /** Another visit is fetching it. */
        record FetchInProgress() implements RobotsState {}

        /** The last attempt failed; it is retried at {@code until}. */
        record Unreachable(Instant attemptedAt, Instant until) implements RobotsState {}
    }

    /** The result of one robots.txt request: outcome, status text, and the file if there is one. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared by value.
    record RobotsResponse(
            RobotsOutcome outcome,
            String statusText,
            byte[] text,
            Instant receivedAt,
            Duration retryAfter) {

        /**
         * Creates a response without a file.
         *
         * @param retryAfter how long the host asked to wait before the next request
         */
        static RobotsResponse withoutBody(
                RobotsOutcome outcome, String statusText, Instant at, Duration retryAfter) {
            return new RobotsResponse(outcome, statusText, new byte[0], at, retryAfter);
        }
    }

    private final CrawlUrls urls;
    private final String productToken;
    private final RobotsStore store;
    private final RobotsRulesCache origins;

    /**
     * Crawl delays of all origins by host; beyond {@link #DELAYS_MAX} hosts only the origin's own
     * is used.
     */
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
     * Returns the state of a URL's origin. If it is {@link RobotsState.MustFetch}, the caller now
     * holds the claim and must fetch robots.txt.
     */
    RobotsState claim(CrawlUrl url, Instant now) {
        loadFromStore(url.origin(), now);
        adoptFromOthers(url.origin(), now);
        return claimFromMemory(url, now);
    }

    private synchronized RobotsState claimFromMemory(CrawlUrl url, Instant now) {
        var origin = origins.getOrCreate(url.origin());
        if (origin.fetching) {
            return new RobotsState.FetchInProgress();
        }
        if (now.isBefore(origin.nextAttempt)) {
            var rules = origin.validRules(now);
            if (origin.adopted && rules.isPresent()) {
                origin.adopted = false;
                return new RobotsState.Adopted(rules.get(), robotsUrl(url));
            }
            return rules.isPresent()
                    ? new RobotsState.Known(rules.get())
                    : new RobotsState.Unreachable(origin.attemptedAt, origin.nextAttempt);
        }
        if (!store.tryClaim(url.origin())) {
            return new RobotsState.FetchInProgress();
        }
        origin.fetching = true;
        var redirected = origin.redirectedTo;
        return new RobotsState.MustFetch(redirected == null ? robotsUrl(url) : redirected);
    }

    /** Loads an origin from the store if memory has no entry, or a stale one. */
    private void loadFromStore(String name, Instant now) {
        synchronized (this) {
            if (origins.find(name).filter(origin -> !origin.isStale(now)).isPresent()) {
                return;
            }
        }
        try {
            var stored = store.find(name);
            if (stored.isPresent()) {
                cacheStored(clampToClock(stored.get(), now), now);
            }
        } catch (IOException e) {
            LOG.warn(
                    "could not read stored robots.txt of {}; fetching it again: {}",
                    name,
                    e.getMessage());
        }
    }

    /** Takes over an entry of another crawl if this one has none, or a stale one. */
    private synchronized void adoptFromOthers(String name, Instant now) {
        var known = origins.find(name);
        if (known.isPresent() && !known.get().isStale(now)) {
            return;
        }
        var shared =
                store.findOfOthers(name)
                        .filter(
                                entry ->
                                        known.isEmpty()
                                                || entry.attemptedAt()
                                                        .isAfter(known.get().attemptedAt));
        if (shared.isPresent()) {
            var origin = origins.getOrCreate(name);
            origin.adopt(shared.get(), rules(shared.get().text()), now);
            urls.parse(name + "/").ifPresent(url -> recordDelay(url, shared.get().delay()));
            origins.updateWeight(origin);
        }
    }

    /**
     * Adjusts an entry that is newer than the clock, because the clock was set back, and stores it.
     * Without this its wait would begin again with every process, and never end if each process is
     * short-lived.
     */
    private RobotsEntry clampToClock(RobotsEntry stored, Instant now) throws IOException {
        var entry = stored.clampedTo(now);
        if (stored.attemptedAt().isAfter(now)) {
            store.save(entry);
        }
        return entry;
    }

    private synchronized void cacheStored(RobotsEntry entry, Instant now) {
        var known = origins.find(entry.origin());
        if (known.isEmpty()
                || (known.get().isStale(now)
                        && entry.attemptedAt().isAfter(known.get().attemptedAt))) {
            var origin = origins.getOrCreate(entry.origin());
            origin.restore(entry, rules(entry.text()), now);
            urls.parse(entry.origin() + "/").ifPresent(url -> recordDelay(url, entry.delay()));
            origins.updateWeight(origin);
        }
    }

    private RobotsRules rules(byte[] text) {
        return text.length == 0
                ? RobotsRules.ALLOW_ALL
                : RobotsRules.parse(text, text.length, productToken);
    }

    /**
     * Returns the rules for a URL if they are in memory and fresh. Used to filter links that are
     * being offered: a link rejected here is not checked again. Only memory is searched because
     * there are many links; accepted URLs are checked again before they are fetched.
     */
    synchronized Optional<RobotsRules> cachedRules(CrawlUrl url, Instant now) {
        return origins.find(url.origin())
                .filter(origin -> now.isBefore(origin.nextAttempt))
                .flatMap(origin -> origin.validRules(now));
    }

    /** Returns how many redirects in a row were followed for the robots.txt of the URL's origin. */
    synchronized int hops(CrawlUrl url) {
        return origins.find(url.origin()).map(origin -> origin.hops).orElse(0);
    }

    /**
     * Records the response to a claimed robots.txt request and returns the new state of the origin.
     * After a redirect the state is still {@link RobotsState.FetchInProgress}, and the next claim
     * requests the target. Other visits use new rules only after {@link #activateRules}.
     */
    synchronized RobotsState onResponse(
            CrawlUrl url, CrawlUrl requested, RobotsResponse robotsResponse) {
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
                    follow(origin, requested, location, robotsResponse);
            case RobotsOutcome.Unreachable _ -> unreachable(origin, robotsResponse);
        };
    }

    /**
     * Returns the longest crawl delay of any origin of the URL's host: all schemes and ports of a
     * host count as one machine.
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
     * Makes new rules available to other visits, after the frontier has stored their crawl delay.
     * Otherwise a visit that started right after the fetch would ignore that delay.
     */
    synchronized void activateRules(CrawlUrl url) {
        endFetch(url);
    }

    /** Stores the entry of an origin, after the visit that fetched it is committed. */
    void persist(CrawlUrl url) {
        try {
            var unsaved = takeUnsaved(url);
            if (unsaved.isPresent()) {
                store.save(withStoredRules(unsaved.get()));
            }
        } catch (IOException e) {
            LOG.warn("could not store robots.txt of {}: {}", url.origin(), e.getMessage());
        }
    }

    private synchronized Optional<RobotsRulesCache.Unsaved> takeUnsaved(CrawlUrl url) {
        return origins.find(url.origin()).flatMap(known -> known.takeUnsaved(url.origin()));
    }

    /** Completes an entry of a failed attempt with the rules that the store already has. */
    private RobotsEntry withStoredRules(RobotsRulesCache.Unsaved unsaved) throws IOException {
        return unsaved.complete()
                ? unsaved.entry()
                : unsaved.entry().withRulesOf(store.find(unsaved.entry().origin()));
    }

    /** Releases a claim without a response. */
    synchronized void releaseClaim(CrawlUrl url) {
        endFetch(url);
        store.releaseClaim(url.origin());
    }

    private void endFetch(CrawlUrl url) {
        origins.find(url.origin()).ifPresent(origin -> origin.fetching = false);
    }

    private RobotsState follow(
            RobotsRulesCache.Origin origin,
            CrawlUrl requested,
            String location,
            RobotsResponse robotsResponse) {
        var target = urls.resolve(requested, location);
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
