package dev.orbweaver.internal.robots;

/**
 * Matches one pattern with {@code *} and a final {@code $} (RFC 9309 section 2.2.3) against one
 * path.
 *
 * <p>The bytes between two stars are a literal piece. Matching each piece at its first possible
 * position is always correct, because that leaves most of the path to the pieces after it. So there
 * is no backtracking. Within a piece, a naive search could still cost the product of both lengths.
 * Long pieces are therefore searched with a failure table (Knuth, Morris and Pratt, 1977), which
 * keeps the cost of a hostile file linear. For the shortest pieces the table would cost more than
 * it saves.
 */
final class WildcardMatcher {

    private static final int SHORT_PIECE = 4;

    private WildcardMatcher() {}

    /**
     * Returns whether the pattern in {@code text[start, end)} matches. The caller has already
     * matched its literal prefix up to {@code literalEnd}.
     */
    static boolean matches(byte[] text, int start, int literalEnd, int end, byte[] path) {
        var anchored = end > start && text[end - 1] == '$';
        var stop = anchored ? end - 1 : end;
        var at = literalEnd - start;
        var piece = literalEnd;
        if (piece >= stop) {
            return !anchored || at == path.length;
        }
        while (true) {
            // text[piece] is a star: take the literal bytes up to the next one.
            var from = piece + 1;
            var to = nextStar(text, from, stop);
            if (to == stop) {
                return matchesLastPiece(text, from, to, path, at, anchored);
            }
            at = find(text, from, to, path, at);
            if (at < 0) {
                return false;
            }
            piece = to;
        }
    }

    private static boolean matchesLastPiece(
            byte[] text, int from, int to, byte[] path, int at, boolean anchored) {
        if (!anchored) {
            return find(text, from, to, path, at) >= 0;
        }
        var tail = path.length - (to - from);
        return tail >= at && equal(text, from, to, path, tail);
    }

    /** Returns the end of the first match of a piece at or after {@code at}, or -1. */
    private static int find(byte[] text, int from, int to, byte[] path, int at) {
        if (to == from) {
            return at;
        }
        return to - from <= SHORT_PIECE
                ? findShort(text, from, to, path, at)
                : findLong(text, from, to, path, at);
    }

    private static int findShort(byte[] text, int from, int to, byte[] path, int at) {
        var length = to - from;
        for (var i = at; i + length <= path.length; i++) {
            if (equal(text, from, to, path, i)) {
                return i + length;
            }
        }
        return -1;
    }

    private static int findLong(byte[] text, int from, int to, byte[] path, int at) {
        var length = to - from;
        if (length > path.length - at) {
            return -1;
        }
        var failure = failureTable(text, from, length);
        var matched = 0;
        for (var i = at; i < path.length; i++) {
            while (matched > 0 && text[from + matched] != path[i]) {
                matched = failure[matched - 1];
            }
            if (text[from + matched] == path[i]) {
                matched++;
            }
            if (matched == length) {
                return i + 1;
            }
        }
        return -1;
    }

    private static int[] failureTable(byte[] text, int from, int length) {
        var failure = new int[length];
        var matched = 0;
        for (var i = 1; i < length; i++) {
            while (matched > 0 && text[from + matched] != text[from + i]) {
                matched = failure[matched - 1];
            }
            if (text[from + matched] == text[from + i]) {
                matched++;
            }
            failure[i] = matched;
        }
        return failure;
    }

    private static boolean equal(byte[] text, int from, int to, byte[] path, int at) {
        for (var i = from; i < to; i++) {
            if (text[i] != path[at + i - from]) {
                return false;
            }
        }
        return true;
    }

    private static int nextStar(byte[] text, int from, int stop) {
        var i = from;
        while (i < stop && text[i] != '*') {
            i++;
        }
        return i;
    }
}
