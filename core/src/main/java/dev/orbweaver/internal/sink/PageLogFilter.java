package dev.orbweaver.internal.sink;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which lines of a page log are wanted: those for which everything that is said holds. For
 * questions that take more, {@code orbweaver query} has SQL over the same lines.
 *
 * @param host the host name in lower case, without port
 * @param from the first moment that counts
 * @param until the first moment that no longer does
 * @param status the HTTP status; 0 for visits without an answer
 */
public record PageLogFilter(
        Optional<String> url,
        Optional<String> host,
        Optional<Instant> from,
        Optional<Instant> until,
        Optional<Integer> status)
        implements Predicate<PageLogEntry> {

    /** Every line. */
    public static final PageLogFilter ALL =
            new PageLogFilter(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    /** Only lines of this URL, as it was requested. */
    public PageLogFilter url(String wanted) {
        return new PageLogFilter(Optional.of(wanted), host, from, until, status);
    }

    /** Only lines of this host. */
    public PageLogFilter host(String wanted) {
        return new PageLogFilter(url, Optional.of(wanted), from, until, status);
    }

    /** Only lines of this span of time: the beginning belongs to it, the end does not. */
    public PageLogFilter between(Instant begin, Instant end) {
        return new PageLogFilter(url, host, Optional.of(begin), Optional.of(end), status);
    }

    /** Only lines with this status. */
    public PageLogFilter status(int wanted) {
        return new PageLogFilter(url, host, from, until, Optional.of(wanted));
    }

    @Override
    public boolean test(PageLogEntry entry) {
        return url.filter(wanted -> !wanted.equals(entry.url())).isEmpty()
                && host.filter(wanted -> !wanted.equals(entry.host())).isEmpty()
                && from.filter(entry.time()::isBefore).isEmpty()
                && until.filter(end -> !entry.time().isBefore(end)).isEmpty()
                && status.filter(wanted -> wanted != entry.status()).isEmpty();
    }
}
