package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.KeyRequest.DutyReply;
import dev.orbweaver.internal.revisit.RevisitBudget;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Queues the due pages of a job, if this worker has the duty, which one worker has at a time.
 *
 * <p>The holder has a token, and a shard refuses a lower one than it has seen. So a holder that was
 * suspended queues nothing when it continues. The budget is spent before pages are queued, and what
 * was not used is returned afterwards: a holder that dies in between loses some visits of the
 * budget and never exceeds it.
 */
public final class RevisitDuty {

    /** After this time without a sign of its holder another worker gets the duty. */
    private static final Duration LEASE = Duration.ofSeconds(15);

    /** How often the holder renews it, and others try to get it and read λ. */
    private static final Duration RENEWAL = Duration.ofSeconds(5);

    /** How often the holder stores λ if nothing else is to be stored. */
    private static final Duration STORE_INTERVAL = Duration.ofMinutes(1);

    /** Known pages in the queues at a time: enough for many hosts, and soon visited. */
    private static final int QUEUED_MAX = 20_000;

    private static final int AT_ONCE = 1_000;

    /** With a budget, visits are collected for this time, so that a few shards are called. */
    private static final Duration SPENT_TOGETHER = Duration.ofSeconds(5);

    private static final Duration LOOK_MIN = Duration.ofMillis(500);
    private static final Duration LOOK_MAX = Duration.ofMinutes(1);

    private final RedisFrontier frontier;
    private final WorkerState worker;
    private final JobId job;
    private final String holder;

    /** When pages of each shard may be due. */
    private final Instant[] due;

    private boolean held;
    private long token;
    private Instant renewedAt = Instant.EPOCH;
    private Instant storedAt = Instant.EPOCH;
    private Instant spentAt = Instant.EPOCH;

    /** How many were queued since the figures of the job were read. */
    private long queuedSince;

    private long queuedKnown = -1;

    RevisitDuty(RedisFrontier frontier, WorkerState worker, JobId job, String holder) {
        this.frontier = frontier;
        this.worker = worker;
        this.job = job;
        this.holder = holder;
        this.due = new Instant[worker.settings.shards()];
        Arrays.fill(due, Instant.EPOCH);
    }

    static String key(FleetSettings settings, JobId job) {
        return "ow:{" + settings.fleet() + ".job" + job.number() + "}:revisits";
    }

    /** Returns what the holder of the duty has stored, without taking part. */
    static Optional<String> stored(RedisConnection connection, FleetSettings settings, JobId job)
            throws IOException {
        var value =
                connection.execute(
                        redis ->
                                redis.hget(
                                        RedisConnection.bytes(key(settings, job)),
                                        RedisConnection.bytes("state")));
        return Optional.ofNullable(value).map(RedisConnection::string);
    }

    /** Gets or renews the duty if it is time, and reads or stores the budget and λ. */
    private void renew(RevisitBudget budget, Instant now, boolean store) throws IOException {
        var stores = held && (store || now.isAfter(storedAt.plus(STORE_INTERVAL)));
        if (!stores && now.isBefore(renewedAt.plus(RENEWAL))) {
            return;
        }
        var before = held;
        var reply = call(now, LEASE, stores ? budget.encode() : "");
        held = reply.held();
        if (held && token != reply.token()) {
            Arrays.fill(due, Instant.EPOCH);
            queuedKnown = -1;
        }
        token = reply.token();
        if (!held || !before) {
            budget.read(reply.state());
        }
        renewedAt = now;
        storedAt = stores ? now : storedAt;
    }

    private DutyReply call(Instant now, Duration lease, String state) throws IOException {
        return worker.connection.call(
                new KeyRequest.RevisitDuty(
                        key(worker.settings, job),
                        now.toEpochMilli(),
                        holder,
                        lease.toMillis(),
                        state));
    }

    /**
     * Queues pages that are due.
     *
     * @param hasRoom whether pages may be queued now
     * @return whether any were queued
     */
    public boolean run(RevisitBudget budget, boolean hasRoom, Instant now) throws IOException {
        renew(budget, now, false);
        if (!held || !hasRoom) {
            return false;
        }
        budget.accrue(now);
        if (budget.isLimited() && now.isBefore(spentAt.plus(SPENT_TOGETHER))) {
            return false;
        }
        var wanted = (int) Math.min(Math.min(AT_ONCE, room()), budget.available());
        if (wanted <= 0) {
            return false;
        }
        spentAt = now;
        var ready = shards(now);
        if (ready.isEmpty()) {
            return false;
        }
        if (budget.isLimited()) {
            budget.spend(wanted, now);
            renew(budget, now, true);
            if (!held) {
                return false;
            }
        }
        var left = wanted - queue(ready, wanted, false, budget, now);
        if (left > 0 && budget.isEarly()) {
            // The rest of the budget buys the visits that are due next.
            for (var shard : shards(Instant.MAX)) {
                left -= left > 0 ? queue(List.of(shard), left, true, budget, now) : 0;
            }
        }
        budget.refund(left);
        queuedSince += wanted - left;
        return left < wanted;
    }

    /** Returns the shards whose pages may be due until a time, the earliest first. */
    private List<Integer> shards(Instant until) {
        var some = new ArrayList<Integer>();
        for (var shard = 0; shard < due.length; shard++) {
            if (!due[shard].isAfter(until) && !due[shard].equals(Instant.MAX)) {
                some.add(shard);
            }
        }
        some.sort(Comparator.comparing(shard -> due[shard]));
        return some;
    }

    private int queue(
            List<Integer> shards, int max, boolean early, RevisitBudget budget, Instant now) {
        var sum = 0;
        var ahead = 0;
        for (var from = 0; from < shards.size() && sum < max; from += max) {
            // At least one of each shard, so that no shard has to wait for others.
            var some = shards.subList(from, Math.min(shards.size(), from + max - sum));
            var share = Math.max(1, (max - sum) / some.size());
            var requests =
                    some.stream()
                            .map(
                                    shard ->
                                            new ShardRequest.QueueRevisits(
                                                    shard,
                                                    job.number(),
                                                    token,
                                                    share,
                                                    early,
                                                    now,
                                                    budget.minInterval().toSeconds()))
                            .toList();
            var replies = frontier.queueRevisits(requests, now);
            for (var i = 0; i < replies.size(); i++) {
                sum += replies.get(i).queued();
                ahead += replies.get(i).early();
                due[some.get(i)] = look(replies.get(i).next(), budget, now);
            }
        }
        budget.follow(sum, ahead);
        return sum;
    }

    /** Returns when a shard is called again: it may get pages that are due sooner. */
    private static Instant look(Optional<Instant> next, RevisitBudget budget, Instant now) {
        var half = budget.shortestDelay().dividedBy(2);
        var longest = half.compareTo(LOOK_MAX) > 0 ? LOOK_MAX : half;
        var latest = now.plus(longest.compareTo(LOOK_MIN) < 0 ? LOOK_MIN : longest);
        return next.filter(time -> time.isBefore(latest)).orElse(latest);
    }

    /** Returns how many more pages may be queued. */
    private long room() {
        var counts = frontier.revisitCounts(job);
        if (counts.queued() != queuedKnown) {
            queuedKnown = counts.queued();
            queuedSince = 0;
        }
        return QUEUED_MAX - queuedKnown - queuedSince;
    }

    /** Stores what is known and gives the duty to another worker. */
    public void leave(RevisitBudget budget, Instant now) throws IOException {
        if (held) {
            var _ = call(now, Duration.ZERO, budget.encode());
            held = false;
        }
    }
}
