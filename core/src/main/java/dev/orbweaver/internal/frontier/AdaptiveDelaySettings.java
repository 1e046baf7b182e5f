package dev.orbweaver.internal.frontier;

import java.time.Duration;

/**
 * How far a host's delay follows its response times.
 *
 * @param factor the delay as a multiple of the response time; 0 is off
 * @param max the longest delay that this causes
 */
public record AdaptiveDelaySettings(double factor, Duration max) {

    /** Every host has the configured delay, unless its robots.txt requests another. */
    public static final AdaptiveDelaySettings OFF = new AdaptiveDelaySettings(0, Duration.ZERO);

    public AdaptiveDelaySettings {
        if (!(factor >= 0 && factor <= 1000)) {
            throw new IllegalArgumentException(
                    "the delay factor must be from 0 to 1000, not " + factor);
        }
        if (max.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
    }

    public boolean isEnabled() {
        return factor > 0;
    }
}
