package dev.orbweaver.frontier;

import dev.orbweaver.model.HostPattern;

import java.time.Duration;
import java.util.Optional;

/**
 * Hosts that are treated otherwise than the rest.
 *
 * @param delay in place of the host delay; it does not follow the host's answers
 * @param perHost in place of the number of requests at the same time
 */
public record HostException(
        HostPattern hosts, Optional<Duration> delay, Optional<Integer> perHost) {

    /** What politeness means to such a host. */
    Politeness apply(Politeness usual) {
        return new Politeness(
                delay.orElse(usual.hostDelay()),
                usual.ipDelay(),
                usual.domainDelay(),
                perHost.orElse(usual.perHost()),
                usual.leaseTime(),
                delay.isPresent() ? Pacing.OFF : usual.pacing(),
                usual.errorBackoff(),
                usual.exceptions(),
                usual.groups());
    }
}
