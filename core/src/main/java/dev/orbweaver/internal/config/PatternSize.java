package dev.orbweaver.internal.config;

/**
 * Estimates how many instructions RE2 compiles a pattern to, before it is compiled.
 *
 * <p>RE2 expands counted repetitions, and nested ones multiply: {@code (?:(?:a{1000}){1000}){10}}
 * has 25 characters and compiles to ten million instructions, which takes minutes and all memory.
 * The estimate is too low by at most a small factor. It accepts any text, including patterns that
 * RE2 rejects later.
 */
final class PatternSize {

    /** The maximum depth of nested groups; RE2 parses them recursively. */
    static final int DEPTH_MAX = 250;

    private static final long HUGE = Long.MAX_VALUE / (1L << 20);

    private final String text;
    private final long[] open = new long[DEPTH_MAX];
    private int depth;
    private int at;

    /** Instructions of the current group so far. */
    private long sum;

    /** Instructions of the last element, which a repetition would repeat. */
    private long last;

    private PatternSize(String text) {
        this.text = text;
    }

    /** Returns the estimate; {@code Long.MAX_VALUE} if groups are nested too deeply. */
    static long of(String pattern) {
        var size = new PatternSize(pattern);
        while (size.at < pattern.length()) {
            if (!size.step()) {
                return Long.MAX_VALUE;
            }
        }
        while (size.depth > 0) {
            size.closeGroup();
        }
        return size.sum;
    }

    private boolean step() {
        var c = text.charAt(at++);
        switch (c) {
            case '(' -> {
                return openGroup();
            }
            case ')' -> {
                if (depth > 0) {
                    closeGroup();
                }
            }
            case '[' -> {
                skipClass();
                atom(2);
            }
            case '\\' -> escape();
            case '*', '+', '?' -> repeat(1);
            case '{' -> count();
            default -> atom(1);
        }
        return true;
    }

    private void atom(long size) {
        sum = Math.min(HUGE, sum + size);
        last = size;
    }

    private boolean openGroup() {
        if (depth == DEPTH_MAX) {
            return false;
        }
        open[depth++] = sum;
        sum = 0;
        last = 0;
        if (at < text.length() && text.charAt(at) == '?') {
            at++; // Flags or a name that follow are counted as literals: slightly too many.
        }
        return true;
    }

    private void closeGroup() {
        var group = sum + 2;
        sum = open[--depth];
        atom(group);
    }

    private void repeat(long times) {
        var more = Math.min(HUGE, last * (times - 1)) + 1;
        sum = Math.min(HUGE, sum + more);
        last = Math.min(HUGE, last + more);
    }

    /** Handles a count in braces; braces around anything else are literals. */
    private void count() {
        var end = text.indexOf('}', at);
        var inside = end < 0 ? "" : text.substring(at, end);
        if (inside.matches("\\d{1,9}(,\\d{0,9})?")) {
            at = end + 1;
            var comma = inside.indexOf(',');
            var min = Long.parseLong(comma < 0 ? inside : inside.substring(0, comma));
            var max =
                    comma < 0 || comma == inside.length() - 1
                            ? min + 1
                            : Long.parseLong(inside.substring(comma + 1));
            repeat(Math.clamp(Math.max(min, max), 1, 1 << 20));
        } else {
            atom(1);
        }
    }

    private void escape() {
        if (at == text.length()) {
            return;
        }
        var c = text.charAt(at++);
        if (c == 'Q') {
            var end = text.indexOf("\\E", at);
            var quoted = (end < 0 ? text.length() : end) - at;
            atom(quoted);
            last = 1;
            at = end < 0 ? text.length() : end + 2;
        } else if ((c == 'p' || c == 'P' || c == 'x') && at < text.length()) {
            var end = text.charAt(at) == '{' ? text.indexOf('}', at) : at;
            at = end < 0 ? text.length() : end + 1;
            atom(2);
        } else {
            atom(2);
        }
    }

    private void skipClass() {
        if (at < text.length() && text.charAt(at) == '^') {
            at++;
        }
        var first = at;
        while (at < text.length() && (text.charAt(at) != ']' || at == first)) {
            if (text.charAt(at) == '\\') {
                at++;
            } else if (text.startsWith("[:", at)) {
                var end = text.indexOf(":]", at + 2);
                at = end < 0 ? at : end + 1;
            }
            at++;
        }
        at++;
    }
}
