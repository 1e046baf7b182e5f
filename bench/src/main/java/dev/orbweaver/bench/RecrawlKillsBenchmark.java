package dev.orbweaver.bench;

import dev.orbweaver.e2e.ContinuousKills;
import dev.orbweaver.e2e.RecrawlKills;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The long form of the kills in {@code RecrawlTest}. */
final class RecrawlKillsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "recrawl-kills",
                    "SIGKILL at random moments of a recrawl, or of a crawl with revisits and"
                            + " retention, then compares visits [--continuous 1 --kills 20"
                            + " --pages 4000 --seed N]",
                    options -> new RecrawlKillsBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        var kills = options.number("kills", 20);
        var pages = options.number("pages", 4_000);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var result =
                options.number("continuous", 0) == 1
                        ? new ContinuousKills(directory, kills, pages, seed).run()
                        : new RecrawlKills(directory, kills, pages, seed).run();
        var figures = new LinkedHashMap<>(result);
        if (result.get("wrong") instanceof List<?> wrong) {
            wrong.stream().limit(20).forEach(each -> System.err.println("bench: wrong: " + each));
            figures.put("wrong", wrong.size());
            figures.put(Benchmark.HELD, wrong.isEmpty());
            if (wrong.isEmpty()) {
                CrawlProcess.delete(directory);
            }
        }
        return figures;
    }
}
