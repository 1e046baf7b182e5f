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
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The parts into which the fleet's hosts are dealt, and what this worker has to tell them.
 *
 * <p>What changes something goes through {@link #queue} and {@link #flush}: in waves, one behind
 * the other, and within a wave one call at a time to each shard. Each call has a number, so that
 * one whose answer was lost is repeated without harm. What could not be told stays and is told
 * later.
 */
final class Shards {

    /**
     * A call that changes something, and who wants to know what came of it.
     *
     * @param replayed whether it is made once more for a server that may have forgotten it; then it
     *     has no number, as one before it may still be waiting for the answer to its own
     */
    record ShardCall<R>(ShardRequest<R> request, Consumer<R> onReply, boolean replayed) {

        ShardCall(ShardRequest<R> request, Consumer<R> onReply) {
            this(request, onReply, false);
        }

        private void accept(Object reply) {
            onReply.accept(ScriptCodec.decode(request, reply));
        }
    }

    /** A shard as this worker knows it. */
    static final class Shard {
        final int number;
        final String base;
        final byte[] key;
        private long calls;

        /** When its next host is due, as far as this worker knows. */
        long nextDue = Long.MAX_VALUE;

        /** When it was last asked; long ago at first. */
        long polledAt = Long.MIN_VALUE / 2;

        /** When its server last answered. */
        private long lastReplyAt;

        /** Which life of the server this worker last spoke with; none yet when empty. */
        private String runId = "";

        private Shard(int number, String fleet) {
            this.number = number;
            this.base = base(fleet, number);
            this.key = bytes(base);
        }

        /** Something happened in it, so it is worth asking. */
        void markReady(long now) {
            nextDue = Math.min(nextDue, now);
        }
    }

    private final RedisConnection connection;
    private final FleetSettings settings;
    private final FingerprintKey key;
    private final List<Shard> shards = new ArrayList<>();
    private final Deque<Deque<ShardCall<?>>> waves = new ArrayDeque<>();

    private final RecentOffers recentOffers = new RecentOffers();

    /** Run when a server may have forgotten something. */
    private Runnable onServerRestart = () -> {};

    private LongConsumer beforeFlush = _ -> {};

    /** Whether some of the first wave were tried and have no answer. */
    private boolean firstWaveFailed;

    /** Sets the numbers of this process's calls apart from those of one before it. */
    private final String instanceId = UUID.randomUUID().toString();

    Shards(RedisConnection link, FleetSettings settings, FingerprintKey key) {
        this.connection = link;
        this.key = key;
        this.settings = settings;
        for (var i = 0; i < settings.shards(); i++) {
            shards.add(new Shard(i, settings.fleet()));
        }
    }

    void onServerRestart(Runnable action) {
        onServerRestart = action;
    }

    /** Has something done before any errand is run; while it fails, none is. */
    void beforeFlush(LongConsumer action) {
        beforeFlush = action;
    }

    /** What every key of a shard begins with. The braces make Redis Cluster keep them together. */
    static String base(String fleet, int shard) {
        return "ow:{" + fleet + ".s" + shard + "}";
    }

    List<Shard> all() {
        return shards;
    }

    Shard get(int number) {
        return shards.get(number);
    }

    /** The home of a host, by its name alone. */
    int shardOf(String host) {
        return shardOf(key, host, shards.size());
    }

    /**
     * The home of a host among so many shards; never to be changed while a fleet lives. It depends
     * on the fleet's secret, so that a site cannot put all its hosts into one shard.
     */
    static int shardOf(FingerprintKey key, String host, int count) {
        var name = bytes(host);
        return (int) ((Fingerprints.of(key, name, 0, name.length).high() >>> 33) % count);
    }

    /** Has errands run once all before them have been. */
    void queue(Collection<ShardCall<?>> wave) {
        if (!wave.isEmpty()) {
            waves.addLast(new ArrayDeque<>(wave));
        }
    }

    /**
     * Has errands run before all others but those that were tried and have no answer yet: a shard
     * knows a repeated call by its being the last.
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

    /** Runs all errands, or as many as can be; the rest stay queued. */
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
     * A server that was started again, or another that took its place, may have forgotten the last
     * it was told: links that were found lately are offered once more.
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
                    lately.forEach(offer -> again.add(new ShardCall<>(offer, _ -> {}, true)));
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
                if (!some.get(i).replayed()) {
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

    /** Asks shards for something that may be asked again. */
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

    private List<RedisConnection.Reply> send(List<? extends ShardCall<?>> shardCalls, long now) {
        var scriptCalls = new ArrayList<RedisConnection.ScriptCall>();
        try {
            for (var shardCall : shardCalls) {
                var shard = shards.get(shardCall.request().shard());
                // A caller without a time only reads, and leaves a restart to others.
                var header =
                        new ShardRequest.Header(
                                now == 0 ? "" : connection.serverRunId(shard.key),
                                now,
                                settings.worker(),
                                shardCall.replayed() ? "" : instanceId + ":" + shard.calls,
                                settings.hostLease().toMillis());
                scriptCalls.add(
                        RedisConnection.ScriptCall.of(shard.base, header, shardCall.request()));
            }
        } catch (IOException e) {
            return shardCalls.stream().map(_ -> new RedisConnection.Reply(null, e)).toList();
        }
        var replies = connection.callAll(scriptCalls);
        for (var i = 0; i < replies.size(); i++) {
            var shard = shards.get(shardCalls.get(i).request().shard());
            if (replies.get(i).failure() == null) {
                shard.lastReplyAt = Math.max(shard.lastReplyAt, now);
            }
        }
        return replies;
    }
}
