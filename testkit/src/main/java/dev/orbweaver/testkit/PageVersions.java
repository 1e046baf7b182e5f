package dev.orbweaver.testkit;

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
 * Computes how pages change over time. A version is a function of page and day: some pages never
 * change, some every day, most at intervals in between.
 */
record PageVersions(WebSpec spec, SimulatedHosts hosts, PageTable pages) {

    private static final long CHANGES = 61;

    /** Days between two changes; 0 for never. */
    private static final int[] DAYS = {0, 1, 3, 7, 30};

    private static final LocalDate FIRST_DAY = LocalDate.of(2026, 1, 1);

    /** IMF-fixdate (RFC 9110, section 5.6.7). */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    long version(int page, Duration now) {
        var seededRandom = random(page);
        var days = changeIntervalDays(page, seededRandom);
        return days == 0 ? 0 : (now.toDays() + seededRandom.nextInt(days)) / days;
    }

    /** Adds an ETag, a Last-Modified date or both. */
    List<String> validatorFields(int page, Duration now) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return List.of();
        }
        var fields = new ArrayList<String>();
        if (host % 3 != 0) {
            fields.add("ETag: " + etag(page, now));
        }
        if (host % 3 != 1) {
            fields.add("Last-Modified: " + HTTP_DATE.format(modifiedAt(page, now)));
        }
        return fields;
    }

    /** Whether the client has this version already (RFC 9110, section 13.2.2). */
    boolean isNotModified(int page, SimulatedRequest simulatedRequest) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return false;
        }
        // If-None-Match takes precedence over If-Modified-Since.
        if (host % 3 != 0 && !simulatedRequest.ifNoneMatch().isEmpty()) {
            return matches(simulatedRequest.ifNoneMatch(), etag(page, simulatedRequest.now()));
        }
        return host % 3 != 1
                && simulatedRequest.ifNoneMatch().isEmpty()
                && !simulatedRequest.ifModifiedSince().isEmpty()
                && !modifiedAt(page, simulatedRequest.now())
                        .isAfter(date(simulatedRequest.ifModifiedSince()));
    }

    /** Weak comparison (RFC 9110, section 8.8.3.2), which ignores weakness indicators. */
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

    /** Parses a date; an invalid one is ignored (RFC 9110, section 13.1.3), as if long ago. */
    private static ZonedDateTime date(String field) {
        try {
            return ZonedDateTime.parse(field, HTTP_DATE.withZone(ZoneOffset.UTC));
        } catch (DateTimeParseException e) {
            return FIRST_DAY.minusYears(100).atStartOfDay(ZoneOffset.UTC);
        }
    }

    private String etag(int page, Duration now) {
        var weak = pages.host(page) % 2 == 0 ? "W/" : "";
        return weak + "\"p" + page + "-v" + version(page, now) + "\"";
    }

    /** Returns the start of the day on which this version appeared. */
    private ZonedDateTime modifiedAt(int page, Duration now) {
        var seededRandom = random(page);
        var days = changeIntervalDays(page, seededRandom);
        var day = days == 0 ? -1 : version(page, now) * days - seededRandom.nextInt(days);
        return FIRST_DAY.plusDays(day).atStartOfDay(ZoneOffset.UTC);
    }

    private SeededRandom random(int page) {
        return new SeededRandom(spec.seed(), CHANGES, page);
    }

    private int changeIntervalDays(int page, SeededRandom seededRandom) {
        return hosts.has(pages.host(page), Trait.CHANGES)
                ? DAYS[seededRandom.nextInt(DAYS.length)]
                : 0;
    }
}
