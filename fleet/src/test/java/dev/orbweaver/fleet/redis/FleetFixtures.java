package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Politeness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Creates fleets for tests, each with its own name, so that many can share a Redis. */
final class FleetFixtures {

    private FleetFixtures() {}

    /**
     * Returns a new fleet's settings for its first worker; a busy machine may take long to respond.
     */
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
