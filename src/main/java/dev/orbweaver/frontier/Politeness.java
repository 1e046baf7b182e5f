package dev.orbweaver.frontier;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * How gently to go about.
 *
 * @param hostDelay between the end of one answer and the next request to the same host
 * @param ipDelay between two requests to the same address
 * @param domainDelay between two requests to the same registrable domain; zero is off
 * @param perHost requests to one host at the same time
 * @param leaseTime how long a lease holds before its URL is given to somebody else
 * @param pacing how the host delay follows the host's answers
 * @param errorBackoff added to a host's delay after a failed visit, doubled with each further one
 *     in a row; zero is off
 * @param exceptions hosts that are treated otherwise, the first that fits
 * @param groups hosts or addresses that count as one
 */
public record Politeness(
        Duration hostDelay,
        Duration ipDelay,
        Duration domainDelay,
        int perHost,
        Duration leaseTime,
        Pacing pacing,
        Duration errorBackoff,
        List<HostException> exceptions,
        List<GateGroup> groups) {

    /** One request at a time, a second apart. */
    public static final Politeness DEFAULT =
            new Politeness(
                            Duration.ofSeconds(1),
                            Duration.ofMillis(100),
                            Duration.ZERO,
                            1,
                            Duration.ofMinutes(10))
                    .withErrorBackoff(Duration.ofSeconds(2));

    /** Rejects what cannot be kept. */
    public Politeness {
        if (perHost < 1) {
            throw new IllegalArgumentException("per-host must be at least 1, not " + perHost);
        }
        if (hostDelay.isNegative()
                || ipDelay.isNegative()
                || domainDelay.isNegative()
                || errorBackoff.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
        exceptions = List.copyOf(exceptions);
        groups = List.copyOf(groups);
    }

    /** The same delay for all, whatever they answer. */
    public Politeness(
            Duration hostDelay,
            Duration ipDelay,
            Duration domainDelay,
            int perHost,
            Duration leaseTime) {
        this(
                hostDelay,
                ipDelay,
                domainDelay,
                perHost,
                leaseTime,
                Pacing.OFF,
                Duration.ZERO,
                List.of(),
                List.of());
    }

    /** What satisfies both, for a lease time of this. */
    Politeness andStricter(Politeness other) {
        return new Politeness(
                longer(hostDelay, other.hostDelay),
                longer(ipDelay, other.ipDelay),
                longer(domainDelay, other.domainDelay),
                Math.min(perHost, other.perHost),
                leaseTime,
                new Pacing(
                        Math.max(pacing.factor(), other.pacing.factor()),
                        longer(pacing.max(), other.pacing.max())),
                longer(errorBackoff, other.errorBackoff),
                exceptions,
                Stream.concat(groups.stream(), other.groups.stream()).distinct().toList());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The same with delays that follow how hosts answer. */
    public Politeness with(Pacing other) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                perHost,
                leaseTime,
                other,
                errorBackoff,
                exceptions,
                groups);
    }

    /** The same with a back-off after failed visits. */
    public Politeness withErrorBackoff(Duration first) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                perHost,
                leaseTime,
                pacing,
                first,
                exceptions,
                groups);
    }

    /** The same with exceptions and groups. */
    public Politeness with(List<HostException> others, List<GateGroup> gates) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                perHost,
                leaseTime,
                pacing,
                errorBackoff,
                others,
                gates);
    }
}
