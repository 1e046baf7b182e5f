package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.url.FingerprintKey;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Settings that all workers of a fleet must have in common. The layout of keys and the number of
 * shards never change. The host lease and the overflow store may be changed, but not while any
 * worker uses the old settings.
 */
final class FleetCompatibility {

    /**
     * Incremented whenever keys, values or scripts change so that workers of two versions are
     * incompatible.
     */
    static final int VERSION = 9;

    static final String KEY = ":charter";
    private static final String NO_FILES = "none";
    private static final String FINGERPRINT_KEY = "fingerprint-key";
    private static final String INCARNATION = "incarnation";

    private FleetCompatibility() {}

    /**
     * Creates the identity of a new fleet, or reads that of an existing one; the first worker
     * chooses it.
     */
    static Identity identify(RedisConnection link, FleetSettings settings) throws IOException {
        requireEqual(
                link,
                settings,
                "version",
                VERSION,
                "use the program that the other workers use, or give this one another --fleet");
        requireEqual(
                link, settings, "shards", settings.shards(), "use the same number for all workers");
        var key = fingerprintKey(link, settings);
        return new Identity(
                agreedValue(link, settings, INCARNATION, UUID.randomUUID().toString()), key);
    }

    /**
     * @param incarnation changes if Redis loses its data
     * @param fingerprintKey of the fleet's fingerprints
     */
    record Identity(String incarnation, FingerprintKey fingerprintKey) {}

    /** Returns the incarnation; empty if Redis has none. */
    static String incarnation(RedisConnection link, FleetSettings settings) throws IOException {
        var now = link.execute(redis -> redis.hget(key(settings), bytes(INCARNATION)));
        return now == null ? "" : string(now);
    }

    /** Reads which data Redis has, and the version of the fleet's jobs. */
    static RedisFuture<List<KeyValue<byte[], byte[]>>> readCharter(
            RedisClusterAsyncCommands<byte[], byte[]> redis, FleetSettings settings) {
        return redis.hmget(key(settings), bytes(INCARNATION), bytes(Fleet.JOBS_VERSION));
    }

    /**
     * Returns the version of the fleet's jobs.
     *
     * @param charter the reply to {@link #readCharter}
     * @throws RedisDataLostException if Redis has the data of another incarnation
     */
    static String jobsVersion(
            List<KeyValue<byte[], byte[]>> charter, FleetSettings settings, String incarnation)
            throws RedisDataLostException {
        if (!incarnation.equals(charter.get(0).map(RedisConnection::string).getValueOrElse(""))) {
            throw new RedisDataLostException(settings.fleet());
        }
        return charter.get(1).map(RedisConnection::string).getValueOrElse("");
    }

    private static FingerprintKey fingerprintKey(RedisConnection link, FleetSettings settings)
            throws IOException {
        var hex = HexFormat.of();
        var ours = hex.formatHex(FingerprintKey.random().bytes());
        var theirs = agreedValue(link, settings, FINGERPRINT_KEY, ours);
        try {
            return FingerprintKey.of(hex.parseHex(theirs));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the fleet %s has a damaged fingerprint key in Redis: restore Redis from a backup, or start another fleet"
                            .formatted(settings.fleet()),
                    e);
        }
    }

    static byte[] key(FleetSettings settings) {
        return bytes("ow:{" + settings.fleet() + "}" + KEY);
    }

    private static void requireEqual(
            RedisConnection link, FleetSettings settings, String what, int ours, String advice)
            throws IOException {
        var theirs = agreedValue(link, settings, what, Integer.toString(ours));
        if (!theirs.equals(Integer.toString(ours))) {
            throw new IOException(
                    "the fleet %s has %s %s, but this worker %d: they are incompatible; %s"
                            .formatted(settings.fleet(), what, theirs, ours, advice));
        }
    }

    /** Returns the stored value; stores ours if there was none. */
    private static String agreedValue(
            RedisConnection link, FleetSettings settings, String what, String ours)
            throws IOException {
        var field = bytes(what);
        // Read before it is written: a worker may still join a Redis that is full, to free memory.
        if (!link.execute(redis -> redis.hexists(key(settings), field))) {
            var _ = link.execute(redis -> redis.hsetnx(key(settings), field, bytes(ours)));
        }
        return string(link.execute(redis -> redis.hget(key(settings), field)));
    }

    /**
     * Checks that this worker has the settings of the fleet.
     *
     * @param alone whether there is no other worker, so that the settings may be changed
     */
    static void requireSameTerms(RedisConnection link, FleetSettings settings, boolean alone)
            throws IOException {
        var lease = Long.toString(settings.hostLease().toMillis());
        var agreed = agreedValue(link, settings, "host-lease", lease);
        if (!agreed.equals(lease)) {
            change(
                    link,
                    settings,
                    "host-lease",
                    lease,
                    alone,
                    "the fleet %s has a host lease of %s ms, but this worker %s ms: use the same --host-lease for all its workers"
                            .formatted(settings.fleet(), agreed, lease));
        }
        var files =
                settings.overflowStore() instanceof OverflowStore.InFiles place
                        ? OverflowFiles.id(place.directory().resolve(settings.fleet()))
                        : NO_FILES;
        var theirs = agreedValue(link, settings, "overflow", files);
        if (!theirs.equals(files)) {
            change(
                    link,
                    settings,
                    "overflow",
                    files,
                    alone && theirs.equals(NO_FILES),
                    difference(settings.fleet(), files, theirs));
        }
    }

    private static String difference(String fleet, String ours, String theirs) {
        if (ours.equals(NO_FILES)) {
            return "the fleet %s stores long queues in files: use the same --overflow directory as the other workers"
                    .formatted(fleet);
        }
        return theirs.equals(NO_FILES)
                ? "the fleet %s has workers without --overflow, which could not read the files that this one writes: stop them first"
                        .formatted(fleet)
                : "the --overflow directory is not the one in which the fleet %s stores its long queues"
                        .formatted(fleet);
    }

    private static void change(
            RedisConnection link,
            FleetSettings settings,
            String what,
            String to,
            boolean allowed,
            String objection)
            throws IOException {
        if (!allowed) {
            throw new IOException(objection);
        }
        var _ = link.execute(redis -> redis.hset(key(settings), bytes(what), bytes(to)));
    }
}
