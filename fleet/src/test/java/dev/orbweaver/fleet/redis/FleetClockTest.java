package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

@Slow
class FleetClockTest {

    @TempDir static Path directory;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void twoWorkersWithClocksDaysApartHaveTheSameTime() throws IOException {
        var settings = FleetFixtures.settings(redis.uri());
        var system = InstantSource.system();
        InstantSource slow = () -> system.instant().minus(Duration.ofDays(3));
        InstantSource fast = () -> system.instant().plus(Duration.ofDays(5));
        try (var one = FleetClock.open(settings, slow);
                var other = FleetClock.open(settings, fast)) {
            var before = one.instant();
            var between = other.instant();
            var after = one.instant();
            // Each is accurate to within its round trip, however busy the machine is.
            assertThat(between).isBetween(before.minusSeconds(60), after.plusSeconds(60));
        }
    }

    @Test
    void whenRedisClockIsSetBackTheFleetsRunsOn() throws IOException {
        var settings = FleetFixtures.settings(redis.uri());
        var ahead = Instant.now().plus(Duration.ofHours(5));
        var micros = Long.toString(ahead.toEpochMilli() * 1000);
        var key = "ow:{" + settings.fleet() + "}:clock";
        assertThat(redis.command("HSET", key, "last", micros)).startsWith(":1");
        try (var clock = FleetClock.open(settings, InstantSource.system())) {
            var first = clock.instant();
            assertThat(first).isAfter(ahead.minusSeconds(60));
            clock.measure();
            assertThat(clock.instant()).isAfterOrEqualTo(first);
        }
    }

    @Test
    void aClockOfThisMachineThatIsSetBackDoesNotTurnTheFleetsBack() throws IOException {
        var now = new AtomicReference<>(Instant.now());
        try (var clock = FleetClock.open(FleetFixtures.settings(redis.uri()), now::get)) {
            var first = clock.instant();
            now.set(now.get().minus(Duration.ofHours(2)));
            assertThat(clock.instant()).isEqualTo(first);
            clock.measure();
            assertThat(clock.instant()).isAfterOrEqualTo(first);
        }
    }
}
