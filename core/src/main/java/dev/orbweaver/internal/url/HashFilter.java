package dev.orbweaver.internal.url;

import dev.orbweaver.model.Fingerprint;

import java.util.Collection;

/**
 * Says of nearly every key that is not in a set that it is not, with one access to a small bit
 * table. A look-up in a large hash set waits for memory several times, and nearly all links are in
 * no such set.
 */
public final class HashFilter {

    private static final int BITS_PER_KEY = 16;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final long[] words;
    private final int shift;

    private HashFilter(int keys) {
        var wanted = (long) keys * BITS_PER_KEY / Long.SIZE;
        this.words = new long[Math.toIntExact(2 * Long.highestOneBit(Math.max(1, wanted)))];
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(words.length);
    }

    /** Creates a filter of names. */
    public static HashFilter ofNames(Collection<String> names) {
        var filter = new HashFilter(names.size());
        names.forEach(name -> filter.add(hash(name)));
        return filter;
    }

    /** Creates a filter of fingerprints. */
    public static HashFilter ofFingerprints(Collection<Fingerprint> keys) {
        var filter = new HashFilter(keys.size());
        keys.forEach(key -> filter.add(key.high()));
        return filter;
    }

    /** Returns false only if the set does not contain the name. */
    public boolean mayContain(String name) {
        return mayContain(hash(name));
    }

    /** Returns false only if the set does not contain the fingerprint. */
    public boolean mayContain(Fingerprint key) {
        return mayContain(key.high());
    }

    private static long hash(String name) {
        var product = name.hashCode() * SPREAD;
        return product ^ (product >>> Integer.SIZE);
    }

    private void add(long hash) {
        words[(int) (hash >>> shift)] |= bits(hash);
    }

    private boolean mayContain(long hash) {
        var bits = bits(hash);
        return (words[(int) (hash >>> shift)] & bits) == bits;
    }

    /** The first bits of a hash choose the word, the last ones three bits of it. */
    private static long bits(long hash) {
        return 1L << hash | 1L << (hash >>> 6) | 1L << (hash >>> 12);
    }
}
