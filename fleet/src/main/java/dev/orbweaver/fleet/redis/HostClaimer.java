package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.list;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.Politeness;

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
final class HostClaimer {

    /** How soon a shard is asked again that had nothing to give. */
    private static final long POLL_MILLIS = 200;

    /** How soon a file is tried again that could not be read. */
    private static final long SPILLED_RETRY_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(HostClaimer.class);

    private final Shards shards;
    private final ClaimedHosts claimedHosts;
    private final FleetSettings settings;
    private final SpillLoader spillLoader;
    private final Map<Integer, Integer> weights = new HashMap<>();

    /** The longest delay of any host, for one whose holder dies before it has said its own. */
    private long longestDelay;

    HostClaimer(
            Shards shards,
            ClaimedHosts claimedHosts,
            FleetSettings settings,
            SpillLoader spillLoader) {
        this.spillLoader = spillLoader;
        this.shards = shards;
        this.claimedHosts = claimedHosts;
        this.settings = settings;
    }

    void setWeight(int job, int weight) {
        weights.put(job, weight);
    }

    void setPoliteness(Politeness politeness) {
        longestDelay =
                politeness.overrides().stream()
                        .flatMap(exception -> exception.delay().stream())
                        .map(Duration::toMillis)
                        .reduce(
                                Math.max(longestDelay, politeness.hostDelay().toMillis()),
                                Math::max);
    }

    /** Fetches more of hosts that are held and of which some job has nothing here any more. */
    void refill(Instant now, long latest) {
        var some =
                claimedHosts.all().stream().filter(mine -> !mine.jobsWithMore.isEmpty()).toList();
        var wanting = new ArrayList<ClaimedHost>();
        for (var mine : some) {
            var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
            if (mine.spilledRetryAt <= latest
                    && mine.jobsWithMore.stream()
                            .anyMatch(job -> !claimState.waiting().containsKey(job))) {
                wanting.add(mine);
            }
        }
        claimMore(wanting, now, latest);
        loadSpilled(wanting, now, latest);
    }

    /** Claims more URLs of hosts that are held. */
    private void claimMore(List<ClaimedHost> some, Instant now, long latest) {
        var asked = new ArrayList<Shards.ShardCall>();
        for (var mine : some) {
            asked.add(
                    claimCall(
                            shards.shardOf(mine.host),
                            1,
                            mine.host,
                            mine.token,
                            false,
                            Optional.empty()));
        }
        var answers = asked.isEmpty() ? List.of() : shards.query(asked, latest);
        for (var i = 0; i < answers.size(); i++) {
            var answer = onlyHost(answers.get(i));
            if (string(answer.get(1)).isEmpty()) {
                claimedHosts.drop(some.get(i), now);
            } else {
                var _ = claimedHosts.addClaimed(answer, latest);
            }
        }
    }

    /** Brings back what hosts need next that lies in files, and claims it. */
    private void loadSpilled(List<ClaimedHost> some, Instant now, long latest) {
        var shardCalls = new ArrayList<Shards.ShardCall>();
        var warmed = new ArrayList<ClaimedHost>();
        for (var mine : some) {
            if (mine.spilled.isEmpty()) {
                continue;
            }
            try {
                for (var loadRequest : mine.spilled) {
                    shardCalls.add(
                            spillLoader.loadCall(mine.host, loadRequest, settings.urlsPerHost()));
                }
                warmed.add(mine);
            } catch (IOException e) {
                mine.spilledRetryAt = latest + SPILLED_RETRY_MILLIS;
                LOG.warn("URLs of {} cannot be brought back: {}", mine.host, e.getMessage());
            }
            mine.spilled.clear();
        }
        if (!shardCalls.isEmpty()) {
            spillLoader.run(shardCalls, latest);
            claimMore(warmed, now, latest);
        }
    }

    /**
     * Claims one host, or more URLs of it.
     *
     * @param token nothing, or that under which it is held
     * @param force whether it may still have to wait; then none of its URLs come with it
     */
    List<?> claimHost(String host, byte[] token, boolean force, long now) {
        var shardCall = claimCall(shards.shardOf(host), 1, host, token, force, Optional.empty());
        return onlyHost(shards.query(List.of(shardCall), now).getFirst());
    }

    /** The one host of an answer. */
    private static List<?> onlyHost(Object answer) {
        return list(list(list(answer).get(1)).getFirst());
    }

    private Shards.ShardCall claimCall(
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
        args.add(bytes(jobs.map(HostClaimer::joined).orElse("")));
        weights.forEach(
                (job, weight) -> {
                    args.add(bytes(job));
                    args.add(bytes(weight));
                });
        return new Shards.ShardCall(shard, Script.CLAIM, args, _ -> {});
    }

    private static String joined(Set<Integer> jobs) {
        return jobs.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Claims up to so many hosts, for some jobs or for all, and says how many it got. */
    int claim(int want, Optional<Set<Integer>> jobs, long now) {
        var dry = new BitSet();
        var left = want - claimReady(want, jobs, dry, now);
        if (left > 0) {
            pollShards(now);
            for (var tried = -1; left > 0 && tried < dry.cardinality(); ) {
                tried = dry.cardinality();
                left -= claimReady(left, jobs, dry, now);
            }
        }
        return want - left;
    }

    /** Asks shards that are thought to have nothing when their next turn is. */
    private void pollShards(long now) {
        var asked = new ArrayList<Shards.ShardCall>();
        for (var shard : shards.all()) {
            if (shard.nextDue > now && now - shard.polledAt >= POLL_MILLIS) {
                asked.add(claimCall(shard.number, 0, "", bytes(""), false, Optional.empty()));
            }
        }
        var _ = claimFrom(asked, now);
    }

    /**
     * Claims from those that have something.
     *
     * @param dry shards that had nothing more for these jobs, though they may have for others
     */
    private int claimReady(int want, Optional<Set<Integer>> jobs, BitSet dry, long now) {
        var ready =
                shards.all().stream()
                        .filter(shard -> shard.nextDue <= now && !dry.get(shard.number))
                        .sorted(Comparator.comparingLong(shard -> shard.nextDue))
                        .limit(want)
                        .toList();
        var asked = new ArrayList<Shards.ShardCall>();
        for (var i = 0; i < ready.size(); i++) {
            var share = want / ready.size() + (i < want % ready.size() ? 1 : 0);
            asked.add(claimCall(ready.get(i).number, share, "", bytes(""), false, jobs));
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

    private List<Integer> claimFrom(List<Shards.ShardCall> asked, long now) {
        var counts = new ArrayList<Integer>();
        var claimed = new ArrayList<ClaimedHost>();
        var answers = asked.isEmpty() ? List.of() : shards.query(asked, now);
        for (var i = 0; i < answers.size(); i++) {
            var answer = list(answers.get(i));
            var shard = shards.get(asked.get(i).shard());
            var next = string(answer.get(0));
            shard.nextDue = next.isEmpty() ? Long.MAX_VALUE : Long.parseLong(next);
            shard.polledAt = now;
            var hosts = list(answer.get(1));
            for (var host : hosts) {
                claimed.add(claimedHosts.addClaimed(list(host), now));
            }
            counts.add(hosts.size());
        }
        loadSpilled(claimed, Instant.ofEpochMilli(now), now);
        return counts;
    }
}
