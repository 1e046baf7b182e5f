package dev.orbweaver.fleet.redis;

import java.io.IOException;

/**
 * Redis replies, but no longer has the data of the fleet that was opened: it was emptied, or
 * restarted without its files.
 */
public final class RedisDataLostException extends IOException {

    private static final long serialVersionUID = 1;

    RedisDataLostException(String fleet) {
        super(
                "Redis lost its data: the jobs and queues of the fleet %s are missing (Redis was emptied, or started without its append-only file)"
                        .formatted(fleet));
    }
}
