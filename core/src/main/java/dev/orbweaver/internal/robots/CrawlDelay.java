package dev.orbweaver.internal.robots;

import com.google.re2j.Pattern;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/** The value of a Crawl-delay line: seconds, with or without a fraction. */
final class CrawlDelay {

    /** Beyond this a delay is for ever, and adding it to a time must still give a time. */
    private static final Duration MAX = Duration.ofDays(36_500);

    /** A number, then at most the mark-up of a file that was sent as HTML. */
    private static final Pattern SECONDS =
            Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(?:\\s*<.*)?");

    private CrawlDelay() {}

    static Optional<Duration> parse(String value) {
        var number = SECONDS.matcher(value);
        if (!number.matches()) {
            return Optional.empty();
        }
        var nanos = new BigDecimal(number.group(1)).movePointRight(9);
        var longest = BigDecimal.valueOf(MAX.toSeconds()).movePointRight(9);
        return Optional.of(Duration.ofNanos(nanos.min(longest).longValue()));
    }
}
