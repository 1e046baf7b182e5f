package dev.orbweaver.frontier;

import java.time.Duration;

/**
 * How gently to go about.
 *
 * @param hostDelay between the end of one answer and the next request to the same host
 * @param ipDelay between two requests to the same address
 * @param domainDelay between two requests to the same registrable domain; zero is off
 * @param perHost requests to one host at the same time
 * @param leaseTime how long a lease holds before its URL is given to somebody else
 */
public record Politeness(
        Duration hostDelay,
        Duration ipDelay,
        Duration domainDelay,
        int perHost,
        Duration leaseTime) {

    /** One request at a time, a second apart. */
    public static final Politeness DEFAULT =
            new Politeness(
                    Duration.ofSeconds(1),
                    Duration.ofMillis(100),
                    Duration.ZERO,
                    1,
                    Duration.ofMinutes(10));

    /** Rejects what cannot be kept. */
    public Politeness {
        if (perHost < 1) {
            throw new IllegalArgumentException("per-host must be at least 1, not " + perHost);
        }
        if (hostDelay.isNegative() || ipDelay.isNegative() || domainDelay.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
    }

    /**
     * Whether a host's delay runs from the start of one request to the start of the next, as it
     * must when several are under way at once; otherwise it runs from the end of the answer.
     */
    public boolean startToStart() {
        return perHost > 1;
    }
}
