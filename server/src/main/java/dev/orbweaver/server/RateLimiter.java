package dev.orbweaver.server;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** A token bucket for each caller. */
final class RateLimiter {

    /** The maximum number of callers kept; idle ones are dropped first. */
    private static final int CALLERS_MAX = 10_000;

    private static final double NANOS = 1e9;

    private static final class TokenBucket {
        private double tokens;
        private long refilledAt;

        private TokenBucket(double left, long at) {
            this.tokens = left;
            this.refilledAt = at;
        }
    }

    private final double burst;
    private final double perSecond;
    private final LongSupplier nanos;
    private final Map<String, TokenBucket> tokenBuckets =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
                    return size() > CALLERS_MAX;
                }
            };

    RateLimiter(double burst, double perSecond, LongSupplier nanos) {
        this.burst = burst;
        this.perSecond = perSecond;
        this.nanos = nanos;
    }

    synchronized boolean hasToken(String caller) {
        return bucket(caller).tokens >= 1;
    }

    /** Takes one token; returns false if none is available. */
    boolean tryAcquire(String caller) {
        return tryAcquire(caller, 1);
    }

    /** Takes several tokens; takes none and returns false if fewer are available. */
    synchronized boolean tryAcquire(String caller, int count) {
        var tokenBucket = bucket(caller);
        if (tokenBucket.tokens < count) {
            return false;
        }
        tokenBucket.tokens -= count;
        return true;
    }

    /** Returns the time until several tokens are available. */
    synchronized Duration delay(String caller, int count) {
        var missing = Math.max(0, count - bucket(caller).tokens);
        return Duration.ofMillis((long) Math.ceil(1_000 * missing / perSecond));
    }

    private TokenBucket bucket(String caller) {
        var now = nanos.getAsLong();
        var tokenBucket = tokenBuckets.computeIfAbsent(caller, _ -> new TokenBucket(burst, now));
        tokenBucket.tokens =
                Math.min(
                        burst,
                        tokenBucket.tokens + (now - tokenBucket.refilledAt) / NANOS * perSecond);
        tokenBucket.refilledAt = now;
        return tokenBucket;
    }
}
