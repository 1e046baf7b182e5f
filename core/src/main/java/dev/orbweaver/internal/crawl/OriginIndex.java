package dev.orbweaver.internal.crawl;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Where in a log the last answer of each origin lies, by a hash of its name. A hot path's table:
 * open addressing over plain arrays, 20 bytes a slot and never more than half full, so a million
 * origins take some 40 MB. Two names with the same hash take each other's place; whoever reads the
 * answer sees whose it is.
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
     * @param most how many origins it holds; when there are more, the older half is forgotten
     */
    OriginIndex(int most) {
        this.capacity = most;
    }

    /** How many origins there are. */
    int size() {
        return size;
    }

    /** How many bytes of the log are the last word on an origin. */
    long liveBytes() {
        return liveBytes;
    }

    /** Where an origin's last answer begins, or -1. */
    long find(long hash) {
        var slot = slot(key(hash));
        return keys[slot] == 0 ? -1 : offsets[slot];
    }

    /** Takes note of an answer in place of any before. */
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

    /** Forgets every answer whose place does not pass. */
    void retainIf(LongPredicate passes) {
        var oldKeys = keys;
        var oldOffsets = offsets;
        var oldLengths = lengths;
        clear(keys.length);
        for (var i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0 && passes.test(oldOffsets[i])) {
                add(oldKeys[i], oldOffsets[i], oldLengths[i]);
            }
        }
    }

    /** The places of all answers, in order. */
    long[] sortedOffsets() {
        var places = new long[size];
        var count = 0;
        for (var i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                places[count++] = offsets[i];
            }
        }
        Arrays.sort(places);
        return places;
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

    /** Zero means an empty slot. */
    private static long key(long hash) {
        return hash == 0 ? 1 : hash;
    }
}
