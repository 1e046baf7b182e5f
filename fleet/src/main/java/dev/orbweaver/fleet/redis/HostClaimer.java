package dev.orbweaver.fleet.redis;

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

/**
 * Claims hosts for this worker. Every reply of a shard contains when its next host is due. So only
 * shards with a due host are called, the longest overdue first; the others are polled, because
 * other workers may have added hosts.
 */
final class HostClaimer {

    /** How soon a shard without a due host is polled again. */
    private static final long POLL_MILLIS = 200;

    /** How soon a file that could not be read is retried. */
    private static final long SPILLED_RETRY_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(HostClaimer.class);

    private final Shards shards;
    private final ClaimedHosts claimedHosts;
    private final FleetSettings settings;
    private final SpillLoader spillLoader;
    private final Map<Integer, Integer> weights = new HashMap<>();

    /**
     * The longest delay of any host, used for a host whose worker dies before it has committed its
     * own.
     */
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

    /** Claims more URLs of claimed hosts of which some job has none left here. */
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

    private void claimMore(List<ClaimedHost> some, Instant now, long latest) {
        var requests =
                some.stream().map(mine -> hostRequest(mine.host, mine.token, false)).toList();
        var replies =
                requests.isEmpty() ? List.<ClaimRequest.Reply>of() : shards.query(requests, latest);
        for (var i = 0; i < replies.size(); i++) {
            var host = replies.get(i).host();
            if (host.isEmpty()) {
                claimedHosts.drop(some.get(i), now);
            } else {
                var _ = claimedHosts.addClaimed(host.get(), latest);
            }
        }
    }

    /** Loads the next URLs of hosts from files, and claims them. */
    private void loadSpilled(List<ClaimedHost> some, Instant now, long latest) {
        var loads = new ArrayList<SpillRequest.Load>();
        var warmed = new ArrayList<ClaimedHost>();
        for (var mine : some) {
            if (mine.spilled.isEmpty()) {
                continue;
            }
            try {
                for (var loadRequest : mine.spilled) {
                    loads.add(spillLoader.load(mine.host, loadRequest, settings.urlsPerHost()));
                }
                warmed.add(mine);
            } catch (IOException e) {
                mine.spilledRetryAt = latest + SPILLED_RETRY_MILLIS;
                LOG.warn("could not load spilled URLs of {}: {}", mine.host, e.getMessage());
            }
            mine.spilled.clear();
        }
        if (!loads.isEmpty()) {
            spillLoader.run(loads, latest);
            claimMore(warmed, now, latest);
        }
    }

    /**
     * @param force whether to claim the host even if it has to wait; then it comes without URLs
     */
    ClaimRequest.Reply claimHost(String host, boolean force, long now) {
        return shards.query(hostRequest(host, "", force), now);
    }

    private ClaimRequest hostRequest(String host, String token, boolean force) {
        return request(shards.shardOf(host), 1, host, token, force, Set.of());
    }

    private ClaimRequest nextRequest(int shard, int hosts, Set<Integer> jobs) {
        return request(shard, hosts, "", "", false, jobs);
    }

    private ClaimRequest request(
            int shard, int hosts, String host, String token, boolean force, Set<Integer> jobs) {
        return new ClaimRequest(
                shard,
                settings.hostLease().toMillis(),
                hosts,
                settings.urlsPerHost(),
                host,
                token,
                force,
                longestDelay,
                jobs,
                weights);
    }

    /**
     * Claims up to {@code want} hosts, for some jobs or for all.
     *
     * @return the number of claimed hosts
     */
    int claim(int want, Optional<Set<Integer>> jobs, long now) {
        var exhausted = new BitSet();
        var left = want - claimReady(want, jobs, exhausted, now);
        if (left > 0) {
            pollShards(now);
            for (var tried = -1; left > 0 && tried < exhausted.cardinality(); ) {
                tried = exhausted.cardinality();
                left -= claimReady(left, jobs, exhausted, now);
            }
        }
        return want - left;
    }

    /** Polls shards that seem to have no host for when their next one is due. */
    private void pollShards(long now) {
        var requests =
                shards.all().stream()
                        .filter(shard -> shard.nextDue > now)
                        .filter(shard -> now - shard.polledAt >= POLL_MILLIS)
                        .map(shard -> nextRequest(shard.number, 0, Set.of()))
                        .toList();
        var _ = claimFrom(requests, now);
    }

    /**
     * @param exhausted shards that had nothing more for these jobs, although they may for others
     */
    private int claimReady(int want, Optional<Set<Integer>> jobs, BitSet exhausted, long now) {
        var ready =
                shards.all().stream()
                        .filter(shard -> shard.nextDue <= now && !exhausted.get(shard.number))
                        .sorted(Comparator.comparingLong(shard -> shard.nextDue))
                        .limit(want)
                        .toList();
        var requests = new ArrayList<ClaimRequest>();
        for (var i = 0; i < ready.size(); i++) {
            var share = want / ready.size() + (i < want % ready.size() ? 1 : 0);
            requests.add(nextRequest(ready.get(i).number, share, jobs.orElse(Set.of())));
        }
        var counts = claimFrom(requests, now);
        var sum = 0;
        for (var i = 0; i < counts.size(); i++) {
            sum += counts.get(i);
            exhausted.set(ready.get(i).number, counts.get(i) < requests.get(i).hosts());
        }
        return sum;
    }

    private List<Integer> claimFrom(List<ClaimRequest> requests, long now) {
        var counts = new ArrayList<Integer>();
        var claimed = new ArrayList<ClaimedHost>();
        var replies =
                requests.isEmpty() ? List.<ClaimRequest.Reply>of() : shards.query(requests, now);
        for (var i = 0; i < replies.size(); i++) {
            var shard = shards.get(requests.get(i).shard());
            shard.nextDue = replies.get(i).nextDue();
            shard.polledAt = now;
            for (var host : replies.get(i).hosts()) {
                claimed.add(claimedHosts.addClaimed(host, now));
            }
            counts.add(replies.get(i).hosts().size());
        }
        loadSpilled(claimed, Instant.ofEpochMilli(now), now);
        return counts;
    }
}
