package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.url.FingerprintKey;

import java.io.IOException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * What all workers of a fleet must agree on. The layout of keys and the number of shards never
 * change. The host lease and the place of long queues may be changed, but not while any worker uses
 * the old terms.
 */
final class FleetCompatibility {

    /**
     * Changes whenever keys, values or scripts do so that workers of two versions must not meet.
     */
    static final int VERSION = 4;

    private static final String NO_FILES = "none";
    private static final String FINGERPRINT_KEY = "fingerprint-key";
    private static final String INCARNATION = "incarnation";

    private FleetCompatibility() {}

    /**
     * Creates the identity of a new fleet, or reads that of an existing one; the first worker
     * chooses it.
     */
    static Identity identify(RedisConnection link, FleetSettings settings) throws IOException {
        requireEqual(link, settings, "version", VERSION);
        requireEqual(link, settings, "shards", settings.shards());
        var key = fingerprintKey(link, settings);
        return new Identity(
                agreedValue(link, settings, INCARNATION, UUID.randomUUID().toString()), key);
    }

    /**
     * @param incarnation another one after Redis has lost its data
     * @param fingerprintKey of the fleet's fingerprints
     */
    record Identity(String incarnation, FingerprintKey fingerprintKey) {}

    /** Empty if Redis has none. */
    static String incarnation(RedisConnection link, FleetSettings settings) throws IOException {
        var now = link.execute(redis -> redis.hget(key(settings), bytes(INCARNATION)));
        return now == null ? "" : string(now);
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
                    "the fleet %s has a fingerprint key in Redis that is damaged: restore Redis from a copy, or begin another fleet"
                            .formatted(settings.fleet()),
                    e);
        }
    }

    private static byte[] key(FleetSettings settings) {
        return bytes("ow:{" + settings.fleet() + "}:charter");
    }

    private static void requireEqual(
            RedisConnection link, FleetSettings settings, String what, int ours)
            throws IOException {
        var theirs = agreedValue(link, settings, what, Integer.toString(ours));
        if (!theirs.equals(Integer.toString(ours))) {
            throw new IOException(
                    "the fleet %s has %s %s, this worker %d: they cannot work together"
                            .formatted(settings.fleet(), what, theirs, ours));
        }
    }

    /** The stored value; ours if there was none. */
    private static String agreedValue(
            RedisConnection link, FleetSettings settings, String what, String ours)
            throws IOException {
        var field = bytes(what);
        // Read before it is written: a worker may still join a Redis that is full, to relieve it.
        if (!link.execute(redis -> redis.hexists(key(settings), field))) {
            var _ = link.execute(redis -> redis.hsetnx(key(settings), field, bytes(ours)));
        }
        return string(link.execute(redis -> redis.hget(key(settings), field)));
    }

    /**
     * Agrees to the terms of a fleet.
     *
     * @param alone whether there is no other worker, so that they may be changed
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
                    "the fleet %s lends hosts for %s ms, this worker for %s ms: give all its workers the same --host-lease"
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
            return "the fleet %s keeps long queues in files: give this worker the same --overflow folder as the others"
                    .formatted(fleet);
        }
        return theirs.equals(NO_FILES)
                ? "the fleet %s has workers without --overflow, which could not read what this one moves to files: stop them first"
                        .formatted(fleet)
                : "the --overflow folder is not the one in which the fleet %s keeps its long queues"
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
