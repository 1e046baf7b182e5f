package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Politeness settings.
 *
 * @param hostDelay between the end of a response and the next request to the same host
 * @param ipDelay between two requests to the same address
 * @param domainDelay between two requests to the same registrable domain; zero is off
 * @param concurrencyPerHost maximum concurrent requests to one host
 * @param leaseTime how long a lease is valid before its URL is leased again
 * @param adaptiveDelaySettings how the host delay follows the host's responses
 * @param errorBackoff added to a host's delay after a failed visit, doubled with each further one
 *     in a row; zero is off
 * @param overrides for some hosts; the first that matches applies
 * @param groups hosts or addresses that share a rate limit
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

    public static final Politeness DEFAULT =
            new Politeness(
                            Duration.ofSeconds(1),
                            Duration.ofMillis(100),
                            Duration.ZERO,
                            1,
                            Duration.ofMinutes(10))
                    .withErrorBackoff(Duration.ofSeconds(2));

    public Politeness {
        if (concurrencyPerHost < 1) {
            throw new IllegalArgumentException(
                    "concurrency-per-host must be at least 1, not " + concurrencyPerHost);
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

    /** Creates settings without an adaptive delay. */
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

    /** Returns the strictest combination of both settings, with this one's lease time. */
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
                groups.equals(other.groups)
                        ? groups
                        : Stream.concat(groups.stream(), other.groups.stream())
                                .distinct()
                                .toList());
    }

    /** Returns the settings for a host, with the first override that matches it. */
    public Politeness forHost(String host) {
        return overrides.stream()
                .filter(override -> override.hosts().matches(host))
                .findFirst()
                .map(override -> override.apply(this))
                .orElse(this);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

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
