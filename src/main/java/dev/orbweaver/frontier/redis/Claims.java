package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.Politeness;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How this worker comes by hosts. Every answer of a shard tells when its next host is due, so that
 * only those are asked that have one, the one that waits longest first; those thought to have
 * nothing are asked now and then, as other workers may have brought them something.
 */
final class Claims {

    /** How soon a shard is asked again that had nothing to give. */
    private static final long QUIET_MILLIS = 200;

    /** How soon a file is tried again that could not be read. */
    private static final long COLD_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Claims.class);

    private final Shards shards;
    private final Holdings holdings;
    private final FleetSettings settings;
    private final Loads loads;
    private final Map<Integer, Integer> weights = new HashMap<>();

    /** The longest delay of any host, for one whose holder dies before it has said its own. */
    private long longestDelay;

    Claims(Shards shards, Holdings holdings, FleetSettings settings, Loads loads) {
        this.loads = loads;
        this.shards = shards;
        this.holdings = holdings;
        this.settings = settings;
    }

    void weigh(int job, int weight) {
        weights.put(job, weight);
    }

    void keepTo(Politeness politeness) {
        longestDelay =
                politeness.exceptions().stream()
                        .flatMap(exception -> exception.delay().stream())
                        .map(Duration::toMillis)
                        .reduce(
                                Math.max(longestDelay, politeness.hostDelay().toMillis()),
                                Math::max);
    }

    /** Fetches more of hosts that are held and of which some job has nothing here any more. */
    void refill(Instant now, long latest) {
        var some = holdings.all().stream().filter(mine -> !mine.more.isEmpty()).toList();
        var wanting = new ArrayList<Held>();
        for (var mine : some) {
            var standing = holdings.local.standing(mine.host).orElseThrow();
            if (mine.coldUntil <= latest
                    && mine.more.stream().anyMatch(job -> !standing.waiting().containsKey(job))) {
                wanting.add(mine);
            }
        }
        more(wanting, now, latest);
        warm(wanting, now, latest);
    }

    /** Claims more URLs of hosts that are held. */
    private void more(List<Held> some, Instant now, long latest) {
        var asked = new ArrayList<Shards.Errand>();
        for (var mine : some) {
            asked.add(
                    errand(
                            shards.of(mine.host),
                            1,
                            mine.host,
                            mine.token,
                            false,
                            Optional.empty()));
        }
        var answers = asked.isEmpty() ? List.of() : shards.ask(asked, latest);
        for (var i = 0; i < answers.size(); i++) {
            var answer = host(answers.get(i));
            if (string(answer.get(1)).isEmpty()) {
                holdings.drop(some.get(i), now);
            } else {
                var _ = holdings.borrow(answer, latest);
            }
        }
    }

    /** Brings back what hosts need next that lies in files, and claims it. */
    private void warm(List<Held> some, Instant now, long latest) {
        var errands = new ArrayList<Shards.Errand>();
        var warmed = new ArrayList<Held>();
        for (var mine : some) {
            if (mine.cold.isEmpty()) {
                continue;
            }
            try {
                for (var wanted : mine.cold) {
                    errands.add(loads.errand(mine.host, wanted, settings.urlsPerHost()));
                }
                warmed.add(mine);
            } catch (IOException e) {
                mine.coldUntil = latest + COLD_MILLIS;
                LOG.warn("URLs of {} cannot be brought back: {}", mine.host, e.getMessage());
            }
            mine.cold.clear();
        }
        if (!errands.isEmpty()) {
            loads.run(errands, latest);
            more(warmed, now, latest);
        }
    }

    /**
     * Claims one host, or more URLs of it.
     *
     * @param token nothing, or that under which it is held
     * @param force whether it may still have to wait; then none of its URLs come with it
     */
    List<?> byName(String host, byte[] token, boolean force, long now) {
        var errand = errand(shards.of(host), 1, host, token, force, Optional.empty());
        return host(shards.ask(List.of(errand), now).getFirst());
    }

    /** The one host of an answer. */
    private static List<?> host(Object answer) {
        return list(list(list(answer).get(1)).getFirst());
    }

    private Shards.Errand errand(
            int shard,
            int want,
            String host,
            byte[] token,
            boolean force,
            Optional<Set<Integer>> jobs) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(settings.hostLease().toMillis()));
        args.add(bytes(want));
        args.add(bytes(settings.urlsPerHost()));
        args.add(bytes(host));
        args.add(token);
        args.add(bytes(force ? "1" : ""));
        args.add(bytes(longestDelay));
        args.add(bytes(jobs.map(Claims::joined).orElse("")));
        weights.forEach(
                (job, weight) -> {
                    args.add(bytes(job));
                    args.add(bytes(weight));
                });
        return new Shards.Errand(shard, Script.CLAIM, args, _ -> {});
    }

    private static String joined(Set<Integer> jobs) {
        return jobs.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Claims up to so many hosts, for some jobs or for all, and says how many it got. */
    int claim(int want, Optional<Set<Integer>> jobs, long now) {
        var dry = new BitSet();
        var left = want - claimKnown(want, jobs, dry, now);
        if (left > 0) {
            peek(now);
            for (var tried = -1; left > 0 && tried < dry.cardinality(); ) {
                tried = dry.cardinality();
                left -= claimKnown(left, jobs, dry, now);
            }
        }
        return want - left;
    }

    /** Asks shards that are thought to have nothing when their next turn is. */
    private void peek(long now) {
        var asked = new ArrayList<Shards.Errand>();
        for (var shard : shards.all()) {
            if (shard.nextTurn > now && now - shard.askedAt >= QUIET_MILLIS) {
                asked.add(errand(shard.number, 0, "", bytes(""), false, Optional.empty()));
            }
        }
        var _ = claimFrom(asked, now);
    }

    /**
     * Claims from those that have something.
     *
     * @param dry shards that had nothing more for these jobs, though they may have for others
     */
    private int claimKnown(int want, Optional<Set<Integer>> jobs, BitSet dry, long now) {
        var ready =
                shards.all().stream()
                        .filter(shard -> shard.nextTurn <= now && !dry.get(shard.number))
                        .sorted(Comparator.comparingLong(shard -> shard.nextTurn))
                        .limit(want)
                        .toList();
        var asked = new ArrayList<Shards.Errand>();
        for (var i = 0; i < ready.size(); i++) {
            var share = want / ready.size() + (i < want % ready.size() ? 1 : 0);
            asked.add(errand(ready.get(i).number, share, "", bytes(""), false, jobs));
        }
        var counts = claimFrom(asked, now);
        var sum = 0;
        for (var i = 0; i < counts.size(); i++) {
            sum += counts.get(i);
            var share = want / ready.size() + (i < want % ready.size() ? 1 : 0);
            dry.set(ready.get(i).number, counts.get(i) < share);
        }
        return sum;
    }

    private List<Integer> claimFrom(List<Shards.Errand> asked, long now) {
        var counts = new ArrayList<Integer>();
        var claimed = new ArrayList<Held>();
        var answers = asked.isEmpty() ? List.of() : shards.ask(asked, now);
        for (var i = 0; i < answers.size(); i++) {
            var answer = list(answers.get(i));
            var shard = shards.get(asked.get(i).shard());
            var next = string(answer.get(0));
            shard.nextTurn = next.isEmpty() ? Long.MAX_VALUE : Long.parseLong(next);
            shard.askedAt = now;
            var hosts = list(answer.get(1));
            for (var host : hosts) {
                claimed.add(holdings.borrow(list(host), now));
            }
            counts.add(hosts.size());
        }
        warm(claimed, Instant.ofEpochMilli(now), now);
        return counts;
    }
}
