package dev.orbweaver.bench;

import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.Exactness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Compares the frontier's seen set and queues with a plain set. */
final class ExactnessBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "exactness",
                    "random offers with duplicates, none lost, none doubled [--offers 50000000"
                            + " --hosts offers/500 --seed N]",
                    options -> new ExactnessBenchmark().run(options));

    private static final int LIVES = 5;

    private Map<String, Object> run(Options options) throws Exception {
        var offers = options.number("offers", 50_000_000);
        var hosts = options.number("hosts", Math.max(100, offers / 500));
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory(Path.of("/var/tmp"), "exactness-bench");
        try {
            var numbers = Math.toIntExact(offers * 3L / 5);
            var test = new Exactness(directory, DiskSettings.DEFAULT, numbers, hosts, seed);
            for (var life = 0; life < LIVES; life++) {
                test.offer(offers / LIVES);
                System.err.println(
                        "bench: %,d accepted, %,d duplicates, %d lost, %d doubled"
                                .formatted(
                                        test.accepted(),
                                        test.duplicates(),
                                        test.lost(),
                                        test.doubled()));
                test.reopen();
            }
            test.takeAll();
            test.close();
            var figures = new LinkedHashMap<String, Object>();
            figures.put("offers", test.accepted() + test.duplicates());
            figures.put("accepted", test.accepted());
            figures.put("duplicates", test.duplicates());
            figures.put("openings", test.opened());
            figures.put("lost", test.lost());
            figures.put("doubled", test.doubled());
            figures.put("seed", seed);
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }
}
