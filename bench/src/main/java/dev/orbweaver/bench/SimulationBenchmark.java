package dev.orbweaver.bench;

import dev.orbweaver.internal.crawl.LongSimulation;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs a crawl of many days in virtual time; measures its cost and hashes its trace. */
final class SimulationBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "simulation",
                    "a long crawl in virtual time [--hosts 1000 --pages 2000000 --days 30"
                            + " --frontier disk|memory --seed 1]",
                    options -> new SimulationBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var onDisk = !options.text("frontier", "disk").equals("memory");
        var threads = ManagementFactory.getThreadMXBean();
        var begun = threads.getCurrentThreadCpuTime();
        var longRunStats =
                LongSimulation.of(
                                options.number("seed", 1),
                                options.number("hosts", 1_000),
                                options.number("pages", 2_000_000),
                                options.number("days", 30),
                                onDisk)
                        .run(new Progress("simulated"));
        var cpuSeconds = (threads.getCurrentThreadCpuTime() - begun) / 1e9;
        var printed = new LinkedHashMap<String, Object>();
        printed.put("requests", longRunStats.requests());
        printed.put("pages", longRunStats.pages());
        printed.put("simulatedDays", longRunStats.days());
        printed.put("frontier", onDisk ? "disk" : "memory");
        printed.put("cpuSeconds", cpuSeconds);
        printed.put("cpuMicrosPerRequest", cpuSeconds * 1e6 / longRunStats.requests());
        printed.put("traceHash", longRunStats.traceHash());
        return printed;
    }
}
