package dev.orbweaver.bench;

import java.util.Map;

/**
 * One thing that is measured.
 *
 * @param help what it measures and which options it takes, in one line
 */
record Benchmark(String name, String help, Measurement measurement) {

    /** The figure that is false when a bound was broken; the program then ends with exit code 1. */
    static final String HELD = "held";

    interface Measurement {
        /** Measures, reports progress on standard error, and returns the figures. */
        Map<String, Object> run(Options options) throws Exception;
    }
}
