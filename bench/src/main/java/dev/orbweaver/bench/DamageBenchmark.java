package dev.orbweaver.bench;

import dev.orbweaver.internal.engine.CrawlDamage;
import dev.orbweaver.internal.frontier.disk.FrontierDamage;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Truncates every file of small crawls at every byte and flips bits in every byte; then repeats
 * that for the last 64 KiB of every file of a larger frontier.
 */
final class DamageBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "damage",
                    "every file format of a crawl, truncated at and with bits flipped in every byte"
                            + " [--bits 2 --step 1 --frontier-step 61 --file kind --seed N]",
                    options -> new DamageBenchmark().run(options));

    private static final int SNAPSHOTS = 10;

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var figures = new LinkedHashMap<String, Object>();
        var files = 0;
        crawls(options, figures);
        try (var damage =
                new FrontierDamage(
                        seed, FrontierDamage.TAIL + FrontierDamage.TAIL / 8, SNAPSHOTS)) {
            for (var file : damage.files()) {
                if (file.startsWith(options.text("file", ""))) {
                    damage.everywhere(file, options.number("frontier-step", 61));
                    files++;
                    System.err.println("bench: " + file + ", " + damage.wrong().size() + " wrong");
                }
            }
            damage.wrong().forEach(System.err::println);
            figures.put("files", files);
            damage.counts()
                    .forEach(
                            (kind, counts) -> {
                                figures.put(kind + ".positions", counts.positions);
                                figures.put(kind + ".opened", counts.opened);
                                figures.put(kind + ".refused", counts.refused);
                                figures.put(kind + ".wrong", counts.wrong);
                            });
        }
        figures.put("seed", seed);
        return figures;
    }

    private static void crawls(Options options, Map<String, Object> figures) throws Exception {
        var directory = Files.createTempDirectory("damage");
        try (var damage = new CrawlDamage(directory)) {
            damage.requireSound();
            damage.everywhere(options.number("step", 1), options.number("bits", 2));
            System.err.print(damage.table());
            damage.silent().forEach(System.err::println);
            figures.put("formats", damage.counts().size());
            figures.put("cases", damage.counts().values().stream().mapToInt(c -> c.cases).sum());
            figures.put("silent", damage.counts().values().stream().mapToInt(c -> c.silent).sum());
        }
    }
}
