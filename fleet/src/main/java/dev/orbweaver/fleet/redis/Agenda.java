package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.AgendaAction;

import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ZAddArgs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * When each shard of the fleet needs a worker, and which shards have changed: two sorted sets, so
 * that a worker reads one key instead of calling all shards.
 *
 * <p>A time is never later than when a host of the shard is due or a claim there expires, except
 * after a worker died between a change of a shard and its update here; {@link HostClaimer} calls
 * every shard now and then. Updates are sent together with the next calls of shards. If Redis lost
 * the agenda, the first worker that reads it enters all shards.
 */
final class Agenda {

    static final String KEY = ":agenda";
    static final String CHANGES_KEY = ":changes";

    /** The entry of the changes whose score is the number of the last one. */
    static final String CHANGES_LAST = "last";

    /** The entry that exists as long as Redis has the agenda; its score tells when it was made. */
    private static final String MADE = "made";

    private record Later(double before, long time) {}

    private final RedisConnection connection;
    private final int shards;
    private final byte[] key;
    private final byte[] changesKey;

    /** The scores of shards, as last read; without those that this worker has changed since. */
    private final Map<Integer, Double> scores = new HashMap<>();

    private final Set<Integer> changed = new TreeSet<>();
    private final Map<Integer, Long> sooner = new LinkedHashMap<>();
    private final Map<Integer, Later> later = new LinkedHashMap<>();

    private double madeAt;

    /** The number of the last change that this worker has read. */
    private long lastChange = -1;

    Agenda(RedisConnection link, FleetSettings settings) {
        this.connection = link;
        this.shards = settings.shards();
        this.key = bytes("ow:{" + settings.fleet() + "}" + KEY);
        this.changesKey = bytes("ow:{" + settings.fleet() + "}" + CHANGES_KEY);
    }

    /** Records that the figures of a shard have changed. */
    void changed(int shard) {
        changed.add(shard);
    }

    /** Records that a shard needs a worker at a time, or sooner if it already does. */
    void sooner(int shard, long time) {
        sooner.merge(shard, time, Math::min);
        later.remove(shard);
        scores.remove(shard);
    }

    /**
     * Records when a shard needs a worker next, after a worker has called it.
     *
     * @param time {@link Long#MAX_VALUE} if it is empty
     */
    void looked(int shard, long time) {
        var before = scores.remove(shard);
        if (before != null && !sooner.containsKey(shard)) {
            later.put(shard, new Later(before, time));
        } else if (time != Long.MAX_VALUE) {
            sooner(shard, time);
        }
    }

    boolean hasUpdates() {
        return !changed.isEmpty() || !sooner.isEmpty() || !later.isEmpty();
    }

    /** Returns the updates that are not sent yet, and forgets them. */
    Optional<KeyRequest.UpdateAgenda> takeUpdates() {
        if (!hasUpdates()) {
            return Optional.empty();
        }
        var updates = new ArrayList<KeyRequest.AgendaUpdate>();
        changed.forEach(
                shard -> updates.add(new KeyRequest.AgendaUpdate(AgendaAction.CHANGED, shard)));
        sooner.forEach(
                (shard, time) ->
                        updates.add(
                                new KeyRequest.AgendaUpdate(
                                        AgendaAction.SOONER, shard, Long.toString(time), "")));
        later.forEach(
                (shard, to) ->
                        updates.add(
                                new KeyRequest.AgendaUpdate(
                                        AgendaAction.LATER,
                                        shard,
                                        to.time == Long.MAX_VALUE ? "" : Long.toString(to.time),
                                        Double.toString(to.before))));
        changed.clear();
        sooner.clear();
        later.clear();
        return Optional.of(new KeyRequest.UpdateAgenda(string(key), updates));
    }

    /** Keeps updates that could not be sent, except those that only save work. */
    void restore(KeyRequest.UpdateAgenda unsent) {
        for (var update : unsent.updates()) {
            switch (update.action()) {
                case CHANGED -> changed.add(update.shard());
                case SOONER -> sooner(update.shard(), Long.parseLong(update.time()));
                case LATER -> {}
            }
        }
    }

    /** Sends the updates alone, when no call of a shard follows soon. */
    void send() throws IOException {
        var updates = takeUpdates();
        if (updates.isPresent()) {
            try {
                var _ = connection.call(updates.get());
            } catch (IOException e) {
                restore(updates.get());
                throw e;
            }
        }
    }

    /**
     * Reads the shards that need a worker until a time.
     *
     * @return by shard, when
     */
    Map<Integer, Long> read(long until, long now) throws IOException {
        var entries =
                connection.execute(
                        redis ->
                                redis.zrangebyscoreWithScores(
                                        key,
                                        Range.from(
                                                Range.Boundary.unbounded(),
                                                Range.Boundary.including((double) until))));
        scores.clear();
        var made = 0.0;
        var due = new HashMap<Integer, Long>();
        for (var entry : entries) {
            var name = string(entry.getValue());
            if (name.equals(MADE)) {
                made = entry.getScore();
            } else {
                var shard = Integer.parseInt(name);
                scores.put(shard, entry.getScore());
                due.put(shard, (long) Math.floor(entry.getScore()));
            }
        }
        if (made == 0) {
            enterAll(now);
            for (var shard = 0; shard < shards; shard++) {
                due.put(shard, now);
            }
        } else if (made != madeAt) {
            madeAt = made;
            lastChange = -1; // Changes may be lost too.
        }
        return due;
    }

    /** Enters all shards as due, so that workers call each of them. */
    void enterAll(long now) throws IOException {
        var all = new ArrayList<ScoredValue<byte[]>>();
        all.add(ScoredValue.just((double) -now, bytes(MADE)));
        for (var shard = 0; shard < shards; shard++) {
            all.add(ScoredValue.just((double) now, bytes(shard)));
        }
        scores.clear();
        lastChange = -1;
        var _ = connection.execute(redis -> redis.zadd(key, ZAddArgs.Builder.lt(), scored(all)));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // An array of a generic type.
    private static ScoredValue<byte[]>[] scored(List<ScoredValue<byte[]>> all) {
        return all.toArray((ScoredValue<byte[]>[]) new ScoredValue[0]);
    }

    /** Returns the shards that have changed since the last call; empty if that is unknown. */
    Optional<Set<Integer>> readChanges() throws IOException {
        var entries =
                connection.execute(
                        redis ->
                                redis.zrangebyscoreWithScores(
                                        changesKey,
                                        Range.from(
                                                Range.Boundary.excluding((double) lastChange),
                                                Range.Boundary.unbounded())));
        var known = lastChange >= 0;
        var some = new HashSet<Integer>();
        for (var entry : entries) {
            lastChange = Math.max(lastChange, (long) entry.getScore());
            var name = string(entry.getValue());
            if (!name.equals(CHANGES_LAST)) {
                some.add(Integer.parseInt(name));
            }
        }
        lastChange = Math.max(lastChange, 0);
        return known ? Optional.of(some) : Optional.empty();
    }
}
