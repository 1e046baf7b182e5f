package dev.orbweaver.fleet.redis;

import java.io.IOException;

/** Redis cannot be reached just now, or is still reading its files: later it may be there. */
public final class RedisUnavailableException extends IOException {

    private static final long serialVersionUID = 1;

    RedisUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
