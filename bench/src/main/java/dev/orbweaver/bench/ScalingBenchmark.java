package dev.orbweaver.bench;

import dev.orbweaver.internal.crawl.PageCost;
import dev.orbweaver.internal.crawl.PageCost.Quantity;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Measures that a page costs the same beside few and many seeds, hosts, rules and so on. */
final class ScalingBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "scaling",
                    "CPU per page and link at two sizes of each: seeds, hosts, rules, jobs, queued"
                            + " URLs and others; fails if the ratio exceeds the limit [--only"
                            + " tombstones] [--limit-percent 110] [--rounds 101]",
                    options -> new ScalingBenchmark().run(options));

    private static final int WARM_ROUNDS = 120;

    private record Sizes(int smaller, int larger) {}

    /** Used to warm up; compared with itself, it shows the error of the measurement. */
    private static final Sizes SAME = new Sizes(100, 100);

    private static Sizes sizes(Quantity quantity) {
        return switch (quantity) {
            case SEEDS -> new Sizes(1, 1_000_000);
            case HOSTS -> new Sizes(1_000, 200_000);
            case HOST_RULES, RATE_GROUPS, ROBOTS_RULES, TOMBSTONES -> new Sizes(10, 10_000);
            case EXCLUSIONS -> new Sizes(10, 100_000);
            case JOBS -> new Sizes(10, 1_000);
            case QUEUED_URLS -> new Sizes(100_000, 5_000_000);
            case LINKS -> new Sizes(100, 5_000);
        };
    }

    private Map<String, Object> run(Options options) throws Exception {
        var only = options.text("only", "");
        var limit = options.number("limit-percent", 110) / 100.0;
        var rounds = options.number("rounds", 101);
        var figures = new LinkedHashMap<String, Object>();
        System.out.printf(
                "%-12s %9s %9s %10s %10s %7s %9s %9s %7s%n",
                "", "smaller", "larger", "us/page", "us/page", "ratio", "ns/link", "ns/link",
                "ratio");
        var _ = measure("(same)", Quantity.LINKS, SAME, rounds);
        var worst = measure("(same)", Quantity.LINKS, SAME, rounds);
        figures.put("same", worst);
        worst = 0;
        for (var quantity : Quantity.values()) {
            var name = quantity.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (only.isEmpty() || only.equals(name)) {
                var ratio = measure(name, quantity, sizes(quantity), rounds);
                figures.put(name, ratio);
                worst = Math.max(worst, ratio);
            }
        }
        if (worst == 0) {
            throw new IllegalArgumentException("--only: there is no quantity " + only);
        }
        figures.put("limit", limit);
        figures.put(Benchmark.HELD, worst <= limit);
        return figures;
    }

    /** Prints a row and returns the larger of its ratios; a page with more links costs more. */
    private static double measure(String name, Quantity quantity, Sizes sizes, int rounds)
            throws Exception {
        var directory = Files.createTempDirectory(Path.of("/var/tmp"), "scaling-bench");
        try (var smaller = new PageCost(quantity, sizes.smaller, directory.resolve("smaller"));
                var larger = new PageCost(quantity, sizes.larger, directory.resolve("larger"))) {
            var costs = PageCost.compare(smaller, larger, WARM_ROUNDS, rounds);
            System.out.printf(
                    "%-12s %,9d %,9d %10.1f %10.1f %7.3f %9.0f %9.0f %7.3f%n",
                    name,
                    sizes.smaller,
                    sizes.larger,
                    costs.smaller().pageNanos() / 1e3,
                    costs.larger().pageNanos() / 1e3,
                    costs.pageRatio(),
                    costs.smaller().linkNanos(),
                    costs.larger().linkNanos(),
                    costs.linkRatio());
            return quantity == Quantity.LINKS
                    ? costs.linkRatio()
                    : Math.max(costs.pageRatio(), costs.linkRatio());
        } finally {
            CrawlProcess.delete(directory);
        }
    }
}
