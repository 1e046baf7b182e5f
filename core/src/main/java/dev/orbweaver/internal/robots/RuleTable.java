package dev.orbweaver.internal.robots;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rules of one group, indexed so that evaluating a path compares few of them.
 *
 * <p>A rule can match a path only if the path starts with the literal prefix of the rule: its bytes
 * up to the first special character. The rules are sorted by that prefix, and each has a parent:
 * the nearest rule before it whose prefix is a prefix of its own. Every literal prefix of a path
 * sorts at or before the path, and is also a prefix of the last rule that does so. Hence one binary
 * search, in a large table among the rules with the same second byte, finds that last rule, and its
 * chain of parents contains every rule that could match. A file with ten thousand literal rules
 * costs about fourteen comparisons per path.
 *
 * <p>All patterns are stored in one array, because tables of thousands of hosts are in memory at
 * once.
 */
final class RuleTable {

    static final RuleTable EMPTY = new RuleTable(List.of());

    /** Returned by {@link #decidingRule} instead of a rule if the steps are exceeded. */
    static final int TOO_COSTLY = -2;

    /** Maximum bytes compared for one path: 10,000 wildcard rules against a path of 400 bytes. */
    static final int PATH_STEPS_MAX = 4 << 20;

    /** Tables with at least this many rules have an index by the second byte of the path. */
    private static final int INDEXED_MIN = 256;

    private static final int SECOND_BYTES = 256;

    private final byte[] text;

    /** For each second byte of a path, the first rule that does not sort before it; or empty. */
    private final int[] firstOf;

    private final int[] starts;
    private final int[] literalEnds;
    private final int[] parents;

    /** The line of the rule, negative if the rule disallows. */
    private final int[] lines;

    /** One rule with its pattern as normalized by {@link RobotsPath}. */
    @SuppressWarnings("ArrayRecordComponent") // Rules are never compared by value.
    record Rule(byte[] pattern, boolean allow, int line) {

        int literalLength() {
            var i = 0;
            while (i < pattern.length
                    && pattern[i] != '*'
                    && !(pattern[i] == '$' && i == pattern.length - 1)) {
                i++;
            }
            return i;
        }
    }

    RuleTable(List<Rule> rules) {
        var sorted = new ArrayList<>(rules);
        sorted.sort(
                (a, b) ->
                        Arrays.compareUnsigned(
                                a.pattern, 0, a.literalLength(), b.pattern, 0, b.literalLength()));
        var count = sorted.size();
        text = new byte[sorted.stream().mapToInt(rule -> rule.pattern.length).sum()];
        starts = new int[count + 1];
        literalEnds = new int[count];
        parents = new int[count];
        lines = new int[count];
        for (var i = 0; i < count; i++) {
            insert(i, sorted.get(i));
        }
        firstOf = count < INDEXED_MIN ? new int[0] : firstBySecondByte();
    }

    private void insert(int i, Rule rule) {
        System.arraycopy(rule.pattern, 0, text, starts[i], rule.pattern.length);
        starts[i + 1] = starts[i] + rule.pattern.length;
        literalEnds[i] = starts[i] + rule.literalLength();
        lines[i] = rule.allow ? rule.line : -rule.line;
        var parent = i - 1;
        while (parent >= 0 && !isLiteralPrefix(parent, text, starts[i], literalEnds[i])) {
            parent = parents[parent];
        }
        parents[i] = parent;
    }

    /**
     * Returns the rule that decides, or -1. This is the one with the longest matching pattern; of
     * equally long ones an Allow rule (RFC 9309 section 2.2.2), then the first line.
     */
    int decidingRule(byte[] path) {
        return decidingRule(path, new RobotsMatchCost());
    }

    /**
     * Adds the cost and returns {@link #TOO_COSTLY} if more bytes would be compared than allowed.
     */
    int decidingRule(byte[] path, RobotsMatchCost cost) {
        var best = -1;
        var left = PATH_STEPS_MAX;
        for (var i = lastAtOrBefore(path); i >= 0; i = parents[i]) {
            if ((best < 0 || outranks(i, best)) && isLiteralPrefix(i, path, 0, path.length)) {
                left -= path.length + length(i);
                if (left < 0) {
                    cost.add(PATH_STEPS_MAX);
                    return TOO_COSTLY;
                }
                if (WildcardMatcher.matches(text, starts[i], literalEnds[i], starts[i + 1], path)) {
                    best = i;
                }
            }
            left--;
        }
        cost.add(PATH_STEPS_MAX - left);
        return best;
    }

    boolean allows(int rule) {
        return lines[rule] > 0;
    }

    int line(int rule) {
        return Math.abs(lines[rule]);
    }

    String pattern(int rule) {
        return new String(text, starts[rule], length(rule), StandardCharsets.US_ASCII);
    }

    int size() {
        return lines.length;
    }

    /** Returns the approximate memory use. */
    long memoryBytes() {
        return lines.length == 0
                ? 0
                : text.length
                        + 4L * Integer.BYTES * lines.length
                        + (long) Integer.BYTES * firstOf.length
                        + 128;
    }

    private boolean outranks(int rule, int other) {
        if (length(rule) != length(other)) {
            return length(rule) > length(other);
        }
        return allows(rule) == allows(other) ? line(rule) < line(other) : allows(rule);
    }

    private int length(int rule) {
        return starts[rule + 1] - starts[rule];
    }

    private boolean isLiteralPrefix(int rule, byte[] in, int from, int to) {
        var length = literalEnds[rule] - starts[rule];
        return length <= to - from
                && Arrays.equals(text, starts[rule], literalEnds[rule], in, from, from + length);
    }

    private int lastAtOrBefore(byte[] path) {
        var low = 0;
        var high = lines.length;
        if (firstOf.length > 0 && path.length > 1 && path[0] == '/') {
            var second = path[1] & 0xFF;
            low = firstOf[second];
            high = firstOf[second + 1];
        }
        while (low < high) {
            var middle = (low + high) >>> 1;
            if (compare(middle, path) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    private int compare(int rule, byte[] path) {
        return Arrays.compareUnsigned(text, starts[rule], literalEnds[rule], path, 0, path.length);
    }

    /** Returns the position of the first rule for each second byte of a path, and of the end. */
    private int[] firstBySecondByte() {
        var first = new int[SECOND_BYTES + 1];
        var rule = 0;
        for (var second = 0; second <= SECOND_BYTES; second++) {
            var path =
                    second < SECOND_BYTES ? new byte[] {'/', (byte) second} : new byte[] {'/' + 1};
            while (rule < lines.length && compare(rule, path) < 0) {
                rule++;
            }
            first[second] = rule;
        }
        return first;
    }
}
