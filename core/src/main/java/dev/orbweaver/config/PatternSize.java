package dev.orbweaver.config;

/**
 * Estimates how many instructions RE2 compiles a pattern to, before it is compiled.
 *
 * <p>RE2 writes counted repetitions out, and they multiply when nested: {@code
 * (?:(?:a{1000}){1000}){10}} is 25 characters and ten million instructions. Compiling it takes
 * minutes and all memory. The estimate never falls short by more than a small factor; it is made
 * for any text, also for what RE2 refuses afterwards.
 */
final class PatternSize {

    /** Groups that may be open inside each other; RE2 descends into them recursively. */
    static final int DEPTH_MAX = 250;

    private static final long HUGE = Long.MAX_VALUE / (1L << 20);

    private final String text;
    private final long[] open = new long[DEPTH_MAX];
    private int depth;
    private int at;

    /** Instructions of the group that is being read, so far. */
    private long sum;

    /** Of these, the ones that a repetition would repeat. */
    private long last;

    private PatternSize(String text) {
        this.text = text;
    }

    /** The estimate; an endless number where groups are nested too deeply. */
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
            at++; // What follows, flags or a name, counts as a few literals too many.
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

    /** A count in braces; braces around anything else are literals. */
    private void count() {
        var end = text.indexOf('}', at);
        var inside = end < 0 ? "" : text.substring(at, end);
        if (inside.matches("\\d{1,9}(,\\d{0,9})?")) {
            at = end + 1;
            var comma = inside.indexOf(',');
            var least = Long.parseLong(comma < 0 ? inside : inside.substring(0, comma));
            var most =
                    comma < 0 || comma == inside.length() - 1
                            ? least + 1
                            : Long.parseLong(inside.substring(comma + 1));
            repeat(Math.clamp(Math.max(least, most), 1, 1 << 20));
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
