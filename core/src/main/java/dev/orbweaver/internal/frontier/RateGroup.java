package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.HostPattern;

import java.net.InetAddress;
import java.time.Duration;

/**
 * Hosts or addresses that count as one: requests to any of them are a delay apart.
 *
 * @param delay from when one request goes out to when the next does
 * @param maxInFlight how many requests may be in flight at the same time; 0 is no limit
 */
public record RateGroup(Members members, Duration delay, int maxInFlight) {

    /** A group without a limit on requests in flight. */
    public RateGroup(Members members, Duration delay) {
        this(members, delay, 0);
    }

    /** Who belongs to a group. */
    public sealed interface Members {

        /** Hosts by their names. */
        record Hosts(HostPattern pattern) implements Members {}

        /** Whatever answers at some addresses. */
        record Addresses(AddressRange range) implements Members {}
    }

    /** Whether a request to a host at an address is one to this group. */
    public boolean matches(String host, InetAddress address) {
        return switch (members) {
            case Members.Hosts(var pattern) -> pattern.matches(host);
            case Members.Addresses(var range) -> range.contains(address.getAddress());
        };
    }
}
