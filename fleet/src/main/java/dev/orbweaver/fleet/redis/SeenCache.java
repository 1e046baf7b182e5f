package dev.orbweaver.fleet.redis;

import dev.orbweaver.model.Fingerprint;

import java.util.Arrays;

/**
 * A bounded cache of keys that are known to be in Redis: a new key replaces the one in its slot. A
 * hit is certain; a miss requires a call of Redis.
 */
final class SeenCache {

    private final long[] high;
    private final int[] low;
    private final int mask;

    SeenCache(int entries) {
        var size = Integer.highestOneBit(Math.max(2, entries));
        this.high = new long[size];
        this.low = new int[size];
        this.mask = size - 1;
    }

    boolean contains(int job, Fingerprint key) {
        var slot = slot(job, key);
        return high[slot] == high(job, key) && low[slot] == low(key);
    }

    void add(int job, Fingerprint key) {
        var slot = slot(job, key);
        high[slot] = high(job, key);
        low[slot] = low(key);
    }

    void clear() {
        Arrays.fill(low, 0);
    }

    private int slot(int job, Fingerprint key) {
        var mixed = (key.high() + job) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & mask;
    }

    /** Rotates the bits by job; two keys of one job stay different. */
    private static long high(int job, Fingerprint key) {
        return key.high() ^ (job * 0xC2B2AE3D27D4EB4FL);
    }

    /** Returns the low bits, never 0, which marks an empty slot. */
    private static int low(Fingerprint key) {
        return 1 << 16 | (key.low() & 0xFFFF);
    }
}
