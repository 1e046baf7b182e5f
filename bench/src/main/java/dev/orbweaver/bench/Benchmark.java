package dev.orbweaver.bench;

import java.util.Map;

/**
 * A benchmark.
 *
 * @param help what it measures and its options, in one line
 */
record Benchmark(String name, String help, Measurement measurement) {

    /** The result that is false if a limit was exceeded; the program then exits with code 1. */
    static final String HELD = "held";

    interface Measurement {
        /** Runs the benchmark, prints progress to standard error, and returns the results. */
        Map<String, Object> run(Options options) throws Exception;
    }
}
