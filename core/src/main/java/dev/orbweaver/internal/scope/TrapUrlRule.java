package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;

import java.util.HashMap;
import java.util.Optional;

/**
 * Rejects URLs that repeat themselves: a relative link resolved against its own page repeatedly, a
 * form that adds its parameters again.
 *
 * <p>The rules are few and lenient, because a rejected URL is never fetched. Numbers may repeat, as
 * in {@code /2011/11/11/11}: the trap detector judges those by their pages.
 */
public final class TrapUrlRule {

    /** A part of a path repeated this many times in a row is assumed to be generated. */
    private static final int REPEATS = 4;

    /** Maximum number of segments of the repeated part. */
    private static final int PART_MAX = 4;

    private static final int SEGMENTS_MAX = 64;
    private static final int PARAMETERS_MAX = 64;

    private TrapUrlRule() {}

    /** Returns what repeats in a URL; empty if nothing does. */
    public static Optional<String> reason(CrawlUrl url) {
        if (isTooShortToRepeat(url.text())) {
            return Optional.empty();
        }
        var target = url.pathAndQuery();
        var mark = target.indexOf('?');
        var path = mark < 0 ? target : target.substring(0, mark);
        return pathReason(path)
                .or(() -> mark < 0 ? Optional.empty() : queryReason(target, mark + 1));
    }

    /** A fast check that is true for nearly every URL. */
    private static boolean isTooShortToRepeat(String text) {
        var slashes = -2; // Those of the scheme.
        var ands = 0;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            slashes += c == '/' ? 1 : 0;
            ands += c == '&' ? 1 : 0;
        }
        return slashes < REPEATS && ands < REPEATS - 1;
    }

    private static Optional<String> pathReason(String path) {
        var segments = path.substring(1).split("/", -1);
        if (segments.length > SEGMENTS_MAX) {
            return Optional.of("its path has more than " + SEGMENTS_MAX + " segments");
        }
        for (var part = 1; part <= PART_MAX; part++) {
            if (repeats(segments, part)) {
                return Optional.of("its path repeats the same segments " + REPEATS + " times");
            }
        }
        return Optional.empty();
    }

    /** Returns whether {@code part} segments are repeated in a row, not all of them numbers. */
    private static boolean repeats(String[] segments, int part) {
        var same = 0;
        var word = false;
        for (var i = part; i < segments.length; i++) {
            if (segments[i].isEmpty() || !segments[i].equals(segments[i - part])) {
                same = 0;
                word = false;
                continue;
            }
            same++;
            word |= !isNumber(segments[i]);
            if (word && same >= part * (REPEATS - 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNumber(String segment) {
        return segment.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static Optional<String> queryReason(String target, int start) {
        var times = new HashMap<String, Integer>();
        var count = 0;
        for (var at = start; at <= target.length(); count++) {
            var and = target.indexOf('&', at);
            var end = and < 0 ? target.length() : and;
            var parameter = target.substring(at, end);
            if (parameter.indexOf('=') > 0 && times.merge(parameter, 1, Integer::sum) >= REPEATS) {
                return Optional.of("its query repeats " + parameter + " " + REPEATS + " times");
            }
            at = end + 1;
        }
        return count > PARAMETERS_MAX
                ? Optional.of("its query has more than " + PARAMETERS_MAX + " parameters")
                : Optional.empty();
    }
}
