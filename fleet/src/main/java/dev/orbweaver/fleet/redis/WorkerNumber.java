package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.model.CaptureRef;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * The number of a worker in a fleet, constant for the life of the fleet: it identifies the lines of
 * the worker's log. A full Redis cannot assign one; a worker may still join it, to free memory, and
 * gets its number before it crawls.
 */
final class WorkerNumber {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerNumber.class);

    /** The field of the last assigned number; no conflict, because no worker has an empty name. */
    private static final byte[] LAST = new byte[0];

    private final RedisConnection connection;
    private final byte[] key;
    private final byte[] name;
    private volatile int number;

    WorkerNumber(RedisConnection link, FleetSettings settings) throws IOException {
        this.connection = link;
        this.key = bytes("ow:{" + settings.fleet() + "}:numbers");
        this.name = bytes(settings.worker());
        try {
            var _ = get();
        } catch (RedisUnavailableException e) {
            throw e;
        } catch (IOException e) {
            LOG.warn("could not assign a number to this worker yet: {}", e.getMessage());
        }
    }

    /** Returns the number; 0 while there is none. */
    int current() {
        return number;
    }

    /** Returns the number; allocates it if there is none yet. */
    synchronized int get() throws IOException {
        if (number == 0) {
            var known = connection.execute(redis -> redis.hget(key, name));
            number = Math.toIntExact(known == null ? allocate() : Long.parseLong(string(known)));
        }
        return number;
    }

    /**
     * Allocates a number. Another process with the same name may do so at the same time: the first
     * one written applies.
     */
    private long allocate() throws IOException {
        var next = connection.execute(redis -> redis.hincrby(key, LAST, 1));
        var own = bytes(Math.min(next, CaptureRef.WORKERS_MAX));
        var _ = connection.execute(redis -> redis.hsetnx(key, name, own));
        return Long.parseLong(string(connection.execute(redis -> redis.hget(key, name))));
    }
}
