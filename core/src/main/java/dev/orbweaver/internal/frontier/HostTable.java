package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds hosts by name in a flat table: with a million hosts, every reference counts.
 *
 * <p>Names come from the web, and sites can choose names with equal hash codes. So probing is
 * bounded; a host that finds no slot is stored in a hash map, which stays fast because strings are
 * comparable.
 */
final class HostTable {

    private static final int FIRST_SLOTS = 1 << 6;
    private static final int PROBES_MAX = 32;

    private final List<HostQueue> inOrder = new ArrayList<>();
    private final Map<String, HostQueue> overflow = new HashMap<>();
    private @Nullable HostQueue[] slots = new HostQueue[FIRST_SLOTS];

    @Nullable HostQueue find(String name) {
        var first = homeSlot(name);
        for (var probe = 0; probe < PROBES_MAX; probe++) {
            var there = slots[(first + probe) & (slots.length - 1)];
            if (there == null) {
                break;
            }
            if (there.name.equals(name)) {
                return there;
            }
        }
        return overflow.isEmpty() ? null : overflow.get(name);
    }

    /** Adds a host whose name is not in the table. */
    void add(HostQueue host) {
        inOrder.add(host);
        insert(host);
        if (inOrder.size() * 2 > slots.length) {
            slots = new HostQueue[slots.length * 2];
            overflow.clear();
            inOrder.forEach(this::insert);
        }
    }

    private void insert(HostQueue host) {
        var first = homeSlot(host.name);
        for (var probe = 0; probe < PROBES_MAX; probe++) {
            var slot = (first + probe) & (slots.length - 1);
            if (slots[slot] == null) {
                slots[slot] = host;
                return;
            }
        }
        overflow.put(host.name, host);
    }

    /** Removes a host and moves the hosts after it up, so that probing still finds them. */
    void remove(HostQueue host) {
        inOrder.remove(host);
        if (overflow.remove(host.name, host)) {
            return;
        }
        var mask = slots.length - 1;
        var gap = homeSlot(host.name);
        while (slots[gap] != host) {
            gap = (gap + 1) & mask;
        }
        slots[gap] = null;
        for (var distance = 1; distance < PROBES_MAX; distance++) {
            var next = (gap + distance) & mask;
            var there = slots[next];
            if (there == null) {
                return;
            }
            var fromHome = (next - homeSlot(there.name)) & mask;
            if (fromHome >= distance) {
                slots[gap] = there;
                slots[next] = null;
                gap = next;
                distance = 0;
            }
        }
    }

    private int homeSlot(String name) {
        var hash = name.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 16)) & (slots.length - 1);
    }

    /** Returns every host, in the order of insertion. */
    List<HostQueue> inOrder() {
        return inOrder;
    }

    int size() {
        return inOrder.size();
    }
}
