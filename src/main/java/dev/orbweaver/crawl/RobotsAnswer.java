package dev.orbweaver.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of one origin's robots.txt, as it is kept.
 *
 * @param fetchedAt when the rules were read; {@link Instant#EPOCH} when there are none
 * @param askedAt when it was last asked for, in vain or not
 * @param nextAsk from when on it is asked for again
 * @param failures how often in a row it was asked for in vain
 * @param delay what the rules ask for as a delay
 * @param said what came of asking, in a few words
 * @param text the file as it was sent, without its coding; empty where there is none, which allows
 *     everything
 */
@SuppressWarnings("ArrayRecordComponent") // Answers are never compared by value.
public record RobotsAnswer(
        String origin,
        Instant fetchedAt,
        Instant askedAt,
        Instant nextAsk,
        int failures,
        Duration delay,
        String said,
        byte[] text) {

    /** Rules are good for a day (RFC 9309, section 2.4). */
    static final Duration FRESH = Duration.ofHours(24);

    /** When no new ones can be had, the last good ones stand for so long. */
    static final Duration STALE_MAX = Duration.ofDays(30);

    private static final Duration FIRST_RETRY = Duration.ofMinutes(1);
    private static final Duration LAST_RETRY = Duration.ofHours(1);
    private static final int DOUBLINGS_MAX = 6;

    /** Rejects what cannot be. */
    public RobotsAnswer {
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
    boolean hasRules(Instant now) {
        return fetchedAt.isAfter(Instant.EPOCH) && now.isBefore(fetchedAt.plus(STALE_MAX));
    }

    /** Whether nothing would be lost by forgetting it: it must be asked for again anyway. */
    boolean useless(Instant now) {
        return !hasRules(now) && !now.isBefore(nextAsk);
    }

    /**
     * The same by a clock that may have been set back since: what then seems to come from the
     * future is as if it had been asked just now, as no time is known to have passed since.
     */
    RobotsAnswer asOf(Instant now) {
        if (!askedAt.isAfter(now)) {
            return this;
        }
        var by = Duration.between(now, askedAt);
        return new RobotsAnswer(
                origin,
                fetchedAt.isAfter(Instant.EPOCH) ? fetchedAt.minus(by) : fetchedAt,
                now,
                nextAsk.minus(by),
                failures,
                delay,
                said,
                text);
    }

    /** The same with the rules of an older answer; without any when there is none. */
    RobotsAnswer withRulesOf(Optional<RobotsAnswer> older) {
        return new RobotsAnswer(
                origin,
                older.map(RobotsAnswer::fetchedAt).orElse(Instant.EPOCH),
                askedAt,
                nextAsk,
                failures,
                delay,
                said,
                older.map(RobotsAnswer::text).orElse(text));
    }
}
