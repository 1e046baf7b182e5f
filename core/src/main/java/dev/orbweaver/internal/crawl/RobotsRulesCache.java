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
 * Recently used origins with their rules, bounded by number and by total size of the rules. The
 * least recently used are evicted first, except those being fetched. Many hosts have the same file
 * or none, so equal files share one instance of rules. Guarded by the owner's lock.
 */
final class RobotsRulesCache {

    private static final int ORIGINS_MAX = 50_000;
    private static final long RULES_BYTES_MAX = 32 << 20;
    private static final int SHARED_MAX = 1024;
    private static final int SHARED_TEXT_MAX = 4096;

    /** The state of one origin. */
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

        /** The file, until it is stored. */
        private byte @Nullable [] text;

        private boolean unsaved;

        /**
         * Whether the rules were fetched by another crawl, and this one has not begun with them.
         */
        boolean adopted;

        /** Returns the rules while they may be applied. */
        Optional<RobotsRules> validRules(Instant now) {
            return now.isBefore(fetchedAt.plus(RobotsEntry.STALE_MAX))
                    ? Optional.ofNullable(rules)
                    : Optional.empty();
        }

        void setRules(RobotsRules newRules, RobotsCache.RobotsResponse robotsResponse) {
            rules = newRules;
            delay = newRules.crawlDelay().orElse(Duration.ZERO);
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
            adopted = false;
        }

        /** Returns whether a new fetch is due and none is in progress. */
        boolean isStale(Instant now) {
            return !fetching && !now.isBefore(nextAttempt);
        }

        /** Restores the state from a stored entry. */
        void restore(RobotsEntry entry, RobotsRules storedRules, Instant now) {
            attemptedAt = entry.attemptedAt();
            nextAttempt = entry.nextAttempt();
            failures = entry.failures();
            statusText = entry.statusText();
            delay = entry.delay();
            if (entry.hasRules(now)) {
                rules = storedRules;
                fetchedAt = entry.fetchedAt();
            }
        }

        /** Takes over an entry that another crawl has fetched; it is stored like a fetched one. */
        void adopt(RobotsEntry entry, RobotsRules storedRules, Instant now) {
            restore(entry, storedRules, now);
            text = entry.text();
            unsaved = true;
            adopted = true;
        }

        /** Returns the entry to store if it has not been stored yet, and marks it as stored. */
        Optional<Unsaved> takeUnsaved(String name) {
            if (!unsaved) {
                return Optional.empty();
            }
            var known = text;
            unsaved = false;
            text = null;
            var entry =
                    new RobotsEntry(
                            name,
                            rules == null ? Instant.EPOCH : fetchedAt,
                            attemptedAt,
                            nextAttempt,
                            failures,
                            delay,
                            statusText,
                            known == null ? new byte[0] : known);
            return Optional.of(new Unsaved(entry, known != null || rules == null));
        }
    }

    /**
     * An entry that is not in the store yet.
     *
     * @param complete false if the rules are those that the store already has
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

    /** Returns the shared instance of the rules for equal texts. */
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

    /** Updates the total size after an origin's rules have changed. */
    void updateWeight(Origin origin) {
        var rules = origin.rules;
        var now = rules == null ? 0 : rules.memoryBytes();
        weight += now - origin.weight;
        origin.weight = now;
        evict(origin);
    }

    private void evict(Origin inUse) {
        var oldest = origins.values().iterator();
        while ((origins.size() > originsMax || weight > rulesBytesMax) && oldest.hasNext()) {
            var origin = oldest.next();
            if (!origin.fetching && origin != inUse) {
                weight -= origin.weight;
                oldest.remove();
            }
        }
    }
}
