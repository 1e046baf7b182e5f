package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.model.Fingerprint;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Crawl delay, rest and circuit breaker of a host. Most hosts have none of these and no such
 * object.
 *
 * <p>Circuit breaker: after {@link #FAILURES_MAX} failed visits in a row the host rests. It gets
 * one probe after each rest, and each rest is twice as long as the one before. After {@link
 * #PROBES_MAX} failed probes its URLs become dead letters.
 *
 * <p>A page that always fails is one failure, however many jobs visit it: ten jobs that have only
 * that page left must not open the circuit breaker of a host that works.
 */
final class HostBackoff {

    /** Failed visits in a row after which a host rests. */
    static final int FAILURES_MAX = 10;

    /** Failed probes after which a resting host's URLs become dead letters. */
    static final int PROBES_MAX = 8;

    private static final long REST_FIRST = 60_000;
    private static final long REST_MAX = 3_600_000;

    /** From robots.txt, in milliseconds. */
    long crawlDelay;

    Rest rest = Rest.NONE;
    long restUntil;
    int failures;
    int probes;

    /**
     * URLs that failed in this series of failures, with the first job that visited them. Not
     * stored: after a restart each URL may count once more.
     */
    private final Map<Fingerprint, Integer> failedUrls = new HashMap<>(2);

    boolean isClear() {
        return crawlDelay == 0 && restUntil == 0 && failures == 0 && probes == 0;
    }

    /** Extends the rest until a time, unless it is already longer. */
    void restUntil(long until, Rest why, HostTurn turn) {
        if (until > restUntil) {
            rest = why;
            restUntil = until;
            turn.blockEndLogged = false;
        }
    }

    /** Returns whether a URL that fails for a job now has failed for another job in this series. */
    boolean hasFailedInOtherJob(Fingerprint url, int job) {
        if (failedUrls.size() >= FAILURES_MAX && !failedUrls.containsKey(url)) {
            return false;
        }
        var first = failedUrls.putIfAbsent(url, job);
        return first != null && first != job;
    }

    /**
     * Counts a failed visit and may open the circuit breaker. Returns true if the host's URLs
     * become dead letters.
     */
    boolean recordFailure(long ended, HostTurn turn) {
        if (failures >= FAILURES_MAX && ended < restUntil) {
            // One of several requests that were in flight when the rest began, so not a probe.
            return false;
        }
        failures++;
        if (failures < FAILURES_MAX) {
            return false;
        }
        if (failures > FAILURES_MAX) {
            probes++;
        }
        var length = Math.min(REST_FIRST << Math.min(probes, PROBES_MAX), REST_MAX);
        restUntil(ended + length, Rest.CIRCUIT_BREAKER, turn);
        return probes >= PROBES_MAX;
    }

    /** Resets the failure count, and ends the rest if {@code restIsOver}. */
    void recordResponse(boolean restIsOver) {
        failures = 0;
        probes = 0;
        failedUrls.clear();
        if (restIsOver) {
            rest = Rest.NONE;
            restUntil = 0;
        }
    }

    /** Returns why the host is blocked; empty if it is not blocked or only rejected a request. */
    static Optional<String> blockReason(Rest rest, int probes) {
        return switch (rest) {
            case NONE, RATE_LIMITED -> Optional.empty();
            case RETRY_AFTER -> Optional.of("it sent Retry-After");
            case CIRCUIT_BREAKER ->
                    Optional.of(
                            probes == 0
                                    ? FAILURES_MAX + " failed visits in a row"
                                    : "probe " + probes + " of " + PROBES_MAX + " failed");
        };
    }
}
