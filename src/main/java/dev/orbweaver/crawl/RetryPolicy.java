package dev.orbweaver.crawl;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;

/**
 * When a URL that failed is asked for again: {@code first} after the first failure, then six times
 * as long each time.
 *
 * @param retries how often after the first try
 */
public record RetryPolicy(int retries, Duration first) {

    private static final int FACTOR = 6;
    private static final Duration LONGEST = Duration.ofHours(1);

    /** HTTP-date as RFC 9110 wants it; the other two forms it mentions are long out of use. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT);

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
            delay = delay.multipliedBy(FACTOR);
        }
        return Optional.of(delay.compareTo(LONGEST) < 0 ? delay : LONGEST);
    }

    /**
     * What a Retry-After field asks for: seconds or a date (RFC 9110, section 10.2.3). Nonsense
     * asks for nothing.
     */
    static Duration retryAfter(Optional<String> field, Instant now) {
        return field.flatMap(value -> seconds(value).or(() -> date(value, now)))
                .filter(Duration::isPositive)
                .orElse(Duration.ZERO);
    }

    private static Optional<Duration> seconds(String value) {
        var digits =
                !value.isEmpty()
                        && value.length() < 9
                        && value.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Optional.of(Duration.ofSeconds(Long.parseLong(value))) : Optional.empty();
    }

    private static Optional<Duration> date(String value, Instant now) {
        try {
            return Optional.of(
                    Duration.between(now, ZonedDateTime.parse(value, HTTP_DATE).toInstant()));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
