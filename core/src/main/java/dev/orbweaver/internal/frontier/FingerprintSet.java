package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * An exact set of fingerprints in two flat arrays: 10 bytes per slot, at most two thirds full,
 * linear probing. A fingerprint is already a hash, so its own bits choose the slot. The all-zero
 * fingerprint marks an empty slot and is stored separately.
 */
public final class FingerprintSet implements SeenSet {

    private static final int FIRST_SLOTS = 1 << 10;

    private long[] highs = new long[FIRST_SLOTS];
    private short[] lows = new short[FIRST_SLOTS];
    private boolean hasZero;
    private int size;

    @Override
    public void add(Fingerprint key) {
        var _ = addIfNew(key);
    }

    @Override
    public void commit() {}

    /** Adds a key and returns whether it was new. */
    public boolean addIfNew(Fingerprint key) {
        if (key.high() == 0 && key.low() == 0) {
            var isNew = !hasZero;
            hasZero = true;
            size += isNew ? 1 : 0;
            return isNew;
        }
        var slot = find(key.high(), key.low());
        if (occupied(slot)) {
            return false;
        }
        highs[slot] = key.high();
        lows[slot] = key.low();
        size++;
        if (size * 3L > highs.length * 2L) {
            grow();
        }
        return true;
    }

    @Override
    public boolean contains(Fingerprint key) {
        if (key.high() == 0 && key.low() == 0) {
            return hasZero;
        }
        return occupied(find(key.high(), key.low()));
    }

    public long size() {
        return size;
    }

    @Override
    public void forEach(Consumer<Fingerprint> action) {
        if (hasZero) {
            action.accept(new Fingerprint(0, (short) 0));
        }
        for (var slot = 0; slot < highs.length; slot++) {
            if (occupied(slot)) {
                action.accept(new Fingerprint(highs[slot], lows[slot]));
            }
        }
    }

    /** Removes all keys but keeps the arrays. */
    public void clear() {
        if (size > 0) {
            Arrays.fill(highs, 0);
            Arrays.fill(lows, (short) 0);
            hasZero = false;
            size = 0;
        }
    }

    private int find(long high, short low) {
        var mask = highs.length - 1;
        var slot = (int) (high ^ (high >>> 32)) & mask;
        while (occupied(slot) && (highs[slot] != high || lows[slot] != low)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean occupied(int slot) {
        return highs[slot] != 0 || lows[slot] != 0;
    }

    private void grow() {
        var oldHighs = highs;
        var oldLows = lows;
        highs = new long[oldHighs.length * 2];
        lows = new short[oldLows.length * 2];
        for (var i = 0; i < oldHighs.length; i++) {
            if (oldHighs[i] != 0 || oldLows[i] != 0) {
                var slot = find(oldHighs[i], oldLows[i]);
                highs[slot] = oldHighs[i];
                lows[slot] = oldLows[i];
            }
        }
    }
}
