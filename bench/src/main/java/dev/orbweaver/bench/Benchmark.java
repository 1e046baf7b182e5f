package dev.orbweaver.bench;

import java.util.Map;

/** One thing that is measured. */
interface Benchmark {

    /** The figure that is false when a bound was broken; the program then ends with exit code 1. */
    String HELD = "held";

    String name();

    /** What it measures and which options it takes, in one line. */
    String help();

    /** Measures, reports progress on standard error, and returns the figures. */
    Map<String, Object> run(Options options) throws Exception;
}
