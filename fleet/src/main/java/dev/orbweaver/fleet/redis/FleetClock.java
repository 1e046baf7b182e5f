package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * The time that all workers of a fleet share: Redis's time, from its last measured offset to this
 * machine's clock.
 *
 * <p>It never goes back, neither if a clock is set back nor if a measurement is a little lower than
 * the one before: then it stops until the measured time has caught up.
 */
public final class FleetClock implements InstantSource, AutoCloseable {

    /** Number of measurements, of which the one with the shortest round trip is used. */
    private static final int TRIES = 3;

    private final RedisConnection connection;
    private final String key;
    private final InstantSource local;
    private Duration offset = Duration.ZERO;
    private Instant last = Instant.EPOCH;

    private FleetClock(RedisConnection link, FleetSettings settings, InstantSource local) {
        this.connection = link;
        this.key = "ow:{" + settings.fleet() + "}:clock";
        this.local = local;
    }

    /**
     * Connects and measures for the first time.
     *
     * @param local this machine's clock, which should run evenly
     */
    public static FleetClock open(FleetSettings settings, InstantSource local) throws IOException {
        var clock =
                new FleetClock(
                        RedisConnection.open(settings.uri(), settings.timeout()), settings, local);
        try {
            clock.measure();
            return clock;
        } catch (IOException e) {
            clock.close();
            throw e;
        }
    }

    /** Measures again; must be called regularly, because two clocks drift apart. */
    public void measure() throws IOException {
        var best = Duration.ofDays(1);
        var measured = Duration.ZERO;
        for (var i = 0; i < TRIES; i++) {
            var before = local.instant();
            var micros = connection.call(new KeyRequest.ReadClock(key));
            var took = Duration.between(before, local.instant());
            if (took.compareTo(best) < 0) {
                best = took;
                var there = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
                measured = Duration.between(before.plus(took.dividedBy(2)), there);
            }
        }
        synchronized (this) {
            offset = measured;
        }
    }

    @Override
    public synchronized Instant instant() {
        var now = local.instant().plus(offset);
        last = now.isAfter(last) ? now : last;
        return last;
    }

    public long roundTrips() {
        return connection.roundTrips();
    }

    @Override
    public void close() {
        connection.close();
    }
}
