package dev.orbweaver.bench;

import dev.orbweaver.e2e.RecrawledSite;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/** The long form of the transfer in {@code RecrawlTest}. */
final class RecrawlSiteBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "recrawl-site",
                    "a site crawled twice with 1 % changed pages: bytes by the server's count"
                            + " [--pages 2000 --seed N]",
                    options -> new RecrawlSiteBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        var result =
                new RecrawledSite(directory.resolve("crawl"), options.number("pages", 2_000), seed)
                        .run();
        CrawlProcess.delete(directory);
        var figures = new LinkedHashMap<>(result.figures());
        figures.put("seed", seed);
        figures.put(Benchmark.HELD, result.holds());
        return figures;
    }
}
