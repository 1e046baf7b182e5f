package dev.orbweaver.testkit;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Computes how pages change over time, and what their servers say about it. All is a function of
 * page and time.
 *
 * <p>Hosts differ in what they send: an ETag, which may be weak, a Last-Modified date, both, or
 * nothing; and some of it is wrong ({@link Hazard#LYING_VALIDATORS}).
 */
record PageVersions(WebSpec spec, SimulatedHosts hosts, PageTable pages) {

    private static final long ABSENCE = 64;

    /** Some pages are missing for a quarter of the time. */
    private static final int ABSENCE_DAYS = 20;

    private static final int ABSENT_DAYS = 5;

    /** IMF-fixdate (RFC 9110, section 5.6.7). */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    /** Returns the number of changes of a page's text. */
    long version(int page, Duration now) {
        return process(page).until(now).number();
    }

    ChangeProcess process(int page) {
        return hosts.has(pages.host(page), Trait.CHANGES)
                ? ChangeProcess.of(spec.seed(), page)
                : new ChangeProcess(spec.seed(), page, 0);
    }

    /** Returns the time of the last change, in whole seconds as in HTTP. */
    ZonedDateTime modifiedAt(int page, Duration now) {
        return SimulatedWeb.FIRST_DAY
                .plus(process(page).until(now).last())
                .truncatedTo(ChronoUnit.SECONDS)
                .atZone(ZoneOffset.UTC);
    }

    /**
     * Whether a page is missing for some days. None is missing on the first day, so that a crawl
     * finds all pages.
     */
    boolean isAbsent(int page, Duration now) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VANISHING) || page == pages.first(host)) {
            return false;
        }
        var seededRandom = new SeededRandom(spec.seed(), ABSENCE, page);
        var phase = seededRandom.nextInt(ABSENCE_DAYS - ABSENT_DAYS);
        return seededRandom.oneIn(4)
                && (now.toDays() + phase) % ABSENCE_DAYS >= ABSENCE_DAYS - ABSENT_DAYS;
    }

    /** Returns what a page has besides its text and links. */
    PageBoilerplate boilerplate(int page, SimulatedRequest request) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.BOILERPLATE)) {
            return PageBoilerplate.NONE;
        }
        // A strong ETag names one sequence of bytes, which a nonce would change.
        var isByteExact = hosts.has(host, Trait.VALIDATORS) && !isWeak(host);
        return PageBoilerplate.of(
                SimulatedWeb.FIRST_DAY.plus(request.now()),
                isByteExact ? "" : request.attempt() + "-" + request.now().toNanos());
    }

    /** Adds an ETag, a Last-Modified date or both. */
    List<String> validatorFields(int page, SimulatedRequest request) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return List.of();
        }
        var fields = new ArrayList<String>();
        if (host % 3 != 0) {
            fields.add("ETag: " + etag(page, request));
        }
        if (host % 3 != 1) {
            fields.add("Last-Modified: " + HTTP_DATE.format(modifiedAt(page, request.now())));
        }
        return fields;
    }

    /** Whether the server says that the client has this version (RFC 9110, section 13.2.2). */
    boolean isNotModified(int page, SimulatedRequest simulatedRequest) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.VALIDATORS)) {
            return false;
        }
        var isConditional =
                !simulatedRequest.ifNoneMatch().isEmpty()
                        || !simulatedRequest.ifModifiedSince().isEmpty();
        if (isConditional && deception(host) == Deception.ALWAYS_UNMODIFIED) {
            return true;
        }
        // If-None-Match takes precedence over If-Modified-Since.
        if (host % 3 != 0 && !simulatedRequest.ifNoneMatch().isEmpty()) {
            return matches(simulatedRequest.ifNoneMatch(), etag(page, simulatedRequest));
        }
        return host % 3 != 1
                && simulatedRequest.ifNoneMatch().isEmpty()
                && !simulatedRequest.ifModifiedSince().isEmpty()
                && !modifiedAt(page, simulatedRequest.now())
                        .isAfter(date(simulatedRequest.ifModifiedSince()));
    }

    /** What is wrong with the validators of a host. */
    enum Deception {
        NONE,
        /** The ETag is another one at each request. */
        NEW_TAGS,
        /** Every conditional request gets 304. */
        ALWAYS_UNMODIFIED
    }

    Deception deception(int host) {
        if (!hosts.has(host, Trait.LYING_VALIDATORS)) {
            return Deception.NONE;
        }
        return host % 2 == 0 ? Deception.NEW_TAGS : Deception.ALWAYS_UNMODIFIED;
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
            return SimulatedWeb.FIRST_DAY.atZone(ZoneOffset.UTC).minusYears(100);
        }
    }

    private static boolean isWeak(int host) {
        return host % 2 == 0;
    }

    private String etag(int page, SimulatedRequest request) {
        var host = pages.host(page);
        var state =
                deception(host) == Deception.NEW_TAGS
                        ? "r" + request.attempt() + "-" + request.now().toNanos()
                        : "v" + version(page, request.now());
        var day =
                hosts.has(host, Trait.BOILERPLATE) && !isWeak(host)
                        ? "-d" + request.now().toDays()
                        : "";
        return (isWeak(host) ? "W/" : "") + "\"p" + page + "-" + state + day + "\"";
    }
}
