package dev.orbweaver.export;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.util.Arrays;

/** Assigns consecutive indexes to numbers. Uses arrays: 12 to 24 bytes per number. */
final class LongIndex {

    private static final int INITIAL_CAPACITY = 1024;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private long[] keys = new long[INITIAL_CAPACITY];
    private int[] ordinals = filled(INITIAL_CAPACITY);
    private int size;

    private static int[] filled(int length) {
        var places = new int[length];
        Arrays.fill(places, -1);
        return places;
    }

    int size() {
        return size;
    }

    /** Returns the index of a number, or -1. */
    int find(long key) {
        return ordinals[slot(key)];
    }

    boolean contains(long key) {
        return find(key) >= 0;
    }

    /** Returns the index of a number; assigns one if it is new. */
    @CanIgnoreReturnValue
    int add(long key) {
        if (size * 2 >= keys.length) {
            grow();
        }
        var slot = slot(key);
        if (ordinals[slot] < 0) {
            keys[slot] = key;
            ordinals[slot] = size++;
        }
        return ordinals[slot];
    }

    /** Adds a number; returns whether it is new. */
    boolean addNew(long key) {
        var before = size;
        add(key);
        return size > before;
    }

    private int slot(long key) {
        var mask = keys.length - 1;
        var slot = (int) ((key * MIX) >>> 32) & mask;
        while (ordinals[slot] >= 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        var oldKeys = keys;
        var oldPlaces = ordinals;
        keys = new long[oldKeys.length * 2];
        ordinals = filled(keys.length);
        for (var i = 0; i < oldKeys.length; i++) {
            if (oldPlaces[i] >= 0) {
                var slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                ordinals[slot] = oldPlaces[i];
            }
        }
    }
}
