package dev.orbweaver.internal.scope;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Fingerprints;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A set of many names, such as the hosts of ten million seeds, with 64 bits of a keyed hash for
 * each. The chance that a name which is not in a set of ten million is found in it is 1 in 10^12.
 *
 * <p>Names may be added while others look up names. The table is at most half full, with linear
 * probing.
 */
final class NameSet {

    private static final int FIRST_SLOTS = 1 << 6;

    /** The names themselves are kept of a few only. */
    private static final int SHOWN_MAX = 5;

    private final FingerprintKey key = FingerprintKey.random();
    private final Set<String> shown = new TreeSet<>();
    private volatile AtomicLongArray slots = new AtomicLongArray(FIRST_SLOTS);
    private volatile int size;

    int size() {
        return size;
    }

    /** Returns the names in order if they are few, otherwise none. */
    synchronized Set<String> shown() {
        return size <= SHOWN_MAX ? new TreeSet<>(shown) : Set.of();
    }

    boolean contains(String name) {
        var hash = hash(name);
        var table = slots;
        return table.get(find(table, hash)) == hash;
    }

    /** Adds a name and returns whether it was new. */
    boolean add(String name) {
        return !contains(name) && addNew(name);
    }

    private synchronized boolean addNew(String name) {
        var hash = hash(name);
        if (2 * (size + 1) > slots.length()) {
            grow();
        }
        var slot = find(slots, hash);
        if (slots.get(slot) == hash) {
            return false;
        }
        slots.set(slot, hash);
        size++;
        if (size <= SHOWN_MAX) {
            shown.add(name);
        }
        return true;
    }

    private void grow() {
        var larger = new AtomicLongArray(2 * slots.length());
        for (var i = 0; i < slots.length(); i++) {
            if (slots.get(i) != 0) {
                larger.set(find(larger, slots.get(i)), slots.get(i));
            }
        }
        slots = larger;
    }

    /** Returns the slot of a hash, or the free one where it would be. */
    private static int find(AtomicLongArray table, long hash) {
        var slot = (int) hash & (table.length() - 1);
        while (table.get(slot) != 0 && table.get(slot) != hash) {
            slot = (slot + 1) & (table.length() - 1);
        }
        return slot;
    }

    /** Returns a hash that is not 0, which marks a free slot. */
    private long hash(String name) {
        var bytes = name.getBytes(UTF_8);
        var hash = Fingerprints.of(key, bytes, 0, bytes.length).high();
        return hash == 0 ? 1 : hash;
    }
}
