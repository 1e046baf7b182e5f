package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.FrontierBlockedException;
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
 * The limits on a job's hosts and on its URLs of a registrable domain, which no single shard can
 * see. The places are counted in one key of the job and taken before the URL is offered. A worker
 * that dies in between leaves a place taken for nothing, so a limit may be kept a little too
 * strictly, never too loosely.
 *
 * <p>Links wait here until their places are taken, and nothing is told to the fleet before that: a
 * page must not be settled while its links are known to nobody but a worker that may die.
 */
final class JobQuotas {

    private static final String HOSTS = "hosts";

    /** As many links as are asked for at once. */
    private static final int AT_ONCE = 500;

    /** Links of a job that wait for their places. */
    private static final class PendingLinks {
        private final int job;
        private final List<PendingLink> pendingLinks = new ArrayList<>();

        /** By which a call that is repeated is known for the same. */
        private final String callId = UUID.randomUUID().toString();

        /** What was seen at the first look, so that a call that is repeated is the same. */
        private Optional<char[]> states = Optional.empty();

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
        return limits.hosts() < Integer.MAX_VALUE || limits.urlsPerDomain() < Long.MAX_VALUE;
    }

    /** Counts what a job has already, unless somebody has done so before. */
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
                        "d." + RegistrableDomain.of(string(each.getKey())),
                        Long.parseLong(string(each.getValue())),
                        Long::sum);
            }
        }
        // The hosts come last, by which others see that it was done; whoever came first has
        // counted.
        var hosts = counts.remove(HOSTS);
        for (var each : counts.entrySet()) {
            var count = bytes(each.getValue());
            var _ = connection.execute(redis -> redis.hsetnx(key, bytes(each.getKey()), count));
        }
        var _ = connection.execute(redis -> redis.hsetnx(key, bytes(HOSTS), bytes(hosts)));
    }

    static byte[] acceptedKey(Shards.Shard shard, int job) {
        return bytes(shard.base + ":jh:" + job);
    }

    byte[] key(int job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job + "}:places");
    }

    /** Has links wait for their places. */
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

    /** Nothing of a job waits any longer. */
    void removeJob(int job) {
        pending.removeIf(each -> each.job == job);
    }

    /** Takes the places of all links that wait, and has them offered before anything else. */
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
            throw new FrontierBlockedException(e);
        } finally {
            shards.queueFirst(offers.takeCalls());
        }
    }

    private void reserve(PendingLinks some, long now) throws IOException {
        if (some.states.isEmpty()) {
            some.states = Optional.of(checkSeen(some, now));
        }
        var states = some.states.get();
        var asking = new ArrayList<byte[]>();
        var limits = offers.limits(some.job);
        asking.add(bytes(settings.worker()));
        asking.add(bytes(some.callId));
        asking.add(bytes(limits.hosts()));
        asking.add(bytes(limits.urlsPerDomain()));
        for (var i = 0; i < states.length; i++) {
            var host = some.pendingLinks.get(i).candidate.url().host();
            if (states[i] != '0') {
                asking.add(bytes(states[i] == 'H' ? host : ""));
                asking.add(bytes(RegistrableDomain.of(host)));
            }
        }
        var letters =
                string(
                        connection.call(
                                new RedisConnection.ScriptCall(
                                        Script.RESERVE, string(key(some.job)), asking)));
        var at = 0;
        for (var i = 0; i < states.length; i++) {
            var found = some.pendingLinks.get(i);
            switch (states[i] == '0' ? '1' : letters.charAt(at++)) {
                case 'H' -> offers.count(some.job, "r." + Refusal.HOSTS_LIMIT.id(), 1);
                case 'D' -> offers.count(some.job, "r." + Refusal.DOMAIN_LIMIT.id(), 1);
                default -> offers.add(some.job, List.of(found.candidate), found.parent, now);
            }
        }
    }

    /** Of each link 0 when its job has met it, N when not, H when neither it nor its host. */
    private char[] checkSeen(PendingLinks some, long now) {
        var states = new char[some.pendingLinks.size()];
        var byShard = new LinkedHashMap<Integer, List<Integer>>();
        var met = new HashSet<UrlId>();
        for (var i = 0; i < states.length; i++) {
            var url = some.pendingLinks.get(i).candidate.url();
            states[i] = '0'; // A duplicate needs no place, and is counted as one.
            if (met.add(new UrlId(some.job, url.key()))) {
                byShard.computeIfAbsent(shards.shardOf(url.host()), _ -> new ArrayList<>()).add(i);
            }
        }
        var questions = new ArrayList<Shards.ShardCall>();
        byShard.forEach(
                (shard, places) -> {
                    var args = new ArrayList<byte[]>();
                    args.add(bytes(some.job));
                    for (var i : places) {
                        var url = some.pendingLinks.get(i).candidate.url();
                        args.add(bytes(url.host()));
                        args.addAll(Offers.fingerprint(url));
                    }
                    questions.add(new Shards.ShardCall(shard, Script.SEEN, args, _ -> {}));
                });
        var answers = shards.query(questions, now);
        var at = 0;
        for (var places : byShard.values()) {
            var letters = string(answers.get(at++));
            for (var i = 0; i < places.size(); i++) {
                states[places.get(i)] = letters.charAt(i);
            }
        }
        return states;
    }
}
