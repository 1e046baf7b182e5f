package dev.orbweaver.fleet.redis;

import java.io.IOException;

/** Redis answers, but has used its maxmemory and takes nothing more. */
public final class RedisFullException extends IOException {

    private static final long serialVersionUID = 1;

    /** What to tell of a Redis that is full. */
    public static final String MESSAGE =
            "Redis is full: it has used its maxmemory and takes nothing more; raise maxmemory, or"
                    + " give the workers --overflow";

    RedisFullException(Throwable cause) {
        super(MESSAGE, cause);
    }
}
