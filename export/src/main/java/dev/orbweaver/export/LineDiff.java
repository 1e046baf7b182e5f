package dev.orbweaver.export;

import java.util.ArrayList;
import java.util.List;

/**
 * Computes the difference between two texts by lines, as in a unified diff.
 *
 * <p>It finds the shortest edit script (Myers 1986, the greedy algorithm) after removing the common
 * prefix and suffix. The cost grows with the square of the number of changes, so beyond a limit the
 * middle is reported as replaced.
 */
record LineDiff(List<String> before, List<String> after) {

    private static final int CHANGES_MAX = 1_000;
    private static final int CONTEXT = 2;

    /** One line of the script: ' ' in both texts, '-' only in the old, '+' only in the new. */
    private record Edit(char mark, String line) {}

    /** Returns the changes with some lines of context; empty if there are none. */
    static List<String> of(List<String> before, List<String> after) {
        return new LineDiff(before, after).hunks();
    }

    private List<Edit> script() {
        var start = 0;
        while (start < before.size()
                && start < after.size()
                && before.get(start).equals(after.get(start))) {
            start++;
        }
        var end = 0;
        while (end < before.size() - start
                && end < after.size() - start
                && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
            end++;
        }
        var edits = new ArrayList<Edit>();
        before.subList(0, start).forEach(line -> edits.add(new Edit(' ', line)));
        diffMiddle(
                before.subList(start, before.size() - end),
                after.subList(start, after.size() - end),
                edits);
        before.subList(before.size() - end, before.size())
                .forEach(line -> edits.add(new Edit(' ', line)));
        return edits;
    }

    private static void diffMiddle(List<String> a, List<String> b, List<Edit> edits) {
        var trace = new ArrayList<int[]>();
        var max = Math.min(a.size() + b.size(), CHANGES_MAX);
        var reach = new int[2 * max + 3];
        for (var changes = 0; changes <= max; changes++) {
            trace.add(reach.clone());
            for (var k = -changes; k <= changes; k += 2) {
                var down =
                        k == -changes
                                || (k != changes
                                        && reach[max + 1 + k - 1] < reach[max + 1 + k + 1]);
                var x = down ? reach[max + 1 + k + 1] : reach[max + 1 + k - 1] + 1;
                var y = x - k;
                while (x < a.size() && y < b.size() && a.get(x).equals(b.get(y))) {
                    x++;
                    y++;
                }
                reach[max + 1 + k] = x;
                if (x >= a.size() && y >= b.size()) {
                    backtrack(a, b, trace, max, edits);
                    return;
                }
            }
        }
        a.forEach(line -> edits.add(new Edit('-', line)));
        b.forEach(line -> edits.add(new Edit('+', line)));
    }

    private static void backtrack(
            List<String> a, List<String> b, List<int[]> trace, int max, List<Edit> edits) {
        var found = new ArrayList<Edit>();
        var x = a.size();
        var y = b.size();
        for (var changes = trace.size() - 1; changes >= 0; changes--) {
            var reach = trace.get(changes);
            var k = x - y;
            var down =
                    k == -changes
                            || (k != changes && reach[max + 1 + k - 1] < reach[max + 1 + k + 1]);
            var previousK = down ? k + 1 : k - 1;
            var previousX = changes == 0 ? 0 : reach[max + 1 + previousK];
            var previousY = changes == 0 ? 0 : previousX - previousK;
            while (x > previousX && y > previousY) {
                found.add(new Edit(' ', a.get(--x)));
                y--;
            }
            if (changes > 0) {
                found.add(down ? new Edit('+', b.get(--y)) : new Edit('-', a.get(--x)));
            }
        }
        edits.addAll(found.reversed());
    }

    private List<String> hunks() {
        var script = script();
        var near = new boolean[script.size()];
        for (var i = 0; i < near.length; i++) {
            if (script.get(i).mark() != ' ') {
                for (var j = Math.max(0, i - CONTEXT);
                        j <= Math.min(near.length - 1, i + CONTEXT);
                        j++) {
                    near[j] = true;
                }
            }
        }
        var lines = new ArrayList<String>();
        var oldLine = 1;
        var newLine = 1;
        for (var i = 0; i < near.length; i++) {
            var edit = script.get(i);
            if (near[i]) {
                if (i == 0 || !near[i - 1]) {
                    lines.add("@@ -" + oldLine + " +" + newLine + " @@");
                }
                lines.add(edit.mark() + edit.line());
            }
            oldLine += edit.mark() == '+' ? 0 : 1;
            newLine += edit.mark() == '-' ? 0 : 1;
        }
        return lines;
    }
}
