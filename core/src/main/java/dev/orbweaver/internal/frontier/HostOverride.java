package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.HostPattern;

import java.time.Duration;
import java.util.Optional;

/**
 * Politeness settings that replace the general ones for some hosts.
 *
 * @param delay replaces the host delay; it is not adaptive
 * @param concurrencyPerHost replaces the number of concurrent requests
 */
public record HostOverride(
        HostPattern hosts, Optional<Duration> delay, Optional<Integer> concurrencyPerHost) {

    Politeness apply(Politeness usual) {
        return new Politeness(
                delay.orElse(usual.hostDelay()),
                usual.ipDelay(),
                usual.domainDelay(),
                concurrencyPerHost.orElse(usual.concurrencyPerHost()),
                usual.leaseTime(),
                delay.isPresent() ? AdaptiveDelaySettings.OFF : usual.adaptiveDelaySettings(),
                usual.errorBackoff(),
                usual.overrides(),
                usual.groups());
    }
}
