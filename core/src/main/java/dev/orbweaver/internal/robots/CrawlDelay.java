package dev.orbweaver.internal.robots;

import com.google.re2j.Pattern;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/** Parses the value of a Crawl-delay line: seconds, with or without a fraction. */
final class CrawlDelay {

    /** Upper limit of a delay, so that adding it to a time does not overflow. */
    private static final Duration MAX = Duration.ofDays(36_500);

    /** A number, optionally followed by markup if the file was sent as HTML. */
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
