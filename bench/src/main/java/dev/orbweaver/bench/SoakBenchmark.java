package dev.orbweaver.bench;

import dev.orbweaver.e2e.Soak;

import java.time.Duration;
import java.util.Map;

/** The long version of the chaos suite: many crawls, each with other faults. */
final class SoakBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "soak",
                    "kills, stops, full, failing and slow disks, clock steps, then compares"
                            + " pages [--minutes 10 --rounds N --seed N]",
                    options -> new SoakBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var minutes =
                options.number("minutes", options.values().containsKey("rounds") ? 1_440 : 10);
        var rounds = options.number("rounds", Integer.MAX_VALUE);
        return new Soak(seed, line -> System.err.println("bench: " + line))
                .run(rounds, Duration.ofMinutes(minutes));
    }
}
