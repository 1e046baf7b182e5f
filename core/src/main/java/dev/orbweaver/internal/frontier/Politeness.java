package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * How gently to go about.
 *
 * @param hostDelay between the end of one answer and the next request to the same host
 * @param ipDelay between two requests to the same address
 * @param domainDelay between two requests to the same registrable domain; zero is off
 * @param concurrencyPerHost requests to one host at the same time
 * @param leaseTime how long a lease holds before its URL is given to somebody else
 * @param adaptiveDelaySettings how the host delay follows the host's answers
 * @param errorBackoff added to a host's delay after a failed visit, doubled with each further one
 *     in a row; zero is off
 * @param overrides hosts that are treated otherwise, the first that fits
 * @param groups hosts or addresses that count as one
 */
public record Politeness(
        Duration hostDelay,
        Duration ipDelay,
        Duration domainDelay,
        int concurrencyPerHost,
        Duration leaseTime,
        AdaptiveDelaySettings adaptiveDelaySettings,
        Duration errorBackoff,
        List<HostOverride> overrides,
        List<RateGroup> groups) {

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
        if (concurrencyPerHost < 1) {
            throw new IllegalArgumentException(
                    "per-host must be at least 1, not " + concurrencyPerHost);
        }
        if (hostDelay.isNegative()
                || ipDelay.isNegative()
                || domainDelay.isNegative()
                || errorBackoff.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
        overrides = List.copyOf(overrides);
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
                AdaptiveDelaySettings.OFF,
                Duration.ZERO,
                List.of(),
                List.of());
    }

    /** What satisfies both, for a lease time of this. */
    Politeness mergeStrictest(Politeness other) {
        return new Politeness(
                longer(hostDelay, other.hostDelay),
                longer(ipDelay, other.ipDelay),
                longer(domainDelay, other.domainDelay),
                Math.min(concurrencyPerHost, other.concurrencyPerHost),
                leaseTime,
                new AdaptiveDelaySettings(
                        Math.max(
                                adaptiveDelaySettings.factor(),
                                other.adaptiveDelaySettings.factor()),
                        longer(adaptiveDelaySettings.max(), other.adaptiveDelaySettings.max())),
                longer(errorBackoff, other.errorBackoff),
                overrides,
                Stream.concat(groups.stream(), other.groups.stream()).distinct().toList());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The same with delays that follow how hosts answer. */
    public Politeness with(AdaptiveDelaySettings other) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                concurrencyPerHost,
                leaseTime,
                other,
                errorBackoff,
                overrides,
                groups);
    }

    /** The same with a back-off after failed visits. */
    public Politeness withErrorBackoff(Duration first) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                concurrencyPerHost,
                leaseTime,
                adaptiveDelaySettings,
                first,
                overrides,
                groups);
    }

    /** The same with exceptions and groups. */
    public Politeness with(List<HostOverride> others, List<RateGroup> gates) {
        return new Politeness(
                hostDelay,
                ipDelay,
                domainDelay,
                concurrencyPerHost,
                leaseTime,
                adaptiveDelaySettings,
                errorBackoff,
                others,
                gates);
    }
}
