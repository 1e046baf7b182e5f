package dev.orbweaver.bench;

import dev.orbweaver.e2e.SinkKills;
import dev.orbweaver.sinks.mongo.InsertBenchmark;
import dev.orbweaver.sinks.mongo.MongoTestServer;
import dev.orbweaver.sinks.s3.S3Server;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures sinks: kills with all sinks, the cost of durability, bulk writes versus inserts. */
final class SinksBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "sinks",
                    "kills with MongoDB and S3, the cost of durability, bulk writes versus inserts"
                        + " [--part kills|cost|inserts --kills 50 --pages 6000 --rounds 5 --seed"
                        + " N]",
                    options -> new SinksBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var part = options.text("part", "");
        var figures = new LinkedHashMap<String, Object>();
        if (part.isEmpty() || part.equals("inserts")) {
            inserts(options, figures);
        }
        if (part.isEmpty() || part.equals("cost")) {
            cost(options, figures);
        }
        if (part.isEmpty() || part.equals("kills")) {
            kills(options, figures);
        }
        return figures;
    }

    private static void inserts(Options options, Map<String, Object> figures) throws Exception {
        var bulk = new ArrayList<Double>();
        var single = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        for (var round = 0; round < options.number("rounds", 5); round++) {
            var directory = Files.createTempDirectory("orbweaver-bench");
            try {
                var result =
                        new InsertBenchmark(directory, options.number("inserts", 40_000)).run();
                figures.put("inserts.server", result.server());
                bulk.add(result.bulk());
                single.add(result.single());
                ratios.add(result.bulk() / result.single());
                System.err.println("bench: bulk/single ratios " + ratios);
            } finally {
                CrawlProcess.delete(directory);
            }
        }
        figures.put("inserts.rounds", ratios.size());
        figures.put("inserts.bulkPagesPerSecond", median(bulk));
        figures.put("inserts.singlePagesPerSecond", median(single));
        figures.put("inserts.ratio", median(ratios));
        figures.put("inserts.worstRatio", Collections.min(ratios));
    }

    /**
     * Compares the default sinks, in alternation, with sinks that wait for neither majority nor
     * journal and write no checkpoint before the end (mongo-java-server does not support
     * unacknowledged writes). It compares the CPU time of the crawl, because the servers run on the
     * same cores, and the ratio within each round, because the speed of a machine varies.
     */
    private static void cost(Options options, Map<String, Object> figures) throws Exception {
        var spec = WebSpec.light(7, 200, options.number("pages", 6_000));
        var directory = Files.createTempDirectory("orbweaver-bench");
        var durable = new ArrayList<Double>();
        var careless = new ArrayList<Double>();
        var without = new ArrayList<Double>();
        var cost = new ArrayList<Double>();
        try (var web = WebProcess.start(spec);
                var mongo = MongoTestServer.start();
                var s3 = S3Server.start(directory)) {
            for (var round = 0; round < options.number("rounds", 5); round++) {
                var place =
                        List.of("--s3", "s3://bucket/a" + round, "--s3-endpoint", s3.endpoint());
                var keep = new ArrayList<>(List.of("--mongodb", mongo.uri()));
                keep.addAll(place);
                var drop =
                        new ArrayList<>(List.of("--mongodb", mongo.uri() + "?w=1&journal=false"));
                drop.addAll(
                        List.of("--s3", "s3://bucket/b" + round, "--s3-endpoint", s3.endpoint()));
                drop.addAll(List.of("--s3-interval", "none"));
                if (round % 2 == 0) { // Alternate, so that neither always profits from warm caches.
                    durable.add(rate(web, directory.resolve("d" + round), keep));
                    careless.add(rate(web, directory.resolve("c" + round), drop));
                } else {
                    careless.add(rate(web, directory.resolve("c" + round), drop));
                    durable.add(rate(web, directory.resolve("d" + round), keep));
                }
                cost.add(1 - durable.getLast() / careless.getLast());
                without.add(rate(web, directory.resolve("n" + round), List.of()));
                System.err.println(
                        "bench: pages per CPU second: durable %s, not durable %s, without sinks %s, cost %s"
                                .formatted(durable, careless, without, cost));
            }
        } finally {
            CrawlProcess.delete(directory);
        }
        figures.put("cost.durablePagesPerCpuSecond", median(durable));
        figures.put("cost.notDurablePagesPerCpuSecond", median(careless));
        figures.put("cost.withoutSinksPagesPerCpuSecond", median(without));
        figures.put("cost.rounds", cost.size());
        figures.put("cost.ofDurability", median(cost));
        figures.put("cost.ofDurabilityWorst", Collections.max(cost));
    }

    private static double rate(WebProcess web, Path directory, List<String> sinks)
            throws IOException, InterruptedException {
        var more = new ArrayList<>(List.of("--delay", "0", "--quiet", "--max-idle-wait", "1s"));
        more.addAll(sinks);
        var crawl = new CrawlProcess(web, directory, "512m", more);
        var _ = crawl.start(S3Server.CREDENTIALS).waitFor();
        return crawl.figure("pagesPerCpuSecond");
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static void kills(Options options, Map<String, Object> figures) throws Exception {
        var wanted = options.number("kills", 50);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var kills = 0;
        var webs = 0;
        var wrong = new ArrayList<String>();
        var lines = 0;
        while (kills < wanted && wrong.isEmpty()) {
            var directory = Files.createTempDirectory("orbweaver-bench");
            var pages = options.number("pages", 6_000);
            var result =
                    new SinkKills(directory, Math.min(10, wanted - kills), pages, seed + webs)
                            .run();
            if (result.get("wrong") instanceof List<?> found) {
                found.forEach(each -> wrong.add(each.toString()));
            }
            kills += (Integer) result.get("kills");
            lines += (Integer) result.get("lines");
            webs++;
            System.err.println("bench: " + result);
            if (wrong.isEmpty()) {
                CrawlProcess.delete(directory);
            }
        }
        figures.put("kills", kills);
        figures.put("kills.webs", webs);
        figures.put("kills.lines", lines);
        figures.put("kills.wrong", wrong.size());
        figures.put("kills.seed", seed);
        wrong.stream().limit(20).forEach(each -> System.err.println("bench: wrong: " + each));
    }
}
