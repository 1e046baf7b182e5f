package dev.orbweaver.internal.crawl;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Parses dates of header fields. RFC 9110, section 5.6.7, requires all three forms: IMF-fixdate,
 * RFC 850 and C's asctime.
 */
public final class HttpDate {

    private static final List<DateTimeFormatter> FORMATS =
            List.of(
                    DateTimeFormatter.RFC_1123_DATE_TIME,
                    DateTimeFormatter.ofPattern("EEEE, dd-MMM-uu HH:mm:ss 'GMT'", Locale.ENGLISH),
                    DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH));

    private HttpDate() {}

    public static Optional<Instant> parse(String text) {
        return FORMATS.stream().flatMap(form -> parse(text, form).stream()).findFirst();
    }

    private static Optional<Instant> parse(String text, DateTimeFormatter form) {
        try {
            return Optional.of(LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException notThisForm) {
            return Optional.empty();
        }
    }
}
