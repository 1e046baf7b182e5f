package dev.orbweaver.bench;

import dev.orbweaver.bench.CorpusSite.Fetch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Compares crawlers on real pages: in turn each crawls the documentation of {@code bench/corpus}
 * from nginx on loopback, follows every link and stores every page. Pages are counted from the
 * server's log.
 *
 * <p>Before each run the disk is quiet ({@link QuietDisk}). All crawlers write to the same file
 * system. The files of all runs are kept until the last one has ended: ext4 does not reuse the
 * inodes of deleted files for some minutes and searches past them for every new file, so after a
 * run with many files were deleted, another such run needs several times the CPU. Ratios compare
 * with the run of wget2 in the same round.
 */
final class PeersBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "peers",
                    "Orbweaver and other crawlers on the pages of bench/corpus, served by nginx"
                            + " [--corpus bench/corpus-pages --runs 3 --crawlers"
                            + " wget2,orbweaver-none,orbweaver-zstd,orbweaver-gzip,wget,httrack"
                            + " --seconds 900]; --hosts 1000: under that many host names, whose"
                            + " documents differ, or do not with --same-documents [--seconds"
                            + " 60 --crawlers wget2,orbweaver-none --java-opts -Xmx512m]",
                    options -> new PeersBenchmark().run(options));

    /** What {@code orbweaver} skips by default or has no links, as a list for other crawlers. */
    private static final String REJECTED =
            "css,js,svg,png,woff2,ttf,gif,jpg,txt,zip,ico,pdf,hpp,cpp,h,c,xml,json,gz,py,rst";

    private static final String ORBWEAVER = "orbweaver-";
    private static final String REFERENCE = "wget2";
    private static final String ALL =
            "wget2,orbweaver-none,orbweaver-zstd,orbweaver-gzip,wget,httrack";
    private static final String FASTEST = "wget2,orbweaver-none";

    private record Run(
            int round,
            String crawler,
            int documents,
            long hosts,
            long bytes,
            ProcessUsage.Usage usage) {

        static Run of(int round, String crawler, List<Fetch> fetches, ProcessUsage.Usage usage) {
            var counted =
                    fetches.stream().filter(fetch -> fetch.time() <= usage.endTime()).toList();
            return new Run(
                    round,
                    crawler,
                    counted.size(),
                    counted.stream().map(Fetch::host).distinct().count(),
                    counted.stream().mapToLong(Fetch::bytes).sum(),
                    usage);
        }

        double seconds() {
            return usage.seconds();
        }

        double documentsPerSecond() {
            return documents / usage.seconds();
        }

        double cpuMillisPerDocument() {
            return 1000 * usage.cpuSeconds() / documents;
        }
    }

    private final List<Run> runs = new ArrayList<>();

    private Map<String, Object> run(Options options) throws Exception {
        var hosts = options.number("hosts", 0);
        var crawlers = crawlers(options.text("crawlers", hosts > 0 ? FASTEST : ALL));
        var maxSeconds = options.number("seconds", hosts > 0 ? 60 : 900);
        var environment =
                hosts > 0
                        ? Map.of("JAVA_OPTS", options.text("java-opts", "-Xmx512m"))
                        : Map.<String, String>of();
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var site =
                hosts > 0
                        ? CorpusSite.startMany(
                                corpus(options), hosts, !options.has("same-documents"))
                        : CorpusSite.start(corpus(options))) {
            readAll(corpus(options));
            for (var round = 1; round <= options.number("runs", 3); round++) {
                for (var crawler : crawlers) {
                    var own = Files.createDirectory(directory.resolve(crawler + round));
                    var run = run(round, crawler, site, own, environment, maxSeconds);
                    System.err.println("bench: " + row(run));
                    runs.add(run);
                }
            }
        } finally {
            CrawlProcess.delete(directory);
        }
        System.err.println(
                "| crawler | documents | hosts | wall s | documents/s | CPU ms per document | mean"
                        + " KB | peak RSS MB |");
        System.err.println("|---|---|---|---|---|---|---|---|");
        var figures = new LinkedHashMap<String, Object>();
        crawlers.forEach(crawler -> addFigures(crawler, figures));
        return figures;
    }

    /** Leaves out programs that are not installed, except the one that all are compared with. */
    private static List<String> crawlers(String wanted) throws IOException {
        var found = new ArrayList<String>();
        for (var crawler : wanted.split(",")) {
            if (crawler.startsWith(ORBWEAVER)
                    || crawler.equals(REFERENCE)
                    || Program.isInstalled(crawler)) {
                found.add(crawler);
            } else {
                System.err.println("bench: " + crawler + " is not installed and left out");
            }
        }
        return found;
    }

    private void addFigures(String crawler, Map<String, Object> figures) {
        var own = runs.stream().filter(run -> run.crawler().equals(crawler)).toList();
        own.forEach(run -> System.err.println(row(run)));
        figures.put(crawler + ".documents", (int) median(own, Run::documents));
        figures.put(crawler + ".hosts", (int) median(own, Run::hosts));
        figures.put(crawler + ".seconds", median(own, Run::seconds));
        figures.put(crawler + ".documentsPerSecond", median(own, Run::documentsPerSecond));
        figures.put(crawler + ".cpuMillisPerDocument", median(own, Run::cpuMillisPerDocument));
        figures.put(crawler + ".meanBytes", (long) median(own, run -> run.bytes() / run.documents));
        figures.put(crawler + ".peakRssBytes", (long) median(own, run -> run.usage().peakRss()));
        if (!crawler.equals(REFERENCE)
                && runs.stream().anyMatch(run -> run.crawler().equals(REFERENCE))) {
            figures.put(crawler + ".secondsRatio", medianRatio(own, Run::seconds));
            figures.put(crawler + ".rateRatio", medianRatio(own, Run::documentsPerSecond));
            figures.put(crawler + ".cpuRatio", medianRatio(own, Run::cpuMillisPerDocument));
        }
    }

    /** Returns the median of the ratios to wget2 in the same round. */
    private double medianRatio(List<Run> own, ToDoubleFunction<Run> figure) {
        return median(
                own,
                run ->
                        figure.applyAsDouble(run)
                                / runs.stream()
                                        .filter(
                                                other ->
                                                        other.round() == run.round()
                                                                && other.crawler()
                                                                        .equals(REFERENCE))
                                        .mapToDouble(figure)
                                        .findFirst()
                                        .orElseThrow());
    }

    static Path corpus(Options options) {
        var fallback = Path.of(System.getProperty("orbweaver.root"), "bench", "corpus-pages");
        return Path.of(options.text("corpus", fallback.toString()));
    }

    /** Reads all files, so that the first run does not wait for the server's disk. */
    static void readAll(Path corpus) throws IOException {
        try (var files = Files.walk(corpus, FileVisitOption.FOLLOW_LINKS)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                try (var in = Files.newInputStream(file)) {
                    in.transferTo(OutputStream.nullOutputStream());
                }
            }
        }
    }

    private static Run run(
            int round,
            String crawler,
            CorpusSite site,
            Path directory,
            Map<String, String> environment,
            double maxSeconds)
            throws IOException, InterruptedException {
        var seeds = Files.write(directory.resolve("seeds.txt"), site.seeds());
        var command = site.command(command(crawler, site, seeds));
        QuietDisk.await();
        site.beginRun();
        var usage = ProcessUsage.run(command, environment, directory, maxSeconds);
        var run = Run.of(round, crawler, site.fetches(), usage);
        if (run.documents() == 0) {
            throw new IOException(
                    "%s fetched nothing: %s"
                            .formatted(crawler, Files.readString(directory.resolve("output.txt"))));
        }
        return run;
    }

    private static List<String> command(String crawler, CorpusSite site, Path seeds)
            throws IOException {
        var many = site.seeds().size() > 100;
        return switch (crawler) {
            case "wget2" ->
                    join(
                            Program.find(crawler),
                            "-q -r -l inf -R %s --max-threads=%d -i %s"
                                    .formatted(REJECTED, many ? 64 : 16, seeds));
            case "wget" ->
                    join(
                            Program.find(crawler),
                            "-q -r -l inf -R %s -i %s".formatted(REJECTED, seeds));
            case "httrack" ->
                    join(
                            Program.find(crawler),
                            "-%%L %s -O out -q -s2 -c16 -%%! -A0 -%%c0 -r9999 -Q -C0 -I0 %s"
                                    .formatted(seeds, "-*." + REJECTED.replace(",", " -*.")));
            case String own when own.startsWith(ORBWEAVER) ->
                    orbweaver(own.substring(ORBWEAVER.length()), seeds, many ? 4 : 64);
            default ->
                    throw new IllegalArgumentException(
                            "unknown crawler '%s'; expected one of %s".formatted(crawler, ALL));
        };
    }

    private static List<String> join(String program, String arguments) {
        return Stream.concat(Stream.of(program), Stream.of(arguments.split(" "))).toList();
    }

    /** Returns a crawl with the launcher's own options of the JVM. */
    static List<String> orbweaver(String compression, Path seeds, int concurrencyPerHost) {
        var command = new ArrayList<>(List.of(Program.orbweaver(), "crawl"));
        command.addAll(List.of("--seeds", seeds.toString(), "--delay", "0", "--delay-ip", "0"));
        command.addAll(List.of("--concurrency-per-host", "" + concurrencyPerHost));
        command.addAll(List.of("--allow-private", "--contact", "bench@example.org"));
        command.addAll(List.of("--warc-compression", compression, "--out", "out"));
        return command;
    }

    private static String row(Run run) {
        return "| %s | %d | %d | %.1f | %.0f | %.2f | %d | %d |"
                .formatted(
                        run.crawler(),
                        run.documents(),
                        run.hosts(),
                        run.seconds(),
                        run.documentsPerSecond(),
                        run.cpuMillisPerDocument(),
                        run.bytes() / run.documents() / 1000,
                        run.usage().peakRss() >> 20);
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        var sorted = runs.stream().mapToDouble(figure).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
