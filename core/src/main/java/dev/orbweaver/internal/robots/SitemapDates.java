package dev.orbweaver.internal.robots;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parses dates in the W3C profile of ISO 8601 (sitemaps, Atom) and RFC 822 (RSS, with two or four
 * digits of a year). Missing parts are taken as the earliest: {@code 1997} is the first instant of
 * that year. In RSS a date and time without a zone is invalid, because the standard requires one;
 * in W3C form, where it is common, it is read as UTC.
 */
final class SitemapDates {

    /** Longer texts are not dates. */
    private static final int LENGTH_MAX = 64;

    private static final Pattern W3C =
            Pattern.compile(
                    "(\\d{4})(?:-(\\d{1,2})(?:-(\\d{1,2})"
                            + "(?:[Tt ](\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9})\\d*)?)?"
                            + "\\s?(Z|z|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})?)?)?)?");

    private static final Pattern RFC_822 =
            Pattern.compile(
                    "(?:[A-Za-z]{3,9},?\\s+)?(\\d{1,2})[\\s-]+([A-Za-z]{3})[A-Za-z]*[\\s-]+"
                            + "(\\d{4}|\\d{2})\\s+(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2}))?"
                            + "\\s+([+-]\\d{2}:?\\d{2}|[A-Za-z]{1,3})");

    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");

    /** The zones named in RFC 822 section 5.1, in hours. */
    private static final Map<String, Integer> ZONES =
            Map.ofEntries(
                    Map.entry("Z", 0),
                    Map.entry("UT", 0),
                    Map.entry("UTC", 0),
                    Map.entry("GMT", 0),
                    Map.entry("EST", -5),
                    Map.entry("EDT", -4),
                    Map.entry("CST", -6),
                    Map.entry("CDT", -5),
                    Map.entry("MST", -7),
                    Map.entry("MDT", -6),
                    Map.entry("PST", -8),
                    Map.entry("PDT", -7));

    private SitemapDates() {}

    /** Returns empty if the text is not a date in either form. */
    static Optional<Instant> parse(String text) {
        if (text.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        var trimmed = text.strip();
        var w3c = W3C.matcher(trimmed);
        var rfc822 = RFC_822.matcher(trimmed);
        try {
            if (w3c.matches()) {
                return Optional.of(ofW3c(w3c));
            }
            return rfc822.matches() ? ofRfc822(rfc822) : Optional.empty();
        } catch (DateTimeException e) {
            // The format is valid but the day is not, such as the 31st of June.
            return Optional.empty();
        }
    }

    private static Instant ofW3c(Matcher date) {
        var day = LocalDate.of(number(date, 1, 0), number(date, 2, 1), number(date, 3, 1));
        var fraction = date.group(7) == null ? "" : date.group(7);
        var nanos = Integer.parseInt((fraction + "000000000").substring(0, 9));
        // Hour 24 is the end of the day in ISO 8601, which some sites use.
        var hour = number(date, 4, 0);
        var time = day.atTime(hour == 24 ? 0 : hour, number(date, 5, 0), number(date, 6, 0), nanos);
        var zone = date.group(8) == null ? "Z" : date.group(8);
        return time.plusDays(hour == 24 ? 1 : 0).toInstant(offset(zone.toUpperCase(Locale.ROOT)));
    }

    private static Optional<Instant> ofRfc822(Matcher date) {
        var month = MONTHS.indexOf(date.group(2).toLowerCase(Locale.ROOT)) + 1;
        var zone = date.group(7).toUpperCase(Locale.ROOT);
        if (month == 0 || (Character.isLetter(zone.charAt(0)) && !ZONES.containsKey(zone))) {
            return Optional.empty();
        }
        var time =
                LocalDateTime.of(
                        year(date.group(3)),
                        month,
                        number(date, 1, 1),
                        number(date, 4, 0),
                        number(date, 5, 0),
                        number(date, 6, 0));
        return Optional.of(time.toInstant(offset(zone)));
    }

    /** Two digits are a year from 1950 to 2049 (RFC 2822 section 4.3). */
    private static int year(String digits) {
        var year = Integer.parseInt(digits);
        if (digits.length() > 2) {
            return year;
        }
        return year < 50 ? 2000 + year : 1900 + year;
    }

    private static ZoneOffset offset(String zone) {
        var hours = ZONES.get(zone);
        return hours == null ? ZoneOffset.of(zone) : ZoneOffset.ofHours(hours);
    }

    private static int number(Matcher date, int group, int fallback) {
        var digits = date.group(group);
        return digits == null ? fallback : Integer.parseInt(digits);
    }
}
