package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Collects failures of many cases by level, so that one run shows all of them. */
final class Failures {

    private static final int SHOWN = 20;

    private final List<String> must = new ArrayList<>();
    private final TreeMap<String, int[]> counts = new TreeMap<>();
    private final List<String> others = new ArrayList<>();

    void check(String level, boolean good, String what) {
        var count = counts.computeIfAbsent(level, _ -> new int[2]);
        count[good ? 0 : 1]++;
        if (!good) {
            (level.equals("must") ? must : others).add(level + ": " + what);
        }
    }

    /** Fails if a "must" case failed, and prints the counts of the others. */
    void report(String name) {
        var summary = new StringBuilder(name);
        counts.forEach(
                (level, count) ->
                        summary.append(
                                " | %s: %d pass, %d fail".formatted(level, count[0], count[1])));
        System.out.println(summary);
        others.stream().limit(SHOWN).forEach(line -> System.out.println("  " + line));
        assertThat(must.stream().limit(SHOWN)).as(summary.toString()).isEmpty();
    }
}
