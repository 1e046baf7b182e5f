package dev.orbweaver.bench;

import dev.orbweaver.e2e.BackupKills;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The long form of {@code BackupKillTest}: every finished backup is resumed to the end. */
final class BackupsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "backups",
                    "backups of a running crawl while both are killed and the target is full"
                            + " [--kills 20 --pages 6000 --resumes 100 --seed N]",
                    options -> new BackupsBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        var result =
                new BackupKills(
                                directory,
                                options.number("kills", 20),
                                options.number("pages", 6_000),
                                options.number("resumes", 100),
                                seed)
                        .run();
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
