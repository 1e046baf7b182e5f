package dev.orbweaver.frontier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The hosts by name, in a flat table: with a million of them every reference counts. */
final class HostTable {

    private static final int FIRST_SLOTS = 1 << 6;

    private final List<HostQueue> inOrder = new ArrayList<>();
    private @Nullable HostQueue[] slots = new HostQueue[FIRST_SLOTS];

    @Nullable HostQueue find(String name) {
        return slots[slot(name)];
    }

    void add(HostQueue host) {
        inOrder.add(host);
        slots[slot(host.name)] = host;
        if (inOrder.size() * 2 > slots.length) {
            slots = new HostQueue[slots.length * 2];
            inOrder.forEach(each -> slots[slot(each.name)] = each);
        }
    }

    /** Takes a host out. Those behind it in the table close up, so that each is still found. */
    void remove(HostQueue host) {
        inOrder.remove(host);
        var mask = slots.length - 1;
        var gap = slot(host.name);
        slots[gap] = null;
        for (var next = (gap + 1) & mask; ; next = (next + 1) & mask) {
            var there = slots[next];
            if (there == null) {
                return;
            }
            slots[next] = null;
            slots[slot(there.name)] = there;
        }
    }

    private int slot(String name) {
        var hash = name.hashCode() * 0x9E3779B9;
        var mask = slots.length - 1;
        var slot = (hash ^ (hash >>> 16)) & mask;
        while (true) {
            var there = slots[slot];
            if (there == null || there.name.equals(name)) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /** Every host, in the order in which they came. */
    List<HostQueue> inOrder() {
        return inOrder;
    }

    int size() {
        return inOrder.size();
    }
}
