package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a URL that failed is asked for again: {@code firstDelay} after the first failure, then six
 * times as long each time, until that is an hour.
 *
 * @param retries how often after the first try
 * @param retryAfterMax the longest wait that a server's Retry-After is honoured for; a longer one
 *     is cut to this
 */
public record RetryPolicy(int retries, Duration firstDelay, Duration retryAfterMax) {

    private static final int FACTOR = 6;
    private static final Duration DELAY_MAX = Duration.ofHours(1);

    /** How long a server may ask for quiet unless set. */
    private static final Duration RETRY_AFTER_MAX = Duration.ofDays(1);

    /** A policy with the usual limit on Retry-After. */
    public RetryPolicy(int retries, Duration first) {
        this(retries, first, RETRY_AFTER_MAX);
    }

    /**
     * How long to wait after the failure that follows {@code attempts} earlier ones; nothing when
     * it was the last try.
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
     * What a Retry-After field asks for: seconds or a date (RFC 9110, section 10.2.3). Nonsense
     * asks for nothing, and nobody gets more than {@code retryAfterMax}.
     */
    Duration retryAfter(Optional<String> field, Instant now) {
        return field.flatMap(value -> parseSeconds(value).or(() -> parseDate(value, now)))
                .filter(Duration::isPositive)
                .map(asked -> shorter(asked, retryAfterMax))
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
