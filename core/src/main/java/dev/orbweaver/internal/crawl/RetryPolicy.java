package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether and when a failed URL is retried. The first delay is {@code firstDelay}; each
 * further one is six times as long, up to an hour.
 *
 * @param retries maximum number of retries after the first attempt
 * @param retryAfterMax upper limit for a server's Retry-After; longer values are reduced to it
 */
public record RetryPolicy(int retries, Duration firstDelay, Duration retryAfterMax) {

    private static final int FACTOR = 6;
    private static final Duration DELAY_MAX = Duration.ofHours(1);

    /** Default limit for a server's Retry-After. */
    private static final Duration RETRY_AFTER_MAX = Duration.ofDays(1);

    /** Creates a policy with the default limit for Retry-After. */
    public RetryPolicy(int retries, Duration first) {
        this(retries, first, RETRY_AFTER_MAX);
    }

    /**
     * Returns the delay after a failure that follows {@code attempts} earlier ones; empty if no
     * retries are left.
     */
    public Optional<Duration> retryDelay(int attempts) {
        if (attempts >= retries) {
            return Optional.empty();
        }
        var delay = firstDelay;
        for (var i = 0; i < attempts && delay.compareTo(DELAY_MAX) < 0; i++) {
            delay = shorter(delay.multipliedBy(FACTOR), DELAY_MAX);
        }
        return Optional.of(delay);
    }

    /**
     * Parses a Retry-After field: seconds or a date (RFC 9110, section 10.2.3). An invalid value
     * counts as zero; the result is at most {@code retryAfterMax}.
     */
    public Duration retryAfter(Optional<String> field, Instant now) {
        return field.flatMap(value -> parseSeconds(value).or(() -> parseDate(value, now)))
                .filter(Duration::isPositive)
                .map(requested -> shorter(requested, retryAfterMax))
                .orElse(Duration.ZERO);
    }

    private Optional<Duration> parseSeconds(String value) {
        if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Optional.empty();
        }
        var countable = value.length() <= 10;
        return Optional.of(countable ? Duration.ofSeconds(Long.parseLong(value)) : retryAfterMax);
    }

    private static Optional<Duration> parseDate(String value, Instant now) {
        return HttpDate.parse(value).map(date -> Duration.between(now, date));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
