package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Fingerprints;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The shards of the fleet's hosts, and the calls that this worker has to send to them.
 *
 * <p>Calls that change something use {@link #queue} and {@link #flush}: they are sent in waves, in
 * order, and within a wave one call at a time to each shard. Each call has a number, so that a call
 * whose reply was lost can be repeated safely. Failed calls stay queued.
 */
final class Shards {

    /**
     * A call that changes something.
     *
     * @param origin who sends it, by which a shard recognises a repeated call
     */
    record ShardCall<R>(ShardRequest<R> request, Consumer<R> onReply, CallOrigin origin) {

        ShardCall(ShardRequest<R> request, Consumer<R> onReply) {
            this(request, onReply, new CallOrigin.Worker());
        }

        private boolean replayed() {
            return origin instanceof CallOrigin.Replay;
        }

        private void accept(Object reply) {
            onReply.accept(ScriptCodec.decode(request, reply));
        }
    }

    /** Who sends a call. */
    sealed interface CallOrigin {

        /** This worker, which numbers its calls. */
        record Worker() implements CallOrigin {}

        /**
         * This worker, which repeats a call for a server that may have lost it. It has no number,
         * because an earlier call may still wait for the reply to its own.
         */
        record Replay() implements CallOrigin {}

        /**
         * The reader of a job's seed lists. The number is that of the call's first line, so that
         * another worker which reads the same lines sends the same call, and it is executed once.
         */
        record SeedReader(int job, long number) implements CallOrigin {}
    }

    static final class Shard {
        final int number;
        final String base;
        final byte[] key;
        private long calls;

        /** When its next host is due, according to the last reply. */
        long nextDue = Long.MAX_VALUE;

        /** When this worker last called it to claim hosts; initially long ago. */
        long polledAt = Long.MIN_VALUE / 2;

        private long lastReplyAt;

        /** The run ID of the server that last replied; empty before the first reply. */
        private String runId = "";

        private Shard(int number, String fleet) {
            this.number = number;
            this.base = base(fleet, number);
            this.key = bytes(base);
        }

        void markReady(long now) {
            nextDue = Math.min(nextDue, now);
        }

        /** When its next host is due; {@link Long#MAX_VALUE} if that is unknown. */
        long nextDue() {
            return nextDue;
        }
    }

    /** Precedes the number of a job in the name of the reader of its seed lists. */
    static final String SEED_READER = "seeds:";

    /** When a shard is called at the latest after an offer whose reply was lost. */
    private static final long RECHECK_MILLIS = 10_000;

    private final RedisConnection connection;
    private final FleetSettings settings;
    private final FingerprintKey key;
    private final List<Shard> shards = new ArrayList<>();
    private final Deque<Deque<ShardCall<?>>> waves = new ArrayDeque<>();

    final Agenda agenda;

    private final RecentOffers recentOffers = new RecentOffers();

    /** Called when a server may have lost data. */
    private Runnable onServerRestart = () -> {};

    private LongConsumer beforeFlush = _ -> {};

    /** Whether some calls of the first wave were sent and have no reply. */
    private boolean firstWaveFailed;

    /** Distinguishes the call numbers of this process from those of an earlier one. */
    private final String instanceId = UUID.randomUUID().toString();

    Shards(RedisConnection link, FleetSettings settings, FingerprintKey key) {
        this.connection = link;
        this.key = key;
        this.settings = settings;
        this.agenda = new Agenda(link, settings);
        for (var i = 0; i < settings.shards(); i++) {
            shards.add(new Shard(i, settings.fleet()));
        }
    }

    void onServerRestart(Runnable action) {
        onServerRestart = action;
    }

    /** Runs an action before any call is sent; while it fails, none is sent. */
    void beforeFlush(LongConsumer action) {
        beforeFlush = action;
    }

    /** Returns the prefix of a shard's keys. The braces make Redis Cluster store them together. */
    static String base(String fleet, int shard) {
        return "ow:{" + fleet + ".s" + shard + "}";
    }

    List<Shard> all() {
        return shards;
    }

    Shard get(int number) {
        return shards.get(number);
    }

    int shardOf(String host) {
        return shardOf(key, host, shards.size());
    }

    /**
     * Returns the shard of a host, constant for the life of a fleet. It depends on the fleet's
     * secret, so that a site cannot put all its hosts into one shard.
     */
    static int shardOf(FingerprintKey key, String host, int count) {
        var name = bytes(host);
        return (int) ((Fingerprints.of(key, name, 0, name.length).high() >>> 33) % count);
    }

    /** Queues calls to be sent after all earlier ones. */
    void queue(Collection<ShardCall<?>> wave) {
        if (!wave.isEmpty()) {
            waves.addLast(new ArrayDeque<>(wave));
        }
    }

    /**
     * Queues calls before all others except those that were sent and have no reply yet. A shard
     * recognises a repeated call only if it is the last.
     */
    void queueFirst(Collection<ShardCall<?>> wave) {
        if (wave.isEmpty()) {
            return;
        }
        var before = new ArrayDeque<Deque<ShardCall<?>>>();
        while (!waves.isEmpty() && waves.getFirst().stream().allMatch(ShardCall::replayed)) {
            before.addFirst(waves.removeFirst());
        }
        if (firstWaveFailed && !waves.isEmpty()) {
            before.addFirst(waves.removeFirst());
        }
        waves.addFirst(new ArrayDeque<>(wave));
        before.forEach(waves::addFirst);
    }

    /** Returns whether calls wait to be sent. */
    boolean hasQueued() {
        return !waves.isEmpty();
    }

    /** Sends as many queued calls as possible; the rest stay queued. */
    CommitStatus flush(long now) {
        try {
            runQueued(now);
            return CommitStatus.durable();
        } catch (FrontierUnavailableException e) {
            return new CommitStatus.Pending(e.problem());
        }
    }

    private void runQueued(long now) {
        beforeFlush.accept(now);
        replayAfterRestart();
        while (!waves.isEmpty()) {
            var wave = waves.getFirst();
            if (wave.isEmpty()) {
                waves.removeFirst();
            } else {
                sendWave(wave, now);
            }
        }
    }

    /**
     * Offers recently found links again: a restarted server, or one that replaced it, may have lost
     * the last changes.
     */
    private void replayAfterRestart() {
        try {
            for (var shard : shards) {
                var run = connection.serverRunId(shard.key);
                if (!run.equals(shard.runId)) {
                    var lately =
                            shard.runId.isEmpty()
                                    ? List.<OfferRequest>of()
                                    : recentOffers.callsToReplay(shard.number, shard.lastReplyAt);
                    var again = new ArrayDeque<ShardCall<?>>();
                    lately.forEach(
                            offer ->
                                    again.add(
                                            new ShardCall<>(
                                                    offer, _ -> {}, new CallOrigin.Replay())));
                    if (!again.isEmpty()) {
                        waves.addFirst(again);
                    }
                    if (!shard.runId.isEmpty()) {
                        onServerRestart.run();
                        connection.rewriteAof(shard.key);
                    }
                    shard.runId = run;
                }
            }
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    private void sendWave(Deque<ShardCall<?>> wave, long now) {
        var some = new ArrayList<ShardCall<?>>();
        var later = new ArrayDeque<ShardCall<?>>();
        var busy = new BitSet();
        for (var shardCall : wave) {
            if (busy.get(shardCall.request().shard())) {
                later.add(shardCall);
            } else {
                busy.set(shardCall.request().shard());
                some.add(shardCall);
            }
        }
        var replies = send(some, now);
        IOException failure = null;
        wave.clear();
        for (var i = 0; i < some.size(); i++) {
            var wrong = replies.get(i).failure();
            if (wrong == null) {
                if (some.get(i).origin() instanceof CallOrigin.Worker) {
                    shards.get(some.get(i).request().shard()).calls++;
                }
                if (some.get(i).request() instanceof OfferRequest offer) {
                    recentOffers.add(offer, now);
                }
                some.get(i).accept(RedisConnection.value(replies.get(i)));
            } else {
                wave.add(some.get(i));
                failure = wrong instanceof IOException io ? io : new IOException(wrong);
            }
        }
        wave.addAll(later);
        firstWaveFailed = failure != null;
        if (failure != null) {
            throw RedisUnavailableException.ofFrontier(failure);
        }
    }

    /** Sends requests that are safe to repeat. */
    <R> List<R> query(List<? extends ShardRequest<R>> requests, long now) {
        var answers = new ArrayList<R>();
        var calls = requests.stream().map(request -> new ShardCall<>(request, _ -> {})).toList();
        for (var reply : send(calls, now)) {
            var wrong = reply.failure();
            if (wrong != null) {
                throw RedisUnavailableException.ofFrontier(
                        wrong instanceof IOException io ? io : new IOException(wrong));
            }
            var request = requests.get(answers.size());
            answers.add(ScriptCodec.decode(request, RedisConnection.value(reply)));
        }
        return answers;
    }

    <R> R query(ShardRequest<R> request, long now) {
        return query(List.of(request), now).getFirst();
    }

    private String sender(CallOrigin origin) {
        return origin instanceof CallOrigin.SeedReader(var job, _)
                ? seedReader(job)
                : settings.worker();
    }

    /** Returns the name under which all readers of a job's seed lists send calls. */
    static String seedReader(int job) {
        return SEED_READER + job;
    }

    private String callId(CallOrigin origin, Shard shard) {
        return switch (origin) {
            case CallOrigin.Worker() -> instanceId + ":" + shard.calls;
            case CallOrigin.Replay() -> "";
            case CallOrigin.SeedReader(_, var number) -> "line:" + number;
        };
    }

    /** Records in the agenda what a request may change. */
    private void noteChanges(ShardRequest<?> request, long now) {
        var shard = request.shard();
        switch (request) {
            case OfferRequest offer -> {
                agenda.changed(shard);
                if (!offer.urls().isEmpty()) {
                    // If this worker dies before the reply, which contains the exact time.
                    agenda.sooner(shard, now + RECHECK_MILLIS);
                }
            }
            case CommitRequest commit -> {
                agenda.changed(shard);
                for (var host : commit.hosts()) {
                    if (host.released()) {
                        agenda.sooner(shard, Math.max(now, commit.dueOf(host)));
                    }
                }
            }
            case ClaimRequest claim -> {
                if (!claim.host().isEmpty() && claim.token().isEmpty()) {
                    agenda.sooner(shard, now + claim.leaseMillis() + 1);
                }
            }
            case ShardRequest.Exclude _,
                    ShardRequest.Requeue _,
                    ShardRequest.DeleteJob _,
                    ShardRequest.QueueRevisits _ -> {
                agenda.changed(shard);
                agenda.sooner(shard, now);
            }
            case ShardRequest.SeedsRead _ -> agenda.changed(shard);
            case ShardRequest.View _,
                    ShardRequest.AddSeeds _,
                    ShardRequest.Find _,
                    ShardRequest.CheckSeen _,
                    ShardRequest.ReportCrawlDelay _,
                    ShardRequest.ReadRates _,
                    SpillRequest<?> _ -> {}
        }
    }

    private List<RedisConnection.Reply> send(List<? extends ShardCall<?>> shardCalls, long now) {
        var scriptCalls = new ArrayList<RedisConnection.ScriptCall>();
        try {
            for (var shardCall : shardCalls) {
                var shard = shards.get(shardCall.request().shard());
                // A caller without a time only reads; the handling of a restart is left to others.
                var header =
                        new ShardRequest.Header(
                                now == 0 ? "" : connection.serverRunId(shard.key),
                                now,
                                sender(shardCall.origin()),
                                callId(shardCall.origin(), shard),
                                settings.hostLease().toMillis());
                scriptCalls.add(
                        RedisConnection.ScriptCall.of(shard.base, header, shardCall.request()));
            }
        } catch (IOException e) {
            return shardCalls.stream().map(_ -> new RedisConnection.Reply(null, e)).toList();
        }
        if (now > 0) {
            shardCalls.forEach(shardCall -> noteChanges(shardCall.request(), now));
        }
        var updates = now > 0 ? agenda.takeUpdates() : Optional.<KeyRequest.UpdateAgenda>empty();
        // After the calls: a worker that reads that a shard has changed must see the change.
        updates.map(RedisConnection.ScriptCall::of).ifPresent(scriptCalls::add);
        var replies = new ArrayList<>(connection.callAll(scriptCalls));
        if (updates.isPresent() && replies.removeLast().failure() != null) {
            agenda.restore(updates.get());
        }
        for (var i = 0; i < replies.size(); i++) {
            var shard = shards.get(shardCalls.get(i).request().shard());
            if (replies.get(i).failure() == null) {
                shard.lastReplyAt = Math.max(shard.lastReplyAt, now);
            }
        }
        return replies;
    }
}
