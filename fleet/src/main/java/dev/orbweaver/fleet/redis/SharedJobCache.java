package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.model.JobId;

import io.lettuce.core.SetArgs;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cache that the workers of a job share, with a TTL: robots.txt files, addresses of hosts. A
 * missing entry costs only another request, so entries are never moved to files, and none are
 * written if Redis has little memory left for its queues.
 */
public final class SharedJobCache implements AutoCloseable {

    public enum Topic {
        ROBOTS("r"),
        ADDRESSES("n");

        private final String letter;

        Topic(String letter) {
            this.letter = letter;
        }
    }

    /** Maximum bytes of a value. Compressed, almost every robots.txt is much shorter. */
    private static final int VALUE_MAX = 4_096;

    /**
     * Maximum TTL. A host moves to another worker within about a minute, and each worker caches its
     * own reads.
     */
    private static final Duration TTL_MAX = Duration.ofMinutes(15);

    /**
     * Fraction of used memory above which no entries are written. Entries cannot be moved to files,
     * and the data that a fleet must keep in Redis (seen URLs, hosts) takes over half of the limit
     * in a large one. So entries are written only while there is plenty of memory.
     */
    private static final double FULL_RATIO = 0.3;

    /** Assumed if Redis has no limit. */
    private static final long DEFAULT_MEMORY_LIMIT = 1L << 30;

    /** Maximum balances stored for a job; beyond that some are dropped and start at 0 again. */
    private static final int BALANCES_MAX = 1 << 16;

    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

    private final FleetSettings settings;
    private final RedisConnection connection;
    private final InstantSource clock;
    private boolean full;
    private Instant checkedAt = Instant.MIN;

    private SharedJobCache(FleetSettings settings, RedisConnection link, InstantSource clock) {
        this.clock = clock;
        this.settings = settings;
        this.connection = link;
    }

    public static SharedJobCache open(FleetSettings settings, InstantSource clock)
            throws IOException {
        return new SharedJobCache(
                settings, RedisConnection.open(settings.uri(), settings.timeout()), clock);
    }

    public Optional<byte[]> get(JobId job, Topic topic, String name) throws IOException {
        return Optional.ofNullable(connection.execute(redis -> redis.get(key(job, topic, name))));
    }

    /** Replaces the entry. */
    public void put(JobId job, Topic topic, String name, byte[] value, Duration ttl)
            throws IOException {
        var _ = putImported(job, topic, name, value, ttl.compareTo(TTL_MAX) < 0 ? ttl : TTL_MAX);
    }

    /**
     * Replaces the entry. It may be kept for longer than others, because no worker has it yet.
     *
     * @return whether there is room for it
     */
    public boolean putImported(JobId job, Topic topic, String name, byte[] value, Duration ttl)
            throws IOException {
        if (value.length > VALUE_MAX || ttl.isNegative() || ttl.isZero() || isFull()) {
            return false;
        }
        var millis = Duration.ofMillis(Math.max(1, ttl.toMillis()));
        var _ =
                connection.execute(
                        redis ->
                                redis.set(
                                        key(job, topic, name), value, SetArgs.Builder.px(millis)));
        return true;
    }

    /**
     * Changes balances of trap patterns in order and returns each after all changes.
     *
     * @param id of the changes, which are applied once even if they are sent repeatedly; empty to
     *     read only
     * @param max no balance rises above this
     */
    public int[] updateTrapBalances(
            JobId job, String id, int max, List<Long> keys, List<Integer> by) throws IOException {
        var changes = new ArrayList<KeyRequest.BalanceChange>();
        for (var i = 0; i < keys.size(); i++) {
            var pattern = Long.toString(keys.get(i), Character.MAX_RADIX);
            changes.add(new KeyRequest.BalanceChange(pattern, by.get(i)));
        }
        return connection.call(
                new KeyRequest.ChangeBalances(
                        trapsKey(settings, job.number()),
                        settings.worker(),
                        id,
                        max,
                        BALANCES_MAX,
                        changes));
    }

    static String trapsKey(FleetSettings settings, int job) {
        return "ow:{" + settings.fleet() + ".job" + job + "}:traps";
    }

    private synchronized boolean isFull() throws IOException {
        var now = clock.instant();
        if (now.isBefore(checkedAt) || now.minus(CHECK_EVERY).isAfter(checkedAt)) {
            var memory = connection.memory(settings.overflowStore().redisBytes());
            var bound = memory.limit() == 0 ? DEFAULT_MEMORY_LIMIT : memory.limit();
            full = memory.used() > FULL_RATIO * bound;
            checkedAt = now;
        }
        return full;
    }

    private byte[] key(JobId job, Topic topic, String name) {
        return bytes(
                "ow:{%s.%s.%d.%s}".formatted(settings.fleet(), topic.letter, job.number(), name));
    }

    public long roundTrips() {
        return connection.roundTrips();
    }

    @Override
    public void close() {
        connection.close();
    }
}
