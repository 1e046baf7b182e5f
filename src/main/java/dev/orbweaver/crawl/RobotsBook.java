package dev.orbweaver.crawl;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.robots.RobotsOutcome;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.url.CrawlUrls;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of every origin's robots.txt, and who is asking for it just now.
 *
 * <p>Rules are good for a day. When asking again fails, the old ones stand for up to 30 days (RFC
 * 9309, section 2.4). Without old ones nothing of the origin may be fetched; it is asked again
 * after a minute, then after twice as long each time, at most an hour. The book forgets origins not
 * asked about for long, which costs no more than asking again.
 */
final class RobotsBook {

    private static final int ORIGINS_MAX = 50_000;
    private static final Duration FRESH = Duration.ofHours(24);
    private static final Duration STALE_MAX = Duration.ofDays(30);
    private static final Duration FIRST_RETRY = Duration.ofMinutes(1);
    private static final Duration LAST_RETRY = Duration.ofHours(1);

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

    private static final class Origin {
        private @Nullable RobotsRules rules;
        private Instant fetchedAt = Instant.MIN;
        private Instant askedAt = Instant.MIN;
        private Instant nextAsk = Instant.MIN;
        private Duration retry = FIRST_RETRY;
        private boolean asking;
        private @Nullable CrawlUrl redirectedTo;
        private int hops;
    }

    private final CrawlUrls urls;
    private final Map<String, Origin> origins =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Origin> eldest) {
                    return size() > ORIGINS_MAX && !eldest.getValue().asking;
                }
            };

    /** Of the few hosts that ask for one. */
    private final Map<String, Map<String, Duration>> delays = new HashMap<>();

    RobotsBook(CrawlUrls urls) {
        this.urls = urls;
    }

    /**
     * How a URL's origin stands; when the answer is {@link Standing.Ask}, the caller has taken that
     * duty on.
     */
    synchronized Standing claim(CrawlUrl url, Instant now) {
        var origin = origins.computeIfAbsent(url.origin(), _ -> new Origin());
        if (origin.asking) {
            return new Standing.BeingAsked();
        }
        var rules = origin.rules;
        if (rules != null && now.isBefore(origin.nextAsk)) {
            return new Standing.Known(rules);
        }
        if (now.isBefore(origin.nextAsk)) {
            return new Standing.Unreachable(origin.askedAt, origin.nextAsk);
        }
        origin.asking = true;
        var redirected = origin.redirectedTo;
        return new Standing.Ask(redirected == null ? robotsUrl(url) : redirected);
    }

    /**
     * The rules for a URL if they are known and still good, for judging links that are only being
     * offered: whoever is turned away here is not judged again.
     */
    synchronized Optional<RobotsRules> known(CrawlUrl url, Instant now) {
        return Optional.ofNullable(origins.get(url.origin()))
                .filter(origin -> now.isBefore(origin.nextAsk))
                .map(origin -> origin.rules);
    }

    /** How many redirects in a row were followed for the URL's origin. */
    synchronized int hops(CrawlUrl url) {
        return Optional.ofNullable(origins.get(url.origin())).map(origin -> origin.hops).orElse(0);
    }

    /**
     * Takes the answer from whoever had the duty. Returns how the origin stands now; after a
     * redirect it is as if somebody were asking still, and the next claim asks the target. Rules
     * count for others only from {@link #inForce} on.
     *
     * @param quiet how long the host wants not to be asked again, if it could not answer
     */
    synchronized Standing answer(
            CrawlUrl url, CrawlUrl asked, RobotsOutcome outcome, Instant now, Duration quiet) {
        var origin = origins.computeIfAbsent(url.origin(), _ -> new Origin());
        origin.asking = outcome instanceof RobotsOutcome.Rules;
        origin.askedAt = now;
        return switch (outcome) {
            case RobotsOutcome.Rules(var rules) -> {
                noteDelay(url, rules.crawlDelay().orElse(Duration.ZERO));
                yield learn(origin, rules, now);
            }
            case RobotsOutcome.Follow(var location) -> follow(origin, asked, location, now, quiet);
            case RobotsOutcome.Unreachable _ -> unreachable(origin, now, quiet);
        };
    }

    /**
     * The longest delay that any origin of the URL's host asks for: a host is one machine to us,
     * whatever its schemes and ports.
     */
    synchronized Duration delayOfHost(CrawlUrl url) {
        return delays.getOrDefault(url.host(), Map.of()).values().stream()
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private void noteDelay(CrawlUrl url, Duration delay) {
        if (delay.isPositive()) {
            delays.computeIfAbsent(url.host(), _ -> new HashMap<>()).put(url.origin(), delay);
        } else {
            delays.computeIfPresent(url.host(), (_, known) -> without(known, url.origin()));
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

    /** Gives the duty back unfulfilled. */
    synchronized void abandon(CrawlUrl url) {
        Optional.ofNullable(origins.get(url.origin())).ifPresent(origin -> origin.asking = false);
    }

    private static Standing learn(Origin origin, RobotsRules rules, Instant now) {
        origin.rules = rules;
        origin.fetchedAt = now;
        origin.nextAsk = now.plus(FRESH);
        origin.retry = FIRST_RETRY;
        origin.redirectedTo = null;
        origin.hops = 0;
        return new Standing.Known(rules);
    }

    private Standing follow(
            Origin origin, CrawlUrl asked, String location, Instant now, Duration quiet) {
        var target = urls.resolve(asked, location);
        if (target.isEmpty()) {
            return unreachable(origin, now, quiet);
        }
        origin.redirectedTo = target.get();
        origin.hops++;
        return new Standing.BeingAsked();
    }

    private static Standing unreachable(Origin origin, Instant now, Duration quiet) {
        origin.redirectedTo = null;
        origin.hops = 0;
        origin.nextAsk = now.plus(quiet.compareTo(origin.retry) > 0 ? quiet : origin.retry);
        var twice = origin.retry.multipliedBy(2);
        origin.retry = twice.compareTo(LAST_RETRY) < 0 ? twice : LAST_RETRY;
        var rules = origin.rules;
        if (rules != null && origin.fetchedAt.plus(STALE_MAX).isAfter(now)) {
            return new Standing.Known(rules);
        }
        origin.rules = null;
        return new Standing.Unreachable(now, origin.nextAsk);
    }

    private CrawlUrl robotsUrl(CrawlUrl url) {
        return urls.parse(url.origin() + "/robots.txt")
                .orElseThrow(() -> new IllegalStateException("no robots.txt URL for " + url));
    }
}
