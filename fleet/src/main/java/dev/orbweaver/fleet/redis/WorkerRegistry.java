package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;

import java.time.Instant;

/** The list of a fleet's workers; those without a recent heartbeat are removed. */
final class WorkerRegistry {

    private final WorkerState worker;

    WorkerRegistry(WorkerState worker) {
        this.worker = worker;
    }

    /** Records this worker and its activity; removes workers without a recent heartbeat. */
    void heartbeat(String activity, Instant now) {
        var time = worker.advanceClock(now);
        var sign = bytes(time + " " + activity);
        var _ =
                worker.query(
                        redis -> redis.hset(workersKey(), bytes(worker.settings.worker()), sign));
        for (var each : worker.query(redis -> redis.hgetall(workersKey())).entrySet()) {
            var seen = Fleet.parseHeartbeat(string(each.getKey()), string(each.getValue()));
            if (seen.lastSeen().plus(worker.settings.workerTimeout()).toEpochMilli() < time) {
                var _ = worker.query(redis -> redis.hdel(workersKey(), each.getKey()));
                removeLastCall(each.getKey());
            }
        }
    }

    /**
     * Removes a worker's last call, which is stored so that it can be repeated, and is useless once
     * the worker has left.
     */
    private void removeLastCall(byte[] name) {
        for (var shard : worker.shards.all()) {
            var _ = worker.query(redis -> redis.hdel(ShardKey.LAST_CALLS.of(shard), name));
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
