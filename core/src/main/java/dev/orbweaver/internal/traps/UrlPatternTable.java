package dev.orbweaver.internal.traps;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A bounded table of patterns. A key has eight slots; if all are occupied, the least recently used
 * pattern is evicted, exhausted ones last. An evicted pattern starts again with its full budget,
 * which costs requests but never loses a page.
 */
final class UrlPatternTable {

    private static final int WAYS = 8;

    private final long[] keys;
    private final long[] lastUsed;
    private final @Nullable UrlPattern[] urlPatterns;
    private final int mask;
    private long time;

    /**
     * @param size a power of two
     */
    UrlPatternTable(int size) {
        keys = new long[size];
        lastUsed = new long[size];
        urlPatterns = new UrlPattern[size];
        mask = size / WAYS - 1;
    }

    @Nullable UrlPattern find(long key) {
        var bucket = bucket(key);
        for (var i = bucket; i < bucket + WAYS; i++) {
            if (keys[i] == key && urlPatterns[i] != null) {
                lastUsed[i] = ++time;
                return urlPatterns[i];
            }
        }
        return null;
    }

    UrlPattern getOrCreate(long key, UrlPattern.Kind kind, int budget) {
        var known = find(key);
        if (known != null) {
            return known;
        }
        var created = new UrlPattern(key, kind);
        put(created, budget);
        return created;
    }

    void put(UrlPattern urlPattern, int budget) {
        var i = evictionSlot(bucket(urlPattern.key), budget);
        keys[i] = urlPattern.key;
        lastUsed[i] = ++time;
        urlPatterns[i] = urlPattern;
    }

    private int evictionSlot(int bucket, int budget) {
        var oldest = bucket;
        for (var i = bucket; i < bucket + WAYS; i++) {
            if (retentionRank(i, budget) < retentionRank(oldest, budget)) {
                oldest = i;
            }
        }
        return oldest;
    }

    private long retentionRank(int i, int budget) {
        var urlPattern = urlPatterns[i];
        if (urlPattern == null) {
            return -1;
        }
        return urlPattern.isExhausted(budget) ? lastUsed[i] + Long.MAX_VALUE / 2 : lastUsed[i];
    }

    private int bucket(long key) {
        return ((int) (key >>> 40) & mask) * WAYS;
    }

    /** Returns all patterns, least recently used first. */
    List<UrlPattern> all() {
        var slots = new ArrayList<Integer>();
        for (var i = 0; i < urlPatterns.length; i++) {
            if (urlPatterns[i] != null) {
                slots.add(i);
            }
        }
        slots.sort(Comparator.comparingLong(i -> lastUsed[i]));
        var all = new ArrayList<UrlPattern>(slots.size());
        for (var i : slots) {
            var urlPattern = urlPatterns[i];
            if (urlPattern != null) {
                all.add(urlPattern);
            }
        }
        return all;
    }
}
