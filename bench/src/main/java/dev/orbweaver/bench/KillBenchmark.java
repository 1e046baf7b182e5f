package dev.orbweaver.bench;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testkit.WebSpec;

import java.nio.file.Files;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** The long version of the kill test: a given number of kills, over as many webs as necessary. */
final class KillBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "kills",
                    "SIGKILL at random moments, then compares pages [--kills 100 --pages 20500"
                            + " --seed N]",
                    options -> new KillBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var wanted = options.number("kills", 100);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var random = new Random(seed);
        var kills = 0;
        var webs = 0;
        var lost = 0;
        var doubled = 0;
        while (kills < wanted) {
            var spec =
                    WebSpec.light(seed + webs, 200, options.number("pages", 20_500))
                            .withMeanPageBytes(1_000);
            var directory = Files.createTempDirectory("orbweaver-bench").resolve("crawl");
            try (var web = WebProcess.start(spec)) {
                var crawl =
                        new CrawlProcess(
                                web,
                                directory,
                                "512m",
                                "--delay 20ms --delay-ip 0 --error-backoff 10ms --retry-delay 100ms"
                                        + " --max-idle-wait 3s");
                kills += killUntilDone(crawl, random, wanted - kills);
                var counts = new HashMap<String, Integer>();
                crawl.log(
                        entry -> {
                            if (entry.kind() == Kind.PAGE) {
                                counts.merge(entry.url(), 1, Integer::sum);
                            }
                        });
                var missing = new TreeSet<>(web.truth().pages());
                missing.removeAll(counts.keySet());
                lost += missing.size();
                doubled += (int) counts.values().stream().filter(count -> count > 1).count();
                webs++;
                System.err.println(
                        "bench: %d kills, %d webs, %d lost, %d doubled"
                                .formatted(kills, webs, lost, doubled));
            } finally {
                CrawlProcess.delete(directory.getParent());
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("kills", kills);
        figures.put("webs", webs);
        figures.put("lost", lost);
        figures.put("doubled", doubled);
        figures.put("seed", seed);
        return figures;
    }

    private static int killUntilDone(CrawlProcess crawl, Random random, int most) throws Exception {
        for (var kills = 0; ; kills++) {
            var process = crawl.start();
            if (kills >= most
                    || process.waitFor(500 + random.nextInt(1_500), TimeUnit.MILLISECONDS)) {
                process.waitFor();
                return kills;
            }
            process.destroyForcibly().waitFor();
        }
    }
}
