package dev.orbweaver.server.search;

import dev.orbweaver.model.Capture.Kind;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which lines of a page log are wanted.
 *
 * @param text all of which must be in title, URL or text; empty for any
 * @param kinds only these; any when empty
 * @param host only this one; any when empty
 * @param path only what begins with this; any when empty
 * @param statusFrom the least status code
 * @param statusTo the greatest
 * @param after only what comes behind this line in the wanted order
 */
public record PageSearchQuery(
        String text,
        Set<Kind> kinds,
        Optional<String> host,
        Optional<String> path,
        int statusFrom,
        int statusTo,
        OptionalLong after,
        Order order,
        int offset,
        int limit) {

    /** No further is counted off from the beginning; who wants more goes on behind a line. */
    public static final int OFFSET_MAX = 10_000;

    /** What comes first. */
    public enum Order {
        /** The last line of the log. */
        NEWEST,
        /** The first. */
        OLDEST,
        /** What has most to do with the words. */
        RELEVANCE
    }

    /** Keeps the set unchangeable. */
    public PageSearchQuery {
        kinds = Set.copyOf(kinds);
        if (offset < 0 || offset > OFFSET_MAX || limit < 0) {
            throw new IllegalArgumentException(offset + ", " + limit);
        }
    }

    /** Everything, the newest first. */
    public static PageSearchQuery newest(int limit) {
        return newest(Set.of(), limit);
    }

    /** Everything of one kind, the newest first. */
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
                OptionalLong.empty(),
                Order.NEWEST,
                0,
                limit);
    }
}
