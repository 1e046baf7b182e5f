package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.StorageProblem;

import java.io.IOException;

/** Redis is unreachable at present, or is still loading its files. */
public final class RedisUnavailableException extends IOException {

    private static final long serialVersionUID = 1;

    RedisUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Wraps a failure of Redis in the exception that every frontier throws. */
    public static FrontierUnavailableException ofFrontier(IOException cause) {
        var problem =
                new StorageProblem(
                        StorageProblem.Storage.REDIS,
                        String.valueOf(cause.getMessage()),
                        cause instanceof RedisUnavailableException);
        return new FrontierUnavailableException(problem, cause);
    }
}
