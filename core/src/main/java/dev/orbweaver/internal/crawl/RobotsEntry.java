package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of one origin's robots.txt, as it is kept.
 *
 * @param fetchedAt when the rules were read; {@link Instant#EPOCH} when there are none
 * @param attemptedAt when it was last asked for, in vain or not
 * @param nextAttempt from when on it is asked for again
 * @param failures how often in a row it was asked for in vain
 * @param delay what the rules ask for as a delay
 * @param statusText what came of asking, in a few words
 * @param text the file as it was sent, without its coding; empty where there is none, which allows
 *     everything
 */
@SuppressWarnings("ArrayRecordComponent") // Answers are never compared by value.
public record RobotsEntry(
        String origin,
        Instant fetchedAt,
        Instant attemptedAt,
        Instant nextAttempt,
        int failures,
        Duration delay,
        String statusText,
        byte[] text) {

    /** Rules are good for a day (RFC 9309, section 2.4). */
    static final Duration FRESH_FOR = Duration.ofHours(24);

    /** When no new ones can be had, the last good ones stand for so long. */
    static final Duration STALE_MAX = Duration.ofDays(30);

    private static final Duration FIRST_RETRY = Duration.ofMinutes(1);
    private static final Duration LAST_RETRY = Duration.ofHours(1);
    private static final int DOUBLINGS_MAX = 6;

    /** Rejects what cannot be. */
    public RobotsEntry {
        if (failures < 0 || delay.isNegative()) {
            throw new IllegalArgumentException(failures + " failures, a delay of " + delay);
        }
    }

    /** How long to wait after so many failures in a row: a minute, doubling, at most an hour. */
    static Duration retryAfter(int failures) {
        var doubled = FIRST_RETRY.multipliedBy(1L << Math.clamp(failures - 1L, 0, DOUBLINGS_MAX));
        return doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
    }

    /** Whether there are rules that may still be gone by, fresh or for want of new ones. */
    public boolean hasRules(Instant now) {
        return fetchedAt.isAfter(Instant.EPOCH) && now.isBefore(fetchedAt.plus(STALE_MAX));
    }

    /** Whether nothing would be lost by forgetting it: it must be asked for again anyway. */
    boolean isExpired(Instant now) {
        return !hasRules(now) && !now.isBefore(nextAttempt);
    }

    /**
     * The same by a clock that may have been set back since: what then seems to come from the
     * future is as if it had been asked just now, as no time is known to have passed since.
     */
    public RobotsEntry clampedTo(Instant now) {
        if (!attemptedAt.isAfter(now)) {
            return this;
        }
        var by = Duration.between(now, attemptedAt);
        return new RobotsEntry(
                origin,
                fetchedAt.isAfter(Instant.EPOCH) ? fetchedAt.minus(by) : fetchedAt,
                now,
                nextAttempt.minus(by),
                failures,
                delay,
                statusText,
                text);
    }

    /** The same with the rules of an older answer; without any when there is none. */
    RobotsEntry withRulesOf(Optional<RobotsEntry> older) {
        return new RobotsEntry(
                origin,
                older.map(RobotsEntry::fetchedAt).orElse(Instant.EPOCH),
                attemptedAt,
                nextAttempt,
                failures,
                delay,
                statusText,
                older.map(RobotsEntry::text).orElse(text));
    }
}
