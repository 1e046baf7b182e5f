package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Compares crawlers on real pages: in turn each crawls the documentation of {@code bench/corpus}
 * from nginx on loopback, follows every link and stores every page. Pages are counted from the
 * server's log.
 */
final class PeersBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "peers",
                    "Orbweaver and wget2 on the pages of bench/corpus, served by nginx [--corpus"
                            + " bench/corpus-pages --runs 3 --crawlers"
                            + " wget2,orbweaver-none,orbweaver-zstd,orbweaver-gzip]",
                    options -> new PeersBenchmark().run(options));

    /** What {@code orbweaver} skips by default or has no links, as a list for wget2. */
    private static final String REJECTED =
            "css,js,svg,png,woff2,ttf,gif,jpg,txt,zip,ico,pdf,hpp,cpp,h,c,xml,json,gz,py,rst";

    private static final String ORBWEAVER = "orbweaver-";

    private record Run(String crawler, int documents, ProcessUsage.Usage usage) {

        double cpuMillisPerDocument() {
            return 1000 * usage.cpuSeconds() / documents;
        }
    }

    private Map<String, Object> run(Options options) throws Exception {
        var crawlers =
                options.text("crawlers", "wget2,orbweaver-none,orbweaver-zstd,orbweaver-gzip")
                        .split(",");
        var runs = new ArrayList<Run>();
        try (var site = CorpusSite.start(corpus(options))) {
            for (var round = 0; round < options.number("runs", 3); round++) {
                for (var crawler : crawlers) {
                    var run = run(crawler, site);
                    System.err.println("bench: " + row(run));
                    runs.add(run);
                }
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        System.err.println("| crawler | documents | wall s | CPU ms per document | peak RSS MB |");
        System.err.println("|---|---|---|---|---|");
        for (var crawler : crawlers) {
            var own = runs.stream().filter(run -> run.crawler().equals(crawler)).toList();
            figures.put(crawler + ".documents", (int) median(own, Run::documents));
            figures.put(crawler + ".seconds", median(own, run -> run.usage().seconds()));
            figures.put(crawler + ".cpuMillisPerDocument", median(own, Run::cpuMillisPerDocument));
            figures.put(
                    crawler + ".peakRssBytes", (long) median(own, run -> run.usage().peakRss()));
            own.forEach(run -> System.err.println(row(run)));
        }
        return figures;
    }

    static Path corpus(Options options) {
        var fallback = Path.of(System.getProperty("orbweaver.root"), "bench", "corpus-pages");
        return Path.of(options.text("corpus", fallback.toString()));
    }

    private static Run run(String crawler, CorpusSite site)
            throws IOException, InterruptedException {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            var command =
                    crawler.startsWith(ORBWEAVER)
                            ? orbweaver(crawler.substring(ORBWEAVER.length()), site.seeds())
                            : wget2(crawler, site.seeds());
            site.beginRun();
            var usage = ProcessUsage.run(command, directory);
            var documents = site.fetchTimes().size();
            if (documents == 0) {
                throw new IOException(
                        "%s fetched nothing: %s"
                                .formatted(
                                        crawler,
                                        Files.readString(directory.resolve("output.txt"))));
            }
            return new Run(crawler, documents, usage);
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    /** Returns a crawl with the launcher's own options of the JVM. */
    static List<String> orbweaver(String compression, List<String> seeds) {
        var root = Path.of(System.getProperty("orbweaver.root"));
        var command = new ArrayList<>(List.of(root.resolve("orbweaver").toString(), "crawl"));
        command.addAll(seeds);
        command.addAll(List.of("--delay", "0", "--concurrency-per-host", "64"));
        command.addAll(List.of("--allow-private", "--contact", "bench@example.org"));
        command.addAll(List.of("--warc-compression", compression, "--out", "out"));
        return command;
    }

    private static List<String> wget2(String crawler, List<String> seeds) throws IOException {
        if (!crawler.equals("wget2")) {
            throw new IllegalArgumentException(
                    "unknown crawler '%s'; expected wget2, orbweaver-none, orbweaver-zstd or orbweaver-gzip"
                            .formatted(crawler));
        }
        var command = new ArrayList<>(List.of(Program.find(crawler), "-q", "-r", "-l", "inf"));
        command.addAll(List.of("-R", REJECTED, "--max-threads=16"));
        command.addAll(seeds);
        return command;
    }

    private static String row(Run run) {
        return "| %s | %d | %.1f | %.2f | %d |"
                .formatted(
                        run.crawler(),
                        run.documents(),
                        run.usage().seconds(),
                        run.cpuMillisPerDocument(),
                        run.usage().peakRss() >> 20);
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        var sorted = runs.stream().mapToDouble(figure).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
