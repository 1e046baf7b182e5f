package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.HostPattern;

import java.time.Duration;
import java.util.Optional;

/**
 * Other settings for some hosts.
 *
 * @param delay in place of the host delay; it is not adaptive
 * @param concurrencyPerHost in place of the number of requests at the same time
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
