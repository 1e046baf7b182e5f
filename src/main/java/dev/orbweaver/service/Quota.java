package dev.orbweaver.service;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** How many calls each caller may make: so many at once, and then so many a second. */
final class Quota {

    /** Callers of whom nothing was heard for long are forgotten. */
    private static final int CALLERS_MAX = 10_000;

    private static final double NANOS = 1e9;

    private static final class Bucket {
        private double left;
        private long at;

        private Bucket(double left, long at) {
            this.left = left;
            this.at = at;
        }
    }

    private final double burst;
    private final double perSecond;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                    return size() > CALLERS_MAX;
                }
            };

    Quota(double burst, double perSecond, LongSupplier nanos) {
        this.burst = burst;
        this.perSecond = perSecond;
        this.nanos = nanos;
    }

    /** Whether the caller has a call left. */
    synchronized boolean has(String caller) {
        return bucket(caller).left >= 1;
    }

    /** Takes one call; false when the caller has used up what it had. */
    synchronized boolean take(String caller) {
        var bucket = bucket(caller);
        if (bucket.left < 1) {
            return false;
        }
        bucket.left--;
        return true;
    }

    private Bucket bucket(String caller) {
        var now = nanos.getAsLong();
        var bucket = buckets.computeIfAbsent(caller, _ -> new Bucket(burst, now));
        bucket.left = Math.min(burst, bucket.left + (now - bucket.at) / NANOS * perSecond);
        bucket.at = now;
        return bucket;
    }
}
