package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * The parts of a request on which a response may depend.
 *
 * @param name the host's name
 * @param target the path with its query
 * @param attempt the number of earlier requests for this URL, counted by the caller
 * @param now the time since the web's first day began
 * @param gzip whether the client accepts gzip
 * @param ifNoneMatch the If-None-Match field; empty if absent
 * @param ifModifiedSince the If-Modified-Since field; empty if absent
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
            throw new IllegalArgumentException("attempt and time must not be negative");
        }
    }

    /** A first request at time 0 that accepts gzip. */
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
