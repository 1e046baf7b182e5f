package dev.orbweaver.frontier.redis;

import java.io.IOException;

/** Redis cannot be reached just now, or is still reading its files: later it may be there. */
public final class RedisAwayException extends IOException {

    private static final long serialVersionUID = 1;

    RedisAwayException(String message, Throwable cause) {
        super(message, cause);
    }
}
