package dev.orbweaver.server.search;

import dev.orbweaver.model.Capture.Kind;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A query for page log lines.
 *
 * @param text words that must all occur in title, URL or text; empty for any
 * @param kinds accepted kinds; empty for any
 * @param host the host; empty for any
 * @param path prefix of the path; empty for any
 * @param url the whole URL; empty for any
 * @param mediaType the media type; empty for any
 * @param from the earliest time
 * @param to the first time that is too late
 * @param after return only lines after this one in the requested order
 */
public record PageSearchQuery(
        String text,
        Set<Kind> kinds,
        Optional<String> host,
        Optional<String> path,
        Optional<String> url,
        Optional<String> mediaType,
        int statusFrom,
        int statusTo,
        Optional<Instant> from,
        Optional<Instant> to,
        OptionalLong after,
        Order order,
        int offset,
        int limit) {

    /** The maximum offset; further results are requested with {@code after}. */
    public static final int OFFSET_MAX = 10_000;

    public enum Order {
        NEWEST,
        OLDEST,
        RELEVANCE
    }

    public PageSearchQuery {
        kinds = Set.copyOf(kinds);
        if (offset < 0 || offset > OFFSET_MAX || limit < 0) {
            throw new IllegalArgumentException(offset + ", " + limit);
        }
    }

    /** Creates a search for any URL and media type. */
    public PageSearchQuery(
            String text,
            Set<Kind> kinds,
            Optional<String> host,
            Optional<String> path,
            int statusFrom,
            int statusTo,
            Optional<Instant> from,
            Optional<Instant> to,
            OptionalLong after,
            Order order,
            int offset,
            int limit) {
        this(
                text,
                kinds,
                host,
                path,
                Optional.empty(),
                Optional.empty(),
                statusFrom,
                statusTo,
                from,
                to,
                after,
                order,
                offset,
                limit);
    }

    public static PageSearchQuery newest(int limit) {
        return newest(Set.of(), limit);
    }

    public static PageSearchQuery ofKind(Kind kind, int limit) {
        return newest(Set.of(kind), limit);
    }

    private static PageSearchQuery newest(Set<Kind> kinds, int limit) {
        return new PageSearchQuery(
                "",
                kinds,
                Optional.empty(),
                Optional.empty(),
                0,
                Integer.MAX_VALUE,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Order.NEWEST,
                0,
                limit);
    }
}
