package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisFuture;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The list of a fleet's workers; those without a recent heartbeat are removed. */
final class WorkerRegistry {

    private final WorkerState worker;
    private final String incarnation;

    WorkerRegistry(WorkerState worker, String incarnation) {
        this.worker = worker;
        this.incarnation = incarnation;
    }

    /**
     * Records this worker, its activity and its number of hosts; removes workers without a recent
     * heartbeat.
     *
     * @param crawling whether it crawls the fleet's jobs; if not, it has no share of the hosts
     * @return the version of the fleet's jobs
     */
    String heartbeat(String activity, boolean crawling, Instant now) throws RedisDataLostException {
        var time = worker.advanceClock(now);
        var hosts = crawling ? worker.claimedHosts.all().size() : Fleet.NOT_CRAWLING;
        var sign = bytes(Fleet.heartbeat(time, hosts, activity));
        var own = bytes(worker.settings.worker());
        var charter = new AtomicReference<RedisFuture<List<KeyValue<byte[], byte[]>>>>();
        var all =
                worker.query(
                        redis -> {
                            charter.set(FleetCompatibility.readCharter(redis, worker.settings));
                            var _ = redis.hset(workersKey(), own, sign);
                            return redis.hgetall(workersKey());
                        });
        var others = new HashMap<String, Integer>();
        for (var each : all.entrySet()) {
            var name = string(each.getKey());
            var text = string(each.getValue());
            var seen = Fleet.parseHeartbeat(name, text).lastSeen().toEpochMilli();
            if (seen + worker.settings.workerTimeout().toMillis() < time) {
                var _ = worker.query(redis -> redis.hdel(workersKey(), each.getKey()));
                removeLastCall(each.getKey());
            } else if (!name.equals(worker.settings.worker())
                    && seen + FairShare.SILENT_MILLIS > time
                    && Fleet.hostsOf(text) != Fleet.NOT_CRAWLING) {
                others.put(name, Fleet.hostsOf(text));
            }
        }
        worker.hostClaimer.fairShare.setOthers(others);
        // Its reply came before the last one.
        return FleetCompatibility.jobsVersion(
                charter.get().toCompletableFuture().join(), worker.settings, incarnation);
    }

    /**
     * Removes a worker's last call, which is stored so that it can be repeated, and is useless once
     * the worker has left.
     */
    private void removeLastCall(byte[] name) {
        try {
            worker.connection.executeAll(
                    worker.shards.all(),
                    (redis, shard) -> redis.hdel(ShardKey.LAST_CALLS.of(shard), name));
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    private byte[] workersKey() {
        return RedisFrontier.fleetKey(worker.settings, "workers");
    }

    void leave() {
        var name = bytes(worker.settings.worker());
        var _ = worker.query(redis -> redis.hdel(workersKey(), name));
        removeLastCall(name);
    }
}
