package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * A request, as far as a response may depend on it.
 *
 * @param name the host's name
 * @param target the path with its query
 * @param attempt how often this URL was requested before; the caller counts
 * @param now the time since the web's first day began
 * @param gzip whether the client accepts gzip
 * @param ifNoneMatch the field of that name, empty when there is none
 * @param ifModifiedSince likewise
 */
public record SimulatedRequest(
        String name,
        String target,
        int attempt,
        Duration now,
        boolean gzip,
        String ifNoneMatch,
        String ifModifiedSince) {

    public SimulatedRequest {
        if (attempt < 0 || now.isNegative()) {
            throw new IllegalArgumentException("attempts and time begin at 0");
        }
    }

    /** With gzip, at the very beginning. */
    public static SimulatedRequest of(String name, String target) {
        return new SimulatedRequest(name, target, 0, Duration.ZERO, true, "", "");
    }

    public SimulatedRequest atTime(Duration time) {
        return new SimulatedRequest(
                name, target, attempt, time, gzip, ifNoneMatch, ifModifiedSince);
    }

    public SimulatedRequest withAttempt(int attempts) {
        return new SimulatedRequest(
                name, target, attempts, now, gzip, ifNoneMatch, ifModifiedSince);
    }

    public SimulatedRequest withValidators(String noneMatch, String modifiedSince) {
        return new SimulatedRequest(name, target, attempt, now, gzip, noneMatch, modifiedSince);
    }
}
