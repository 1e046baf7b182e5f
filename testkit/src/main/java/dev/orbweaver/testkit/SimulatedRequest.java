package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * A request, as far as an answer may depend on it.
 *
 * @param name the host's name
 * @param target the path with its query
 * @param attempt how often this URL was asked for before; whoever drives the web counts
 * @param now the time since the web's first day began
 * @param gzip whether the client takes gzip
 * @param ifNoneMatch the field of that name, empty when there is none
 * @param ifModifiedSince the field of that name, empty when there is none
 */
public record SimulatedRequest(
        String name,
        String target,
        int attempt,
        Duration now,
        boolean gzip,
        String ifNoneMatch,
        String ifModifiedSince) {

    /** Rejects what cannot be asked. */
    public SimulatedRequest {
        if (attempt < 0 || now.isNegative()) {
            throw new IllegalArgumentException("attempts and time begin at 0");
        }
    }

    /** A plain request of a client that takes gzip, at the very beginning. */
    public static SimulatedRequest of(String name, String target) {
        return new SimulatedRequest(name, target, 0, Duration.ZERO, true, "", "");
    }

    /** The same at another time. */
    public SimulatedRequest atTime(Duration time) {
        return new SimulatedRequest(
                name, target, attempt, time, gzip, ifNoneMatch, ifModifiedSince);
    }

    /** The same after other attempts. */
    public SimulatedRequest withAttempt(int attempts) {
        return new SimulatedRequest(
                name, target, attempts, now, gzip, ifNoneMatch, ifModifiedSince);
    }

    /** The same with what an earlier answer said of its version. */
    public SimulatedRequest withValidators(String noneMatch, String modifiedSince) {
        return new SimulatedRequest(name, target, attempt, now, gzip, noneMatch, modifiedSince);
    }
}
