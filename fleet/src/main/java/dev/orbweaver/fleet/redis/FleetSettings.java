package dev.orbweaver.fleet.redis;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How a worker joins a fleet.
 *
 * @param uri of Redis: {@code redis://}, {@code rediss://} or {@code redis-sentinel://}, with user
 *     and password; a cluster is detected, and may be given by several URIs separated by commas
 * @param fleet the fleet's name, part of every key
 * @param worker this worker's name; must be the same after a restart
 * @param shards number of shards of the fleet's hosts; the same for all workers
 * @param hostLease hosts of a worker that stops renewing become available to others after this
 * @param urlsPerHost maximum URLs of a host that are claimed at once
 * @param workerTimeout after how long without a heartbeat a worker is removed
 * @param timeout for replies of Redis
 * @param seenCache maximum number of fingerprints in a worker's own cache
 * @param maxStatsAge maximum age of statistics of the whole fleet
 * @param overflowStore where the URLs of long queues are stored
 */
public record FleetSettings(
        String uri,
        String fleet,
        String worker,
        int shards,
        Duration hostLease,
        int urlsPerHost,
        Duration workerTimeout,
        Duration timeout,
        int seenCache,
        Duration maxStatsAge,
        OverflowStore overflowStore) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final int URLS_PER_HOST_MAX = 50;
    private static final int SHARDS_MAX = 4096;

    public FleetSettings {
        if (!NAME.matcher(fleet).matches() || !NAME.matcher(worker).matches()) {
            throw new IllegalArgumentException(
                    "the name of a fleet or worker must be 1 to 64 letters, digits or one of . _"
                            + " -");
        }
        if (shards < 1 || shards > SHARDS_MAX) {
            throw new IllegalArgumentException(
                    "shards must be 1 to " + SHARDS_MAX + ", not " + shards);
        }
        if (urlsPerHost < 1 || urlsPerHost > URLS_PER_HOST_MAX) {
            throw new IllegalArgumentException(
                    "URLs per host must be 1 to " + URLS_PER_HOST_MAX + ", not " + urlsPerHost);
        }
        if (hostLease.toMillis() < 1 || timeout.toMillis() < 1 || workerTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("host lease and timeouts must be at least 1 ms");
        }
        if (seenCache < 1) {
            throw new IllegalArgumentException("the seen cache must hold at least 1 fingerprint");
        }
    }

    public static FleetSettings of(String uri, String fleet, String worker) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                256,
                Duration.ofSeconds(30),
                URLS_PER_HOST_MAX,
                Duration.ofMinutes(10),
                Duration.ofSeconds(5),
                1 << 20,
                Duration.ofSeconds(1),
                new OverflowStore.InRedis());
    }

    public FleetSettings withShards(int count) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                count,
                hostLease,
                urlsPerHost,
                workerTimeout,
                timeout,
                seenCache,
                maxStatsAge,
                overflowStore);
    }

    public FleetSettings withWorker(String name) {
        return new FleetSettings(
                uri,
                fleet,
                name,
                shards,
                hostLease,
                urlsPerHost,
                workerTimeout,
                timeout,
                seenCache,
                maxStatsAge,
                overflowStore);
    }

    public FleetSettings withTimes(Duration lease, Duration gone, Duration answer) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                shards,
                lease,
                urlsPerHost,
                gone,
                answer,
                seenCache,
                maxStatsAge,
                overflowStore);
    }

    public FleetSettings withHostLease(Duration lease) {
        return withTimes(lease, workerTimeout, timeout);
    }

    public FleetSettings withMaxStatsAge(Duration age) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                shards,
                hostLease,
                urlsPerHost,
                workerTimeout,
                timeout,
                seenCache,
                age,
                overflowStore);
    }

    public FleetSettings withOverflowStore(OverflowStore where) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                shards,
                hostLease,
                urlsPerHost,
                workerTimeout,
                timeout,
                seenCache,
                maxStatsAge,
                where);
    }

    public FleetSettings withUrlsPerHost(int count) {
        return new FleetSettings(
                uri,
                fleet,
                worker,
                shards,
                hostLease,
                count,
                workerTimeout,
                timeout,
                seenCache,
                maxStatsAge,
                overflowStore);
    }
}
