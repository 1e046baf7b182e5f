package dev.orbweaver.lab;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How pages change with the days, and how they say so. A page's version is a function of the page
 * and the day: some never change, some every day, most something in between.
 */
final class Versions {

    private static final long CHANGES = 61;

    /** Days between two changes; 0 for never. */
    private static final int[] DAYS = {0, 1, 3, 7, 30};

    private static final LocalDate FIRST_DAY = LocalDate.of(2026, 1, 1);

    /** RFC 9110, section 5.6.7: the one form of date that is still written. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private final WebSpec spec;
    private final HostTable hosts;
    private final PageTable pages;

    Versions(WebSpec spec, HostTable hosts, PageTable pages) {
        this.spec = spec;
        this.hosts = hosts;
        this.pages = pages;
    }

    /** How often a page has changed by now. */
    long version(int page, Duration now) {
        var dice = dice(page);
        var days = days(page, dice);
        return days == 0 ? 0 : (now.toDays() + dice.below(days)) / days;
    }

    /** The fields that name a version, as far as the host sends them: an ETag, a date or both. */
    List<String> fields(int page, Duration now) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return List.of();
        }
        var fields = new ArrayList<String>();
        if (host % 3 != 0) {
            fields.add("ETag: " + tag(page, now));
        }
        if (host % 3 != 1) {
            fields.add("Last-Modified: " + HTTP_DATE.format(since(page, now)));
        }
        return fields;
    }

    /** Whether the asker has this version already (RFC 9110, section 13.2.2). */
    boolean known(int page, Ask ask) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return false;
        }
        // An If-None-Match is decisive, and the date beside it ignored.
        if (host % 3 != 0 && !ask.ifNoneMatch().isEmpty()) {
            return matches(ask.ifNoneMatch(), tag(page, ask.now()));
        }
        return host % 3 != 1
                && ask.ifNoneMatch().isEmpty()
                && !ask.ifModifiedSince().isEmpty()
                && !since(page, ask.now()).isAfter(date(ask.ifModifiedSince()));
    }

    /** Weak comparison (RFC 9110, section 8.8.3.2): the marks of weakness do not count. */
    private static boolean matches(String field, String tag) {
        if (field.strip().equals("*")) {
            return true;
        }
        for (var one : field.split(",", -1)) {
            if (opaque(one.strip()).equals(opaque(tag))) {
                return true;
            }
        }
        return false;
    }

    private static String opaque(String tag) {
        return tag.startsWith("W/") ? tag.substring(2) : tag;
    }

    /** RFC 9110, section 13.1.3: what is no date is ignored, as if it were long ago. */
    private static ZonedDateTime date(String field) {
        try {
            return ZonedDateTime.parse(field, HTTP_DATE.withZone(ZoneOffset.UTC));
        } catch (DateTimeParseException e) {
            return FIRST_DAY.minusYears(100).atStartOfDay(ZoneOffset.UTC);
        }
    }

    private String tag(int page, Duration now) {
        var weak = pages.host(page) % 2 == 0 ? "W/" : "";
        return weak + "\"p" + page + "-v" + version(page, now) + "\"";
    }

    /** The start of the day on which this version appeared. */
    private ZonedDateTime since(int page, Duration now) {
        var dice = dice(page);
        var days = days(page, dice);
        var day = days == 0 ? -1 : version(page, now) * days - dice.below(days);
        return FIRST_DAY.plusDays(day).atStartOfDay(ZoneOffset.UTC);
    }

    private Dice dice(int page) {
        return new Dice(spec.seed(), CHANGES, page);
    }

    private int days(int page, Dice dice) {
        return hosts.has(pages.host(page), Trait.CHANGES) ? DAYS[dice.below(DAYS.length)] : 0;
    }
}
