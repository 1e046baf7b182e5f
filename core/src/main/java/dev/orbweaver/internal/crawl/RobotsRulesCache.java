package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.model.CrawlUrl;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The origins lately asked about, with their rules: at most so many, and no more than so many bytes
 * of rules. Those not asked about for longest go first; one that somebody is just asking for stays.
 * Very many hosts have the same file or none, so the rules of equal files are one instance. Guarded
 * by the lock of whoever owns it.
 */
final class RobotsRulesCache {

    private static final int ORIGINS_MAX = 50_000;
    private static final long RULES_BYTES_MAX = 32 << 20;
    private static final int SHARED_MAX = 1024;
    private static final int SHARED_TEXT_MAX = 4096;

    /** One of them. */
    static final class Origin {
        boolean fetching;
        Instant attemptedAt = Instant.EPOCH;
        Instant nextAttempt = Instant.EPOCH;
        Duration delay = Duration.ZERO;
        @Nullable CrawlUrl redirectedTo;
        int hops;
        private @Nullable RobotsRules rules;
        private Instant fetchedAt = Instant.EPOCH;
        private int failures;
        private long weight;
        private String statusText = "";

        /** The file, until the store has it. */
        private byte @Nullable [] text;

        private boolean unsaved;

        /** The rules, as long as they may be gone by. */
        Optional<RobotsRules> validRules(Instant now) {
            return now.isBefore(fetchedAt.plus(RobotsEntry.STALE_MAX))
                    ? Optional.ofNullable(rules)
                    : Optional.empty();
        }

        void setRules(RobotsRules learnt, RobotsCache.RobotsResponse robotsResponse) {
            rules = learnt;
            delay = learnt.crawlDelay().orElse(Duration.ZERO);
            fetchedAt = robotsResponse.receivedAt();
            nextAttempt = robotsResponse.receivedAt().plus(RobotsEntry.FRESH_FOR);
            failures = 0;
            recordResponse(robotsResponse);
            text = robotsResponse.text();
        }

        void recordFailure(RobotsCache.RobotsResponse robotsResponse) {
            failures++;
            var retry = RobotsEntry.retryAfter(failures);
            nextAttempt =
                    robotsResponse
                            .receivedAt()
                            .plus(
                                    robotsResponse.retryAfter().compareTo(retry) > 0
                                            ? robotsResponse.retryAfter()
                                            : retry);
            recordResponse(robotsResponse);
        }

        private void recordResponse(RobotsCache.RobotsResponse robotsResponse) {
            attemptedAt = robotsResponse.receivedAt();
            statusText = robotsResponse.statusText();
            redirectedTo = null;
            hops = 0;
            unsaved = true;
        }

        /** Whether it is time to ask again, and nobody does. */
        boolean isStale(Instant now) {
            return !fetching && !now.isBefore(nextAttempt);
        }

        /** Takes over what was kept. */
        void restore(RobotsEntry answer, RobotsRules kept, Instant now) {
            attemptedAt = answer.attemptedAt();
            nextAttempt = answer.nextAttempt();
            failures = answer.failures();
            statusText = answer.statusText();
            delay = answer.delay();
            if (answer.hasRules(now)) {
                rules = kept;
                fetchedAt = answer.fetchedAt();
            }
        }

        /** What is to be kept, if it is not yet. */
        Optional<Unsaved> takeUnsaved(String name) {
            if (!unsaved) {
                return Optional.empty();
            }
            var known = text;
            unsaved = false;
            text = null;
            var answer =
                    new RobotsEntry(
                            name,
                            rules == null ? Instant.EPOCH : fetchedAt,
                            attemptedAt,
                            nextAttempt,
                            failures,
                            delay,
                            statusText,
                            known == null ? new byte[0] : known);
            return Optional.of(new Unsaved(answer, known != null || rules == null));
        }
    }

    /**
     * What the store does not have yet.
     *
     * @param complete false when the rules are those that the store has already
     */
    record Unsaved(RobotsEntry entry, boolean complete) {}

    private final int originsMax;
    private final long rulesBytesMax;
    private final Map<String, Origin> origins = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<Integer, SharedRules> sharedRules =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, SharedRules> eldest) {
                    return size() > SHARED_MAX;
                }
            };
    private long weight;

    @SuppressWarnings("ArrayRecordComponent") // Never compared by value.
    private record SharedRules(byte[] text, RobotsRules rules) {}

    RobotsRulesCache() {
        this(ORIGINS_MAX, RULES_BYTES_MAX);
    }

    RobotsRulesCache(int originsMax, long rulesBytesMax) {
        this.originsMax = originsMax;
        this.rulesBytesMax = rulesBytesMax;
    }

    Optional<Origin> find(String name) {
        return Optional.ofNullable(origins.get(name));
    }

    Origin getOrCreate(String name) {
        var origin = origins.computeIfAbsent(name, _ -> new Origin());
        evict(origin);
        return origin;
    }

    int size() {
        return origins.size();
    }

    /** Whoever had the same file before has the same rules. */
    RobotsRules deduplicate(byte[] text, RobotsRules rules) {
        if (rules == RobotsRules.ALLOW_ALL || text.length > SHARED_TEXT_MAX) {
            return rules;
        }
        var hash = Arrays.hashCode(text);
        var known = sharedRules.get(hash);
        if (known != null && Arrays.equals(known.text, text)) {
            return known.rules;
        }
        sharedRules.put(hash, new SharedRules(text, rules));
        return rules;
    }

    /** Takes the size of an origin's rules into account. */
    void updateWeight(Origin origin) {
        var rules = origin.rules;
        var now = rules == null ? 0 : rules.memoryBytes();
        weight += now - origin.weight;
        origin.weight = now;
        evict(origin);
    }

    private void evict(Origin kept) {
        var oldest = origins.values().iterator();
        while ((origins.size() > originsMax || weight > rulesBytesMax) && oldest.hasNext()) {
            var origin = oldest.next();
            if (!origin.fetching && origin != kept) {
                weight -= origin.weight;
                oldest.remove();
            }
        }
    }
}
