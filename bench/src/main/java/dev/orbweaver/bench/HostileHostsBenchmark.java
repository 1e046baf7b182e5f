package dev.orbweaver.bench;

import dev.orbweaver.e2e.hostile.HostileCrawl;
import dev.orbweaver.e2e.hostile.HostileHost;
import dev.orbweaver.e2e.hostile.HostileHosts;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Crawls every hostile host beside a clean one, in a process with a heap of 512 MB, and checks the
 * limits of each. If the clean host is too slow, the crawl is repeated and the median counts,
 * because other programs on the machine also slow it down.
 */
final class HostileHostsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "zoo",
                    "hostile hosts, each with its limits, beside a clean one [--only NAME --seed N"
                            + " --rounds 3 --keep DIR]; about ten seconds each",
                    options -> new HostileHostsBenchmark().run(options));

    private static final String ROW = "%-22s %8s %7s %7s %8s %7s %6s  %-7s %s%n";

    private Map<String, Object> run(Options options) throws Exception {
        var only = options.text("only", "");
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var hosts = only.isEmpty() ? HostileHosts.all() : List.of(HostileHosts.find(only));
        var rounds = options.number("rounds", 3);
        var keep = options.text("keep", "");
        var directory =
                keep.isEmpty()
                        ? Files.createTempDirectory("bench-zoo")
                        : Files.createDirectories(Path.of(keep));
        System.out.printf(
                ROW,
                "host",
                "requests",
                "CPU ms",
                "heap MB",
                "disk KB",
                "seconds",
                "clean",
                "verdict",
                "outcome");
        var broken = new ArrayList<String>();
        try {
            for (var host : hosts) {
                var problems = crawl(host, directory, seed, rounds);
                if (!problems.isEmpty()) {
                    broken.add(host.name());
                }
            }
        } finally {
            if (keep.isEmpty()) {
                CrawlProcess.delete(directory);
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("hosts", hosts.size());
        figures.put("broken", String.join(" ", broken));
        figures.put("seed", seed);
        figures.put(Benchmark.HELD, broken.isEmpty());
        return figures;
    }

    private static List<String> crawl(HostileHost host, Path directory, long seed, int rounds)
            throws Exception {
        var first = HostileCrawl.run(host, directory.resolve(host.name()), seed);
        var ratio = first.ratio();
        if (first.withinLimits() && ratio < HostileCrawl.CLEAN_SHARE_MIN) {
            var ratios = new ArrayList<>(List.of(ratio));
            while (ratios.size() < rounds) {
                var again = directory.resolve(host.name() + "-" + ratios.size());
                ratios.add(HostileCrawl.run(host, again, seed).ratio());
            }
            ratios.sort(null);
            ratio = ratios.get(rounds / 2);
        }
        var problems = new ArrayList<>(first.problems());
        if (ratio < HostileCrawl.CLEAN_SHARE_MIN) {
            problems.add("the clean host reaches %.0f %% of its rate".formatted(100 * ratio));
        }
        System.out.printf(
                ROW,
                first.host(),
                first.requests(),
                first.cpuMillis(),
                first.heapMegabytes(),
                first.diskKilobytes(),
                "%.1f".formatted(first.seconds()),
                "%.0f%%".formatted(100 * ratio),
                problems.isEmpty() ? "holds" : "BROKEN",
                first.outcome() + (problems.isEmpty() ? "" : " | " + String.join("; ", problems)));
        return problems;
    }
}
