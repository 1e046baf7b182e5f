package dev.orbweaver.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a URL that failed is asked for again: {@code first} after the first failure, then six times
 * as long each time, until that is an hour.
 *
 * @param retries how often after the first try
 */
public record RetryPolicy(int retries, Duration first) {

    private static final int FACTOR = 6;
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What a server may ask for; more than this is cut, so that sums stay sums. */
    private static final Duration ASKED_MAX = Duration.ofDays(36_500);

    /**
     * How long to wait after the failure that follows {@code attempts} earlier ones; nothing when
     * it was the last try.
     */
    public Optional<Duration> after(int attempts) {
        if (attempts >= retries) {
            return Optional.empty();
        }
        var delay = first;
        for (var i = 0; i < attempts && delay.compareTo(LONGEST) < 0; i++) {
            delay = shorter(delay.multipliedBy(FACTOR), LONGEST);
        }
        return Optional.of(delay);
    }

    /**
     * What a Retry-After field asks for: seconds or a date (RFC 9110, section 10.2.3). Nonsense
     * asks for nothing.
     */
    static Duration retryAfter(Optional<String> field, Instant now) {
        return field.flatMap(value -> seconds(value).or(() -> until(value, now)))
                .filter(Duration::isPositive)
                .map(asked -> shorter(asked, ASKED_MAX))
                .orElse(Duration.ZERO);
    }

    private static Optional<Duration> seconds(String value) {
        if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Optional.empty();
        }
        var countable = value.length() <= 10;
        return Optional.of(countable ? Duration.ofSeconds(Long.parseLong(value)) : ASKED_MAX);
    }

    private static Optional<Duration> until(String value, Instant now) {
        return HttpDate.parse(value).map(date -> Duration.between(now, date));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
