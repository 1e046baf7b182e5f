package dev.orbweaver.bench;

import dev.orbweaver.internal.crawl.TrapSimulation;

import java.util.LinkedHashMap;
import java.util.Map;

/** Crawls traps of every kind beside ordinary sites, in virtual time, for many seeds. */
final class TrapsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "traps",
                    "webs with all kinds of traps, in virtual time [--seeds 20 --hosts 61 --pages"
                            + " 3000]",
                    options -> new TrapsBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var seeds = options.number("seeds", 20);
        var got = 1.0;
        var wasted = 0.0;
        var slowest = 0.0;
        for (var seed = 1; seed <= seeds; seed++) {
            var zoo =
                    TrapSimulation.crawl(
                            seed,
                            options.number("hosts", 61),
                            options.number("pages", 3_000),
                            seed % 2 == 0);
            System.err.println("bench: " + zoo);
            got = Math.min(got, zoo.gotShare());
            wasted = Math.max(wasted, zoo.wastedShare());
            slowest = Math.max(slowest, zoo.slowest());
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("seeds", seeds);
        figures.put("leastHonestShare", got);
        figures.put("mostWastedShare", wasted);
        figures.put("mostTimesAsLong", slowest);
        return figures;
    }
}
