package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Politeness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Fleets of tests, each with a name of its own, so that many can share a Redis. */
final class FleetFixtures {

    private FleetFixtures() {}

    /** A new fleet's settings for its first worker; a busy machine may take long to answer. */
    static FleetSettings settings(String uri) {
        return patient(FleetSettings.of(uri, "test-" + UUID.randomUUID(), "w1"))
                .withMaxStatsAge(Duration.ZERO);
    }

    static FleetSettings patient(FleetSettings settings) {
        return settings.withTimes(
                settings.hostLease(), settings.workerTimeout(), Duration.ofSeconds(60));
    }

    static RedisFrontier join(FleetSettings settings, Politeness politeness, Instant now) {
        try {
            return RedisFrontier.open(settings, politeness, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
