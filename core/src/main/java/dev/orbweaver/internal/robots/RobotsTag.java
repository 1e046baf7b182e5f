package dev.orbweaver.internal.robots;

import dev.orbweaver.model.TextScan;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Parses {@code X-Robots-Tag} fields and the content of robots metas. There is no standard; this
 * follows the documentation of the large search engines. Values are separated by commas, in any
 * case. In a header a name and a colon address the values after it, up to the end of the field or
 * the next name. Of all values for one crawler the strictest apply.
 *
 * <p>A few values have a parameter after a colon. Only {@code unavailable_after} is used here; its
 * date may contain a comma, so parts are joined again until they form a date. An invalid date has
 * no effect.
 */
public final class RobotsTag {

    private static final Set<String> VALUE_DIRECTIVES =
            Set.of("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview");

    /** More than any legitimate field has. */
    private static final int PIECES_MAX = 200;

    private static final List<DateTimeFormatter> DATES =
            List.of(
                    pattern("[EEE, ]d MMM yyyy HH:mm[:ss] z"),
                    pattern("EEEE, d-MMM-yy HH:mm:ss z"),
                    pattern("[EEEE, ][EEE, ]d-MMM-yyyy HH:mm:ss z"),
                    pattern("EEE MMM d HH:mm:ss yyyy z"));

    private final String productToken;
    private final Instant now;
    private final EnumSet<Directive> found = EnumSet.noneOf(Directive.class);

    private RobotsTag(String productToken, Instant now) {
        this.productToken = productToken;
        this.now = now;
    }

    /** Returns the restrictions in the fields of a response for a crawler with this name. */
    public static Set<Directive> fromHeader(List<String> fields, String productToken, Instant now) {
        var tag = new RobotsTag(productToken, now);
        fields.forEach(field -> tag.read(field, true));
        return tag.found;
    }

    /** Returns the restrictions in the content of a meta element whose name matches. */
    public static Set<Directive> fromMeta(String content, Instant now) {
        var tag = new RobotsTag("", now);
        tag.read(content, false);
        return tag.found;
    }

    private void read(String text, boolean named) {
        var pieces = text.split(",", PIECES_MAX);
        var forUs = true;
        for (var i = 0; i < pieces.length; i++) {
            var piece = pieces[i].strip();
            var colon = piece.indexOf(':');
            var word = (colon < 0 ? piece : piece.substring(0, colon)).strip();
            var valued = colon >= 0 && VALUE_DIRECTIVES.contains(word.toLowerCase(Locale.ROOT));
            if (colon >= 0 && !valued && named) {
                forUs = isAddressedToUs(word);
                piece = piece.substring(colon + 1).strip();
                colon = piece.indexOf(':');
                word = (colon < 0 ? piece : piece.substring(0, colon)).strip();
            }
            if (forUs && word.equalsIgnoreCase("unavailable_after")) {
                readUnavailableAfter(
                        piece.substring(colon + 1).strip(),
                        i + 1 < pieces.length ? pieces[i + 1] : "");
            } else if (forUs) {
                // The values of metas may also be separated by spaces only.
                for (var each : TextScan.words(piece)) {
                    found.addAll(Directive.ofTagValue(each));
                }
            }
        }
    }

    private boolean isAddressedToUs(String name) {
        return name.equals("*")
                || name.equalsIgnoreCase("robots")
                || ProductToken.name(name).equalsIgnoreCase(productToken);
    }

    private void readUnavailableAfter(String text, String more) {
        instant(text)
                .or(() -> instant(text + "," + more))
                .filter(last -> last.isBefore(now))
                .ifPresent(_ -> found.add(Directive.UNAVAILABLE));
    }

    private static DateTimeFormatter pattern(String text) {
        return new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(text)
                .toFormatter(Locale.ENGLISH);
    }

    private static Optional<Instant> instant(String text) {
        for (var form : DATES) {
            try {
                return Optional.of(ZonedDateTime.parse(text, form).toInstant());
            } catch (DateTimeException notThisForm) {
                // Try the next format.
            }
        }
        return isoInstant(text);
    }

    private static Optional<Instant> isoInstant(String text) {
        try {
            return Optional.of(
                    text.length() == 10
                            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                            : OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException noDate) {
            return Optional.empty();
        }
    }
}
