package dev.orbweaver.internal.traps;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A bounded table of patterns. A key has eight slots; when all are taken, the least recently used
 * pattern is dropped, exhausted ones last. A dropped pattern starts again with its whole budget,
 * which costs requests and never a page.
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
        var place = bucket(key);
        for (var i = place; i < place + WAYS; i++) {
            if (keys[i] == key && urlPatterns[i] != null) {
                lastUsed[i] = ++time;
                return urlPatterns[i];
            }
        }
        return null;
    }

    UrlPattern getOrCreate(long key, UrlPattern.Kind kind, int most) {
        var known = find(key);
        if (known != null) {
            return known;
        }
        var made = new UrlPattern(key, kind);
        put(made, most);
        return made;
    }

    void put(UrlPattern urlPattern, int most) {
        var i = evictionSlot(bucket(urlPattern.key), most);
        keys[i] = urlPattern.key;
        lastUsed[i] = ++time;
        urlPatterns[i] = urlPattern;
    }

    private int evictionSlot(int place, int most) {
        var least = place;
        for (var i = place; i < place + WAYS; i++) {
            if (retentionRank(i, most) < retentionRank(least, most)) {
                least = i;
            }
        }
        return least;
    }

    private long retentionRank(int i, int most) {
        var urlPattern = urlPatterns[i];
        if (urlPattern == null) {
            return -1;
        }
        return urlPattern.isExhausted(most) ? lastUsed[i] + Long.MAX_VALUE / 2 : lastUsed[i];
    }

    private int bucket(long key) {
        return ((int) (key >>> 40) & mask) * WAYS;
    }

    /** Least recently used first. */
    List<UrlPattern> all() {
        var places = new ArrayList<Integer>();
        for (var i = 0; i < urlPatterns.length; i++) {
            if (urlPatterns[i] != null) {
                places.add(i);
            }
        }
        places.sort(Comparator.comparingLong(i -> lastUsed[i]));
        var all = new ArrayList<UrlPattern>(places.size());
        for (var i : places) {
            var urlPattern = urlPatterns[i];
            if (urlPattern != null) {
                all.add(urlPattern);
            }
        }
        return all;
    }
}
