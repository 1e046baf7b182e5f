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
public record PageQuery(
        Optional<String> url,
        Optional<String> host,
        Optional<Instant> from,
        Optional<Instant> until,
        Optional<Integer> status)
        implements Predicate<PageEntry> {

    /** Every line. */
    public static final PageQuery ALL =
            new PageQuery(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    /** Only lines of this URL, as it was requested. */
    public PageQuery url(String wanted) {
        return new PageQuery(Optional.of(wanted), host, from, until, status);
    }

    /** Only lines of this host. */
    public PageQuery host(String wanted) {
        return new PageQuery(url, Optional.of(wanted), from, until, status);
    }

    /** Only lines of this span of time: the beginning belongs to it, the end does not. */
    public PageQuery between(Instant begin, Instant end) {
        return new PageQuery(url, host, Optional.of(begin), Optional.of(end), status);
    }

    /** Only lines with this status. */
    public PageQuery status(int wanted) {
        return new PageQuery(url, host, from, until, Optional.of(wanted));
    }

    @Override
    public boolean test(PageEntry entry) {
        return url.filter(wanted -> !wanted.equals(entry.url())).isEmpty()
                && host.filter(wanted -> !wanted.equals(entry.host())).isEmpty()
                && from.filter(entry.time()::isBefore).isEmpty()
                && until.filter(end -> !entry.time().isBefore(end)).isEmpty()
                && status.filter(wanted -> wanted != entry.status()).isEmpty();
    }
}
