package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;

import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.url.FingerprintKey;
import dev.orbweaver.url.Fingerprints;

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
    record Errand(
            int shard,
            Script script,
            List<byte[]> args,
            Consumer<Object> answer,
            boolean replayed) {

        Errand(int shard, Script script, List<byte[]> args, Consumer<Object> answer) {
            this(shard, script, args, answer, false);
        }
    }

    /** A shard as this worker knows it. */
    static final class Shard {
        final int number;
        final String base;
        final byte[] key;
        private long calls;

        /** When its next host is due, as far as this worker knows. */
        long nextTurn = Long.MAX_VALUE;

        /** When it was last asked; long ago at first. */
        long askedAt = Long.MIN_VALUE / 2;

        /** When its server last answered. */
        private long heardAt;

        /** Which life of the server this worker last spoke with; none yet when empty. */
        private String run = "";

        private Shard(int number, String fleet) {
            this.number = number;
            this.base = base(fleet, number);
            this.key = bytes(base);
        }

        /** Something happened in it, so it is worth asking. */
        void stir(long now) {
            nextTurn = Math.min(nextTurn, now);
        }
    }

    private final RedisLink link;
    private final FleetSettings settings;
    private final FingerprintKey key;
    private final List<Shard> shards = new ArrayList<>();
    private final Deque<Deque<Errand>> waves = new ArrayDeque<>();

    private final RecentOffers recent = new RecentOffers();

    /** Run when a server may have forgotten something. */
    private Runnable forgotten = () -> {};

    private LongConsumer before = _ -> {};

    /** Whether some of the first wave were tried and have no answer. */
    private boolean failed;

    /** Sets the numbers of this process's calls apart from those of one before it. */
    private final String life = UUID.randomUUID().toString();

    Shards(RedisLink link, FleetSettings settings, FingerprintKey key) {
        this.link = link;
        this.key = key;
        this.settings = settings;
        for (var i = 0; i < settings.shards(); i++) {
            shards.add(new Shard(i, settings.fleet()));
        }
    }

    void whenForgotten(Runnable action) {
        forgotten = action;
    }

    /** Has something done before any errand is run; while it fails, none is. */
    void beforeAll(LongConsumer action) {
        before = action;
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
    int of(String host) {
        return of(key, host, shards.size());
    }

    /**
     * The home of a host among so many shards; never to be changed while a fleet lives. It depends
     * on the fleet's secret, so that a site cannot put all its hosts into one shard.
     */
    static int of(FingerprintKey key, String host, int count) {
        var name = bytes(host);
        return (int) ((Fingerprints.of(key, name, 0, name.length).high() >>> 33) % count);
    }

    /** Has errands run once all before them have been. */
    void queue(Collection<Errand> wave) {
        if (!wave.isEmpty()) {
            waves.addLast(new ArrayDeque<>(wave));
        }
    }

    /**
     * Has errands run before all others but those that were tried and have no answer yet: a shard
     * knows a repeated call by its being the last.
     */
    void queueFirst(Collection<Errand> wave) {
        if (wave.isEmpty()) {
            return;
        }
        var before = new ArrayDeque<Deque<Errand>>();
        while (!waves.isEmpty() && waves.getFirst().stream().allMatch(Errand::replayed)) {
            before.addFirst(waves.removeFirst());
        }
        if (failed && !waves.isEmpty()) {
            before.addFirst(waves.removeFirst());
        }
        waves.addFirst(new ArrayDeque<>(wave));
        before.forEach(waves::addFirst);
    }

    /** Runs all errands, or as many as can be. */
    void flush(long now) {
        before.accept(now);
        replayIfForgotten();
        while (!waves.isEmpty()) {
            var wave = waves.getFirst();
            if (wave.isEmpty()) {
                waves.removeFirst();
            } else {
                runSome(wave, now);
            }
        }
    }

    /**
     * A server that was started again, or another that took its place, may have forgotten the last
     * it was told: links that were found lately are offered once more.
     */
    private void replayIfForgotten() {
        try {
            for (var shard : shards) {
                var run = link.run(shard.key);
                if (!run.equals(shard.run)) {
                    var lately =
                            shard.run.isEmpty()
                                    ? List.<List<byte[]>>of()
                                    : recent.of(shard.number, shard.heardAt);
                    var again = new ArrayDeque<Errand>();
                    lately.forEach(
                            args ->
                                    again.add(
                                            new Errand(
                                                    shard.number,
                                                    Script.OFFER,
                                                    args,
                                                    _ -> {},
                                                    true)));
                    if (!again.isEmpty()) {
                        waves.addFirst(again);
                    }
                    if (!shard.run.isEmpty()) {
                        forgotten.run();
                        link.mendLog(shard.key);
                    }
                    shard.run = run;
                }
            }
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    private void runSome(Deque<Errand> wave, long now) {
        var some = new ArrayList<Errand>();
        var later = new ArrayDeque<Errand>();
        var busy = new BitSet();
        for (var errand : wave) {
            if (busy.get(errand.shard())) {
                later.add(errand);
            } else {
                busy.set(errand.shard());
                some.add(errand);
            }
        }
        var replies = send(some, now);
        IOException failure = null;
        wave.clear();
        for (var i = 0; i < some.size(); i++) {
            var wrong = replies.get(i).failure();
            if (wrong == null) {
                if (!some.get(i).replayed()) {
                    shards.get(some.get(i).shard()).calls++;
                }
                if (some.get(i).script() == Script.OFFER) {
                    recent.keep(some.get(i).shard(), some.get(i).args(), now);
                }
                some.get(i).answer().accept(RedisLink.answer(replies.get(i)));
            } else {
                wave.add(some.get(i));
                failure = wrong instanceof IOException io ? io : new IOException(wrong);
            }
        }
        wave.addAll(later);
        failed = failure != null;
        if (failure != null) {
            throw new FrontierBlockedException(failure);
        }
    }

    /** Asks shards for something that may be asked again. */
    List<Object> ask(List<Errand> questions, long now) {
        var answers = new ArrayList<Object>();
        for (var reply : send(questions, now)) {
            var wrong = reply.failure();
            if (wrong != null) {
                throw new FrontierBlockedException(
                        wrong instanceof IOException io ? io : new IOException(wrong));
            }
            answers.add(RedisLink.answer(reply));
        }
        return answers;
    }

    /** The question without a listener. */
    static Errand question(int shard, Script script, byte[]... args) {
        return new Errand(shard, script, List.of(args), _ -> {});
    }

    private List<RedisLink.Reply> send(List<Errand> errands, long now) {
        var calls = new ArrayList<RedisLink.Call>();
        try {
            for (var errand : errands) {
                var shard = shards.get(errand.shard());
                var args = new ArrayList<byte[]>(errand.args().size() + 5);
                // Whoever tells no time only looks on, and is not the one to see a restart.
                args.add(bytes(now == 0 ? "" : link.run(shard.key)));
                args.add(bytes(now));
                args.add(bytes(settings.worker()));
                args.add(bytes(errand.replayed() ? "" : life + ":" + shard.calls));
                args.add(bytes(settings.hostLease().toMillis()));
                args.addAll(errand.args());
                calls.add(new RedisLink.Call(errand.script(), shard.base, args));
            }
        } catch (IOException e) {
            return errands.stream().map(_ -> new RedisLink.Reply(null, e)).toList();
        }
        var replies = link.all(calls);
        for (var i = 0; i < replies.size(); i++) {
            var shard = shards.get(errands.get(i).shard());
            if (replies.get(i).failure() == null) {
                shard.heardAt = Math.max(shard.heardAt, now);
            }
        }
        return replies;
    }
}
