package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.model.CaptureRef;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * The number under which a fleet knows a worker, for as long as the fleet lives: by it others name
 * the lines of its log. A Redis that is full cannot give one; a worker may join it all the same, to
 * make room, and has its number before it crawls.
 */
final class WorkerNumber {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerNumber.class);

    /** Where the number stands that was given last: no worker has an empty name. */
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

    /** The number, 0 while there is none. */
    int current() {
        return number;
    }

    /** The number, drawn if there is none yet. */
    synchronized int get() throws IOException {
        if (number == 0) {
            var known = connection.execute(redis -> redis.hget(key, name));
            number = Math.toIntExact(known == null ? allocate() : Long.parseLong(string(known)));
        }
        return number;
    }

    /** Another process of the same name may draw as well: what was written first counts. */
    private long allocate() throws IOException {
        var next = connection.execute(redis -> redis.hincrby(key, LAST, 1));
        var own = bytes(Math.min(next, CaptureRef.WORKERS_MAX));
        var _ = connection.execute(redis -> redis.hsetnx(key, name, own));
        return Long.parseLong(string(connection.execute(redis -> redis.hget(key, name))));
    }
}
