package dev.orbweaver.internal.crawl;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Maps the hash of each origin to the offset of its last log entry. A table for a hot path: open
 * addressing over plain arrays, 20 bytes per slot and at most half full, so a million origins take
 * about 40 MB. Two origins with the same hash overwrite each other; a reader checks the origin that
 * the entry names.
 */
final class OriginIndex {

    private static final int FIRST_SLOTS = 1024;

    private final int capacity;
    private long[] keys = new long[FIRST_SLOTS];
    private long[] offsets = new long[FIRST_SLOTS];
    private int[] lengths = new int[FIRST_SLOTS];
    private int size;
    private long liveBytes;

    /**
     * @param capacity the maximum number of origins; when it is exceeded, the older half is removed
     */
    OriginIndex(int capacity) {
        this.capacity = capacity;
    }

    /** Returns the number of origins. */
    int size() {
        return size;
    }

    /** Returns how many bytes of the log belong to the latest entries of their origins. */
    long liveBytes() {
        return liveBytes;
    }

    /** Returns the offset of an origin's last entry, or -1. */
    long find(long hash) {
        var slot = slot(key(hash));
        return keys[slot] == 0 ? -1 : offsets[slot];
    }

    /** Records an entry, replacing an earlier one. */
    void put(long hash, long offset, int length) {
        if (size >= capacity) {
            var middle = medianOffset();
            retainIf(at -> at > middle);
        }
        if (size >= keys.length / 2) {
            resize(keys.length * 2);
        }
        add(key(hash), offset, length);
    }

    private void add(long key, long offset, int length) {
        var slot = slot(key);
        if (keys[slot] == 0) {
            size++;
        }
        liveBytes += length - lengths[slot];
        keys[slot] = key;
        offsets[slot] = offset;
        lengths[slot] = length;
    }

    /** Removes every entry whose offset does not match. */
    void retainIf(LongPredicate predicate) {
        var oldKeys = keys;
        var oldOffsets = offsets;
        var oldLengths = lengths;
        clear(keys.length);
        for (var i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0 && predicate.test(oldOffsets[i])) {
                add(oldKeys[i], oldOffsets[i], oldLengths[i]);
            }
        }
    }

    /** Returns the offsets of all entries in ascending order. */
    long[] sortedOffsets() {
        var sorted = new long[size];
        var count = 0;
        for (var i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                sorted[count++] = offsets[i];
            }
        }
        Arrays.sort(sorted);
        return sorted;
    }

    private long medianOffset() {
        return sortedOffsets()[size / 2];
    }

    private void resize(int slots) {
        var oldKeys = keys;
        var oldOffsets = offsets;
        var oldLengths = lengths;
        clear(slots);
        for (var i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                add(oldKeys[i], oldOffsets[i], oldLengths[i]);
            }
        }
    }

    private void clear(int slots) {
        keys = new long[slots];
        offsets = new long[slots];
        lengths = new int[slots];
        size = 0;
        liveBytes = 0;
    }

    private int slot(long key) {
        var mask = keys.length - 1;
        var slot = (int) (key ^ (key >>> 32)) & mask;
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** Maps hash 0 to 1, because zero marks an empty slot. */
    private static long key(long hash) {
        return hash == 0 ? 1 : hash;
    }
}
