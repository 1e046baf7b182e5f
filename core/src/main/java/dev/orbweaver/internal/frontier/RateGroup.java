package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.HostPattern;

import java.time.Duration;

/**
 * Hosts or addresses that share a rate limit: requests to any of them are at least a delay apart.
 *
 * @param delay from the start of one request to the start of the next
 * @param maxInFlight maximum number of requests in flight; 0 is no limit
 */
public record RateGroup(Members members, Duration delay, int maxInFlight) {

    public RateGroup(Members members, Duration delay) {
        this(members, delay, 0);
    }

    public sealed interface Members {

        record Hosts(HostPattern pattern) implements Members {}

        record Addresses(AddressRange range) implements Members {}
    }
}
