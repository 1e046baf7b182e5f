package dev.orbweaver.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures the time from starting the launcher to its first output, without a build. */
final class StartBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "start",
                    "milliseconds from starting the launcher to its first output [--times 11]",
                    options -> new StartBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var launcher = Path.of(System.getProperty("orbweaver.root"), "orbweaver").toString();
        var millis = new ArrayList<Double>();
        for (var i = 0; i <= options.number("times", 11); i++) {
            var begun = System.nanoTime();
            var process = new ProcessBuilder(launcher, "--version").start();
            var first = process.getInputStream().read();
            millis.add((System.nanoTime() - begun) / 1e6);
            process.waitFor();
            if (first < 0) {
                throw new IllegalStateException("the launcher printed nothing");
            }
        }
        millis.removeFirst(); // The first run may have built the program.
        Collections.sort(millis);
        var figures = new LinkedHashMap<String, Object>();
        figures.put("medianMillis", millis.get(millis.size() / 2));
        figures.put("bestMillis", millis.getFirst());
        figures.put("worstMillis", millis.getLast());
        return figures;
    }
}
