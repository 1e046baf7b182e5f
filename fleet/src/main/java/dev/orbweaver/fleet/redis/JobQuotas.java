package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.fleet.redis.ScriptConstants.ReserveResult;
import dev.orbweaver.fleet.redis.ScriptConstants.SeenResult;
import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Enforces a job's limits on hosts, on URLs per registrable domain and on matching URLs, which no
 * single shard can see.
 *
 * <p>They are counted in one key of the job and reserved before the URL is offered. A worker that
 * dies in between leaves an unused reservation, so a limit may be enforced a little too strictly,
 * never too loosely.
 *
 * <p>Links wait here until they are reserved, and nothing is sent to the fleet before that: a page
 * must not be settled while its links are known only to a worker that may die.
 */
final class JobQuotas {

    static final String HOSTS = "hosts";

    static final String DOMAIN = "d.";

    static final String MATCHING = "m.";

    /** Maximum links per script call. */
    private static final int AT_ONCE = 500;

    private static final class PendingLinks {
        private final int job;
        private final List<PendingLink> pendingLinks = new ArrayList<>();

        /** Identifies a call that is repeated. */
        private final String callId = UUID.randomUUID().toString();

        /** The results of the first lookup, so that a repeated call is the same. */
        private Optional<SeenResult[]> states = Optional.empty();

        private PendingLinks(int job) {
            this.job = job;
        }

        private boolean isFull() {
            return pendingLinks.size() >= AT_ONCE || states.isPresent();
        }
    }

    private record PendingLink(Candidate candidate, long parent) {}

    private final RedisConnection connection;
    private final Shards shards;
    private final FleetSettings settings;
    private final Offers offers;
    private final Deque<PendingLinks> pending = new ArrayDeque<>();

    JobQuotas(RedisConnection link, Shards shards, FleetSettings settings, Offers offers) {
        this.connection = link;
        this.shards = shards;
        this.settings = settings;
        this.offers = offers;
    }

    static boolean isLimited(IntakeLimits limits) {
        return limits.hosts() < Integer.MAX_VALUE
                || limits.urlsPerDomain() < Long.MAX_VALUE
                || !limits.matching().isEmpty();
    }

    /** Counts the URLs that a job already has, unless another worker has done so. */
    void initialise(int job) throws IOException {
        var key = key(job);
        if (connection.execute(redis -> redis.hexists(key, bytes(HOSTS)))) {
            return;
        }
        var counts = new HashMap<String, Long>();
        counts.put(HOSTS, 0L);
        for (var shard : shards.all()) {
            var accepted = acceptedKey(shard, job);
            for (var each : connection.execute(redis -> redis.hgetall(accepted)).entrySet()) {
                counts.merge(HOSTS, 1L, Long::sum);
                counts.merge(
                        DOMAIN + RegistrableDomain.of(string(each.getKey())),
                        Long.parseLong(string(each.getValue())),
                        Long::sum);
            }
        }
        // The hosts are stored last, because their presence marks the initialisation as complete;
        // the first worker's counts are kept.
        var hosts = counts.remove(HOSTS);
        for (var each : counts.entrySet()) {
            var count = bytes(each.getValue());
            var _ = connection.execute(redis -> redis.hsetnx(key, bytes(each.getKey()), count));
        }
        var _ = connection.execute(redis -> redis.hsetnx(key, bytes(HOSTS), bytes(hosts)));
    }

    static byte[] acceptedKey(Shards.Shard shard, int job) {
        return ShardKey.ACCEPTED.of(shard, job);
    }

    byte[] key(int job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job + "}:places");
    }

    void enqueue(int job, List<Candidate> candidates, long parent) {
        for (var candidate : candidates) {
            var last = pending.peekLast();
            if (last == null || last.job != job || last.isFull()) {
                last = new PendingLinks(job);
                pending.addLast(last);
            }
            last.pendingLinks.add(new PendingLink(candidate, parent));
        }
    }

    void removeJob(int job) {
        pending.removeIf(each -> each.job == job);
    }

    /** Reserves all pending links, and offers them before anything else. */
    void reserve(long now) {
        if (pending.isEmpty()) {
            return;
        }
        try {
            while (!pending.isEmpty()) {
                reserve(pending.getFirst(), now);
                pending.removeFirst();
            }
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        } finally {
            shards.queueFirst(offers.takeCalls());
        }
    }

    private void reserve(PendingLinks some, long now) throws IOException {
        if (some.states.isEmpty()) {
            some.states = Optional.of(checkSeen(some, now));
        }
        var states = some.states.get();
        var limits = offers.limits(some.job);
        var urls = new ArrayList<KeyRequest.Reservation>();
        for (var i = 0; i < states.length; i++) {
            var url = some.pendingLinks.get(i).candidate.url();
            if (needsReservation(states[i])) {
                urls.add(
                        new KeyRequest.Reservation(
                                states[i] == SeenResult.FIRST_OF_HOST ? url.host() : "",
                                RegistrableDomain.of(url.host()),
                                limits.matching(url)));
            }
        }
        var results =
                connection
                        .call(
                                new KeyRequest.Reserve(
                                        string(key(some.job)),
                                        settings.worker(),
                                        some.callId,
                                        limits.hosts(),
                                        limits.urlsPerDomain(),
                                        urls))
                        .iterator();
        for (var i = 0; i < states.length; i++) {
            var found = some.pendingLinks.get(i);
            switch (needsReservation(states[i]) ? results.next() : ReserveResult.RESERVED) {
                case RESERVED -> offers.add(some.job, List.of(found.candidate), found.parent, now);
                case HOSTS_LIMIT ->
                        offers.count(some.job, CounterGroup.refused(Refusal.HOSTS_LIMIT), 1);
                case DOMAIN_LIMIT ->
                        offers.count(some.job, CounterGroup.refused(Refusal.DOMAIN_LIMIT), 1);
                case MATCH_LIMIT ->
                        offers.count(some.job, CounterGroup.refused(Refusal.MATCH_LIMIT), 1);
            }
        }
    }

    /** Returns whether the shard may accept a URL; a host over its limit never gets under it. */
    private static boolean needsReservation(SeenResult state) {
        return state != SeenResult.KNOWN && state != SeenResult.HOST_LIMIT;
    }

    private SeenResult[] checkSeen(PendingLinks some, long now) {
        var states = new SeenResult[some.pendingLinks.size()];
        var byShard = new LinkedHashMap<Integer, List<Integer>>();
        var met = new HashSet<UrlId>();
        for (var i = 0; i < states.length; i++) {
            var url = some.pendingLinks.get(i).candidate.url();
            // A duplicate needs no reservation, and is counted as one; nor does an excluded URL.
            states[i] = SeenResult.KNOWN;
            if (met.add(new UrlId(some.job, url.key()))
                    && !offers.isExcluded(some.job, url.host())) {
                byShard.computeIfAbsent(shards.shardOf(url.host()), _ -> new ArrayList<>()).add(i);
            }
        }
        var requests = new ArrayList<ShardRequest.CheckSeen>();
        byShard.forEach(
                (shard, places) ->
                        requests.add(
                                new ShardRequest.CheckSeen(
                                        shard,
                                        some.job,
                                        offers.hostLimit(some.job),
                                        places.stream()
                                                .map(i -> some.pendingLinks.get(i).candidate.url())
                                                .toList())));
        var replies = shards.query(requests, now).iterator();
        for (var places : byShard.values()) {
            var results = replies.next();
            for (var i = 0; i < places.size(); i++) {
                states[places.get(i)] = results.get(i);
            }
        }
        return states;
    }
}
