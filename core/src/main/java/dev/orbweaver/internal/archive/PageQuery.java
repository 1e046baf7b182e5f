package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Which visited pages are wanted: those for which every given condition holds.
 *
 * @param since the first moment that counts
 * @param until the first moment that does not count any more
 * @param statuses empty for every status
 * @param host in its normal form, without port
 * @param limit the maximum number of pages
 */
public record PageQuery(
        Optional<Instant> since,
        Optional<Instant> until,
        List<StatusRange> statuses,
        Optional<String> host,
        long limit) {

    public static final PageQuery ALL =
            new PageQuery(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    Long.MAX_VALUE);

    /** URLs that were requested for their content; robots.txt and sitemaps are not pages. */
    private static final Set<Kind> VISITED =
            EnumSet.of(Kind.PAGE, Kind.REDIRECT, Kind.ERROR, Kind.FAILED);

    public PageQuery {
        statuses = List.copyOf(statuses);
    }

    /** A status code, all codes of a class, or 0 for visits without a response. */
    public record StatusRange(int first, int last) {

        /** Parses {@code 404}, {@code 4xx} or {@code none}. */
        public static Optional<StatusRange> parse(String text) {
            if (text.equals("none")) {
                return Optional.of(new StatusRange(0, 0));
            }
            if (text.matches("[1-9]xx")) {
                var first = (text.charAt(0) - '0') * 100;
                return Optional.of(new StatusRange(first, first + 99));
            }
            return text.matches("[1-9]\\d\\d")
                    ? Optional.of(new StatusRange(Integer.parseInt(text), Integer.parseInt(text)))
                    : Optional.empty();
        }

        private boolean contains(int status) {
            return first <= status && status <= last;
        }
    }

    boolean accepts(PageLogEntry entry) {
        return VISITED.contains(entry.kind())
                && since.filter(entry.time()::isBefore).isEmpty()
                && until.filter(end -> !entry.time().isBefore(end)).isEmpty()
                && acceptsStatus(OptionalInt.of(entry.status()))
                && host.filter(wanted -> !wanted.equals(entry.host())).isEmpty();
    }

    /**
     * @param status empty where it is not known yet
     */
    boolean acceptsStatus(OptionalInt status) {
        return statuses.isEmpty()
                || status.isEmpty()
                || statuses.stream().anyMatch(range -> range.contains(status.getAsInt()));
    }
}
