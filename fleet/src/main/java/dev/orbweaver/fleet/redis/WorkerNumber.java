package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.model.CaptureRef;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * The number of a worker in a fleet, constant for the life of the fleet: it identifies the lines of
 * the worker's log. A Redis that is full cannot assign one; a worker may still join it, to relieve
 * it, and gets its number before it crawls.
 */
final class WorkerNumber {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerNumber.class);

    /** The field of the last assigned number: no worker has an empty name. */
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
            LOG.warn("this worker has no number yet: {}", e.getMessage());
        }
    }

    /** 0 while there is none. */
    int current() {
        return number;
    }

    /** The number, allocated if there is none yet. */
    synchronized int get() throws IOException {
        if (number == 0) {
            var known = connection.execute(redis -> redis.hget(key, name));
            number = Math.toIntExact(known == null ? allocate() : Long.parseLong(string(known)));
        }
        return number;
    }

    /** Another process of the same name may allocate one as well: the first one written counts. */
    private long allocate() throws IOException {
        var next = connection.execute(redis -> redis.hincrby(key, LAST, 1));
        var own = bytes(Math.min(next, CaptureRef.WORKERS_MAX));
        var _ = connection.execute(redis -> redis.hsetnx(key, name, own));
        return Long.parseLong(string(connection.execute(redis -> redis.hget(key, name))));
    }
}
