package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Collects failures of many cases, so that one run shows all of them. */
final class Failures {

    private final List<String> found = new ArrayList<>();
    private int cases;

    void check(String about, Object expected, Object actual) {
        cases++;
        if (!expected.equals(actual)) {
            found.add(about + "\n    expected " + expected + "\n    but was  " + actual);
        }
    }

    int count() {
        return found.size();
    }

    int cases() {
        return cases;
    }

    List<String> all() {
        return found;
    }

    void assertNone() {
        assertThat(cases).as("cases read").isPositive();
        assertThat(found.subList(0, Math.min(20, found.size())))
                .as("%d of %d cases fail; the first:", found.size(), cases)
                .isEmpty();
    }
}
