package dev.orbweaver.crawl;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.robots.RobotsRules;

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
final class KnownOrigins {

    private static final int ORIGINS_MAX = 50_000;
    private static final long RULES_BYTES_MAX = 32 << 20;
    private static final int SHARED_MAX = 1024;
    private static final int SHARED_TEXT_MAX = 4096;

    /** One of them. */
    static final class Origin {
        boolean asking;
        Instant askedAt = Instant.EPOCH;
        Instant nextAsk = Instant.EPOCH;
        Duration delay = Duration.ZERO;
        @Nullable CrawlUrl redirectedTo;
        int hops;
        private @Nullable RobotsRules rules;
        private Instant fetchedAt = Instant.EPOCH;
        private int failures;
        private long weight;
        private String said = "";

        /** The file, until the store has it. */
        private byte @Nullable [] text;

        private boolean unsaved;

        /** The rules, as long as they may be gone by. */
        Optional<RobotsRules> rulesAt(Instant now) {
            return now.isBefore(fetchedAt.plus(RobotsAnswer.STALE_MAX))
                    ? Optional.ofNullable(rules)
                    : Optional.empty();
        }

        void learn(RobotsRules learnt, RobotsBook.Reply reply) {
            rules = learnt;
            delay = learnt.crawlDelay().orElse(Duration.ZERO);
            fetchedAt = reply.at();
            nextAsk = reply.at().plus(RobotsAnswer.FRESH);
            failures = 0;
            ended(reply);
            text = reply.text();
        }

        void fail(RobotsBook.Reply reply) {
            failures++;
            var retry = RobotsAnswer.retryAfter(failures);
            nextAsk = reply.at().plus(reply.quiet().compareTo(retry) > 0 ? reply.quiet() : retry);
            ended(reply);
        }

        private void ended(RobotsBook.Reply reply) {
            askedAt = reply.at();
            said = reply.said();
            redirectedTo = null;
            hops = 0;
            unsaved = true;
        }

        /** Whether it is time to ask again, and nobody does. */
        boolean isOut(Instant now) {
            return !asking && !now.isBefore(nextAsk);
        }

        /** Takes over what was kept. */
        void recall(RobotsAnswer answer, RobotsRules kept, Instant now) {
            askedAt = answer.askedAt();
            nextAsk = answer.nextAsk();
            failures = answer.failures();
            said = answer.said();
            delay = answer.delay();
            if (answer.hasRules(now)) {
                rules = kept;
                fetchedAt = answer.fetchedAt();
            }
        }

        /** What is to be kept, if it is not yet. */
        Optional<Unsaved> unsaved(String name) {
            if (!unsaved) {
                return Optional.empty();
            }
            var known = text;
            unsaved = false;
            text = null;
            var answer =
                    new RobotsAnswer(
                            name,
                            rules == null ? Instant.EPOCH : fetchedAt,
                            askedAt,
                            nextAsk,
                            failures,
                            delay,
                            said,
                            known == null ? new byte[0] : known);
            return Optional.of(new Unsaved(answer, known != null || rules == null));
        }
    }

    /**
     * What the store does not have yet.
     *
     * @param whole false when the rules are those that the store has already
     */
    record Unsaved(RobotsAnswer answer, boolean whole) {}

    private final int originsMax;
    private final long rulesBytesMax;
    private final Map<String, Origin> origins = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<Integer, Shared> shared =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, Shared> eldest) {
                    return size() > SHARED_MAX;
                }
            };
    private long weight;

    @SuppressWarnings("ArrayRecordComponent") // Never compared by value.
    private record Shared(byte[] text, RobotsRules rules) {}

    KnownOrigins() {
        this(ORIGINS_MAX, RULES_BYTES_MAX);
    }

    KnownOrigins(int originsMax, long rulesBytesMax) {
        this.originsMax = originsMax;
        this.rulesBytesMax = rulesBytesMax;
    }

    Optional<Origin> find(String name) {
        return Optional.ofNullable(origins.get(name));
    }

    Origin obtain(String name) {
        var origin = origins.computeIfAbsent(name, _ -> new Origin());
        shrink(origin);
        return origin;
    }

    int size() {
        return origins.size();
    }

    /** Whoever had the same file before has the same rules. */
    RobotsRules shared(byte[] text, RobotsRules rules) {
        if (rules == RobotsRules.ALLOW_ALL || text.length > SHARED_TEXT_MAX) {
            return rules;
        }
        var hash = Arrays.hashCode(text);
        var known = shared.get(hash);
        if (known != null && Arrays.equals(known.text, text)) {
            return known.rules;
        }
        shared.put(hash, new Shared(text, rules));
        return rules;
    }

    /** Takes the size of an origin's rules into account. */
    void weigh(Origin origin) {
        var rules = origin.rules;
        var now = rules == null ? 0 : rules.weight();
        weight += now - origin.weight;
        origin.weight = now;
        shrink(origin);
    }

    private void shrink(Origin kept) {
        var oldest = origins.values().iterator();
        while ((origins.size() > originsMax || weight > rulesBytesMax) && oldest.hasNext()) {
            var origin = oldest.next();
            if (!origin.asking && origin != kept) {
                weight -= origin.weight;
                oldest.remove();
            }
        }
    }
}
