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
 * Claims hosts for this worker. The fleet's {@link Agenda} tells which shards have a due host; only
 * these are called, the longest overdue first. It is read less often while it has nothing for this
 * worker. Every shard is called at least once in a while, in case an entry was lost.
 */
final class HostClaimer {

    /** How soon the agenda is read again after hosts were found. */
    private static final long READ_MILLIS_MIN = 200;

    /** How soon it is read again by a worker with few or no hosts. */
    private static final long READ_MILLIS_IDLE = 900;

    /** How soon it is read again by a worker that has its share of hosts. */
    private static final long READ_MILLIS_BUSY = 4_000;

    /** From this time after a host is due, workers claim it beyond their share. */
    private static final long OVERDUE_MILLIS = 2_000;

    /** How often each shard is called even if the agenda has no entry of it. */
    private static final long SWEEP_MILLIS = 1_200_000;

    /** How many shards are called together for that purpose. */
    private static final int SWEEP_AT_ONCE = 8;

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

    final FairShare fairShare = new FairShare();

    /** Whether hosts without URLs wait until one of them is due. */
    boolean groupsRefills;

    private boolean agendaLost;
    private long readAt = Long.MIN_VALUE;
    private long readMillis = READ_MILLIS_MIN;
    private long sweptAt;

    HostClaimer(
            Shards shards,
            ClaimedHosts claimedHosts,
            FleetSettings settings,
            SpillLoader spillLoader,
            long now) {
        this.sweptAt = now;
        shards.all().forEach(shard -> shard.polledAt = now);
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
        // Those that are not due can wait until one is, unless the settings of another job with
        // URLs there count.
        if (!groupsRefills || wanting.stream().anyMatch(mine -> isDue(mine, latest))) {
            claimMore(wanting, now, latest);
            loadSpilled(wanting, now, latest);
        }
    }

    private boolean isDue(ClaimedHost mine, long latest) {
        var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
        return Math.max(claimState.delayedUntil(), claimState.host().restUntil()) <= latest;
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

    /** Makes the next call enter all shards into the agenda: a server may have lost some. */
    void onServerRestart() {
        agendaLost = true;
    }

    /** Returns when the agenda should be read, or a known shard be called, at the latest. */
    long nextCall() {
        var due =
                shards.all().stream()
                        .mapToLong(Shards.Shard::nextDue)
                        .min()
                        .orElse(Long.MAX_VALUE - OVERDUE_MILLIS);
        var wait = fairShare.allowance(claimedHosts.all().size(), 1) > 0 ? 0 : OVERDUE_MILLIS;
        return Math.min(Math.min(due, Long.MAX_VALUE - wait) + wait, readAt);
    }

    /**
     * Claims up to {@code want} hosts, for some jobs or for all.
     *
     * @return the number of claimed hosts
     */
    int claim(int want, Optional<Set<Integer>> jobs, long now) {
        var exhausted = new BitSet();
        var left = want - claimReady(want, jobs, exhausted, now);
        if (left > 0 && (now >= readAt || agendaLost)) {
            readAgenda(now);
            var before = left;
            for (var tried = -1; left > 0 && tried < exhausted.cardinality(); ) {
                tried = exhausted.cardinality();
                left -= claimReady(left, jobs, exhausted, now);
            }
            var hosts = claimedHosts.all().size();
            var max = hosts == 0 || fairShare.isBelow(hosts) ? READ_MILLIS_IDLE : READ_MILLIS_BUSY;
            readMillis = left < before ? READ_MILLIS_MIN : Math.min(2 * readMillis, max);
            readAt = now + readMillis;
        }
        return want - left;
    }

    /** Reads which shards have a due host, or soon will. */
    private void readAgenda(long now) {
        try {
            if (agendaLost) {
                shards.agenda.enterAll(now);
                agendaLost = false;
            }
            var due = shards.agenda.read(now + READ_MILLIS_IDLE, now);
            for (var shard : shards.all()) {
                var entry = due.get(shard.number);
                if (entry != null) {
                    shard.nextDue = Math.min(entry, Math.max(shard.nextDue, now));
                } else if (shard.nextDue <= now) {
                    shard.nextDue = Long.MAX_VALUE; // Another worker has claimed its hosts.
                }
            }
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
        sweep(now);
    }

    /** Marks some shards as due that were not called for long. */
    private void sweep(long now) {
        if (now - sweptAt >= SWEEP_MILLIS * SWEEP_AT_ONCE / shards.all().size()) {
            sweptAt = now;
            shards.all().stream()
                    .filter(shard -> now - shard.polledAt >= SWEEP_MILLIS)
                    .sorted(Comparator.comparingLong(shard -> shard.polledAt))
                    .limit(SWEEP_AT_ONCE)
                    .forEach(shard -> shard.markReady(now));
        }
    }

    /**
     * @param exhausted shards that had nothing more for these jobs, although they may for others
     */
    private int claimReady(int want, Optional<Set<Integer>> jobs, BitSet exhausted, long now) {
        var due =
                shards.all().stream()
                        .filter(shard -> shard.nextDue <= now && !exhausted.get(shard.number))
                        .sorted(Comparator.comparingLong(Shards.Shard::nextDue))
                        .toList();
        var overdue =
                (int) due.stream().filter(shard -> shard.nextDue <= now - OVERDUE_MILLIS).count();
        var allowed =
                Math.max(
                        fairShare.allowance(claimedHosts.all().size(), due.size()),
                        overdue == 0 ? 0 : fairShare.allowanceOfOverdue(overdue));
        var most = Math.min(want, allowed);
        var ready = due.subList(0, Math.min(most, due.size()));
        var requests = new ArrayList<ClaimRequest>();
        for (var i = 0; i < ready.size(); i++) {
            var share = most / ready.size() + (i < most % ready.size() ? 1 : 0);
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
            shards.agenda.looked(shard.number, shard.nextDue);
            if (!replies.get(i).hosts().isEmpty()) {
                shards.agenda.changed(shard.number);
            }
            for (var host : replies.get(i).hosts()) {
                claimed.add(claimedHosts.addClaimed(host, now));
            }
            counts.add(replies.get(i).hosts().size());
        }
        loadSpilled(claimed, Instant.ofEpochMilli(now), now);
        return counts;
    }
}
