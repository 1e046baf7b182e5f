package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The stored robots.txt state of one origin.
 *
 * @param fetchedAt when the rules were fetched; {@link Instant#EPOCH} if there are none
 * @param attemptedAt time of the last attempt, successful or not
 * @param nextAttempt when it is fetched again
 * @param failures number of consecutive failures
 * @param delay the crawl delay of the rules
 * @param statusText a short description of the last result
 * @param text the file after content decoding; empty if there is none, which allows everything
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared by value.
public record RobotsEntry(
        String origin,
        Instant fetchedAt,
        Instant attemptedAt,
        Instant nextAttempt,
        int failures,
        Duration delay,
        String statusText,
        byte[] text) {

    /** Rules are fresh for a day (RFC 9309, section 2.4). */
    static final Duration FRESH_FOR = Duration.ofHours(24);

    /** The last good rules apply for this long while no new ones can be fetched. */
    static final Duration STALE_MAX = Duration.ofDays(30);

    private static final Duration FIRST_RETRY = Duration.ofMinutes(1);
    private static final Duration LAST_RETRY = Duration.ofHours(1);
    private static final int DOUBLINGS_MAX = 6;

    public RobotsEntry {
        if (failures < 0 || delay.isNegative()) {
            throw new IllegalArgumentException(
                    "failures and delay must not be negative: %d, %s".formatted(failures, delay));
        }
    }

    /**
     * Returns the delay after this number of consecutive failures: a minute, doubling, at most an
     * hour.
     */
    static Duration retryAfter(int failures) {
        var doubled = FIRST_RETRY.multipliedBy(1L << Math.clamp(failures - 1L, 0, DOUBLINGS_MAX));
        return doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
    }

    /**
     * Returns an entry with a file that another crawler fetched. It counts as fetched a day before
     * it expires, and is fetched again at that time, or after a day if that is sooner.
     */
    public static RobotsEntry imported(
            String origin, byte[] text, Duration delay, Instant expires, Instant now) {
        var latest = now.plus(FRESH_FOR);
        var until = expires.isBefore(latest) ? expires : latest;
        var fetched = until.minus(FRESH_FOR);
        return new RobotsEntry(origin, fetched, fetched, until, 0, delay, "imported", text);
    }

    /** Returns whether there are rules that may be applied, fresh or stale. */
    public boolean hasRules(Instant now) {
        return fetchedAt.isAfter(Instant.EPOCH) && now.isBefore(fetchedAt.plus(STALE_MAX));
    }

    /**
     * Returns whether the entry can be discarded because the file must be fetched again in any
     * case.
     */
    boolean isExpired(Instant now) {
        return !hasRules(now) && !now.isBefore(nextAttempt);
    }

    /**
     * Adjusts the entry to a clock that may have been set back. An attempt in the future is treated
     * as made now, because no time is known to have passed since.
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

    /** Returns this entry with the rules of an older one, or without rules if there is none. */
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
