package dev.orbweaver.internal.revisit;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * When pages are visited again.
 *
 * @param visitsPerDay the budget; empty for as many visits as are worth it
 * @param minInterval no page is visited again earlier, at any rate of changes
 * @param maxInterval each page is visited again by then, even if no visit of it seems worth its
 *     cost: its estimated rate may be wrong, and only a visit can show that
 */
public record RevisitSettings(
        Mode mode, OptionalDouble visitsPerDay, Duration minInterval, Duration maxInterval) {

    public static final Duration MIN_INTERVAL = Duration.ofHours(1);
    public static final Duration MAX_INTERVAL = Duration.ofDays(180);

    public RevisitSettings {
        if (visitsPerDay.isPresent() && !(visitsPerDay.getAsDouble() > 0)) {
            throw new IllegalArgumentException("a budget of " + visitsPerDay.getAsDouble());
        }
        if (minInterval.isNegative() || maxInterval.compareTo(minInterval) < 0) {
            throw new IllegalArgumentException(
                    "intervals from %s to %s".formatted(minInterval, maxInterval));
        }
    }

    /** What decides when a page is due. */
    public sealed interface Mode {}

    /** The value of a visit ({@link RevisitPolicy}). */
    public record Auto() implements Mode {}

    /** A fixed time since the last visit. */
    public record Every(Duration interval) implements Mode {
        public Every {
            if (!interval.isPositive()) {
                throw new IllegalArgumentException("an interval of " + interval);
            }
        }
    }

    public static RevisitSettings auto(OptionalDouble visitsPerDay) {
        return new RevisitSettings(new Auto(), visitsPerDay, MIN_INTERVAL, MAX_INTERVAL);
    }

    public static RevisitSettings every(Duration interval, OptionalDouble visitsPerDay) {
        return new RevisitSettings(new Every(interval), visitsPerDay, Duration.ZERO, interval);
    }
}
