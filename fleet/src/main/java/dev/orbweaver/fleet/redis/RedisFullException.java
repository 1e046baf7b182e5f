package dev.orbweaver.fleet.redis;

import java.io.IOException;

/** Redis replies, but has used its maxmemory and accepts no more data. */
public final class RedisFullException extends IOException {

    private static final long serialVersionUID = 1;

    public static final String MESSAGE =
            "Redis is full: it has reached its maxmemory and accepts no more data; raise maxmemory,"
                    + " or start the workers with --overflow";

    RedisFullException(Throwable cause) {
        super(MESSAGE, cause);
    }
}
