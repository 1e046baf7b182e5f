package dev.orbweaver.e2e;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What befell crawls and what came of them, added up. */
final class ChaosCounts {

    private static final List<String> NAMES =
            List.of(
                    "rounds",
                    "lives",
                    "kills",
                    "stops",
                    "fullDisks",
                    "ioErrors",
                    "slowDisks",
                    "clockSteps",
                    "clockSwings",
                    "requests",
                    "pages",
                    "missing",
                    "extra",
                    "doubled",
                    "fetchedAgain",
                    "early",
                    "earlyAllowedByStops",
                    "forbidden",
                    "complaints");

    private final Map<String, Long> counts = new LinkedHashMap<>();

    ChaosCounts() {
        NAMES.forEach(name -> counts.put(name, 0L));
    }

    void add(String name, long number) {
        if (counts.merge(name, number, Long::sum) == null || !NAMES.contains(name)) {
            throw new IllegalArgumentException("nothing is counted as " + name);
        }
    }

    long of(String name) {
        return counts.getOrDefault(name, 0L);
    }

    Map<String, Object> asMap() {
        return new LinkedHashMap<>(counts);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
