package dev.orbweaver.crawl;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A fixed number of patterns by their keys. A key has eight places; where all are taken, the
 * pattern that was asked for longest ago makes room, one that is spent last of all. A forgotten
 * pattern begins again with its whole budget, so forgetting costs requests and never a page.
 */
final class PatternTable {

    private static final int WAYS = 8;

    private final long[] keys;
    private final long[] askedAt;
    private final @Nullable Pattern[] patterns;
    private final int mask;
    private long time;

    /** A table with room for so many patterns, a power of two. */
    PatternTable(int size) {
        keys = new long[size];
        askedAt = new long[size];
        patterns = new Pattern[size];
        mask = size / WAYS - 1;
    }

    @Nullable Pattern find(long key) {
        var place = place(key);
        for (var i = place; i < place + WAYS; i++) {
            if (keys[i] == key && patterns[i] != null) {
                askedAt[i] = ++time;
                return patterns[i];
            }
        }
        return null;
    }

    /** The pattern of a key, a new one if need be. */
    Pattern obtain(long key, Pattern.Kind kind, int most) {
        var known = find(key);
        if (known != null) {
            return known;
        }
        var made = new Pattern(key, kind);
        put(made, most);
        return made;
    }

    void put(Pattern pattern, int most) {
        var i = leastWorth(place(pattern.key), most);
        keys[i] = pattern.key;
        askedAt[i] = ++time;
        patterns[i] = pattern;
    }

    private int leastWorth(int place, int most) {
        var least = place;
        for (var i = place; i < place + WAYS; i++) {
            if (worth(i, most) < worth(least, most)) {
                least = i;
            }
        }
        return least;
    }

    private long worth(int i, int most) {
        var pattern = patterns[i];
        if (pattern == null) {
            return -1;
        }
        return pattern.spent(most) ? askedAt[i] + Long.MAX_VALUE / 2 : askedAt[i];
    }

    private int place(long key) {
        return ((int) (key >>> 40) & mask) * WAYS;
    }

    /** All there are, those asked for longest ago first. */
    List<Pattern> all() {
        var places = new ArrayList<Integer>();
        for (var i = 0; i < patterns.length; i++) {
            if (patterns[i] != null) {
                places.add(i);
            }
        }
        places.sort(Comparator.comparingLong(i -> askedAt[i]));
        var all = new ArrayList<Pattern>(places.size());
        for (var i : places) {
            var pattern = patterns[i];
            if (pattern != null) {
                all.add(pattern);
            }
        }
        return all;
    }
}
