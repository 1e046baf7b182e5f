package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.AddressRange;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the rate groups of a request. Every request is looked up, so the cost does not depend on
 * the number of groups: host patterns are in a hash map, and so are address ranges, which are
 * looked up once for each prefix length that occurs.
 */
public final class RateGroupIndex {

    private final HostPatternMap<RateGroup> byHost = new HostPatternMap<>();
    private final Map<AddressRange, List<RateGroup>> byRange = new HashMap<>();
    private final SortedSet<Integer> prefixLengths = new TreeSet<>();

    public RateGroupIndex(List<RateGroup> groups) {
        for (var group : groups) {
            switch (group.members()) {
                case RateGroup.Members.Hosts(var pattern) -> byHost.add(pattern, group);
                case RateGroup.Members.Addresses(var range) -> {
                    prefixLengths.add(range.bits());
                    byRange.computeIfAbsent(
                                    network(range.prefix(), range.bits()), _ -> new ArrayList<>(1))
                            .add(group);
                }
            }
        }
    }

    /** Returns the groups to which a request to a host at an address belongs. */
    public List<RateGroup> of(String host, InetAddress address) {
        var found = new ArrayList<RateGroup>(0);
        byHost.forEach(host, found::add);
        if (!prefixLengths.isEmpty()) {
            var bytes = address.getAddress();
            for (var bits : prefixLengths.headSet(8 * bytes.length + 1)) {
                found.addAll(byRange.getOrDefault(network(bytes, bits), List.of()));
            }
        }
        return found;
    }

    /** Returns a range whose bits after the prefix are zero, so that equal ranges are equal. */
    private static AddressRange network(byte[] address, int bits) {
        var bytes = address.clone();
        for (var i = bits / 8; i < bytes.length; i++) {
            var kept = Math.max(0, bits - 8 * i);
            bytes[i] &= (byte) (0xFF00 >> kept);
        }
        return new AddressRange(bytes, bits);
    }
}
