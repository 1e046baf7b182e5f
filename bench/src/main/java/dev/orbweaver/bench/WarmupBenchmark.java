package dev.orbweaver.bench;

import dev.orbweaver.bench.CorpusSite.Fetch;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures how the cost of a page falls while the JVM compiles: CPU per page in windows of a crawl
 * of real pages, and how much of it is the compiler's. With many hosts, whose documents differ, it
 * measures the cost of a page in the time after the warm-up and the serial share in that time.
 */
final class WarmupBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "warmup",
                    "CPU per page by time since the start, and the compiler's share, on the pages"
                        + " of bench/corpus [--corpus bench/corpus-pages --windows 8 --warc none];"
                        + " --hosts 30 (mean 23 KB) or 1000 (larger pages first): warm CPU per page"
                        + " on documents that differ per host [--seconds 60 --warm-up 25], with"
                        + " --serial also the serial share",
                    options -> new WarmupBenchmark().run(options));

    /** A shorter part after the warm-up has too few pages. */
    private static final double WARM_SECONDS_MIN = 5;

    private Map<String, Object> run(Options options) throws Exception {
        var hosts = options.number("hosts", 0);
        var corpus = PeersBenchmark.corpus(options);
        try (var site =
                hosts > 0 ? CorpusSite.startMany(corpus, hosts, true) : CorpusSite.start(corpus)) {
            PeersBenchmark.readAll(corpus);
            return hosts > 0 ? measureWarm(site, options) : measureWindows(site, options);
        }
    }

    private static Map<String, Object> measureWindows(CorpusSite site, Options options)
            throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            var seeds = Files.write(directory.resolve("seeds.txt"), site.seeds());
            var command = PeersBenchmark.orbweaver(options.text("warc", "none"), seeds, 64);
            QuietDisk.await();
            site.beginRun();
            var usage = ProcessUsage.run(command, directory);
            var fetches = site.fetches();
            if (usage.exit() != 0 || fetches.isEmpty()) {
                throw new IOException(
                        "the crawl failed: " + Files.readString(directory.resolve("output.txt")));
            }
            return windows(
                    usage,
                    fetches.stream().map(Fetch::time).toList(),
                    options.number("windows", 8));
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static Map<String, Object> measureWarm(CorpusSite site, Options options)
            throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            var seeds = Files.write(directory.resolve("seeds.txt"), site.seeds());
            var perHost = site.seeds().size() > 100 ? 4 : 64;
            var command = PeersBenchmark.orbweaver(options.text("warc", "none"), seeds, perHost);
            var recording = directory.resolve("crawl.jfr");
            Map<String, String> environment =
                    options.has("serial")
                            ? Map.of("JAVA_OPTS", SerialShare.javaOpts(recording))
                            : Map.of();
            QuietDisk.await();
            site.beginRun();
            var usage =
                    ProcessUsage.run(
                            site.command(command),
                            environment,
                            directory,
                            options.number("seconds", 60));
            var warmUp = options.number("warm-up", 25);
            var figures = warm(usage, site.fetches(), warmUp);
            if (options.has("serial")) {
                figures.putAll(SerialShare.figures(recording, usage, warmUp, WARM_SECONDS_MIN));
            }
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static Map<String, Object> warm(
            ProcessUsage.Usage usage, List<Fetch> fetches, double warmUpSeconds)
            throws IOException {
        var begin = usage.sampleAt(usage.samples().getFirst().time() + warmUpSeconds);
        var end = usage.sampleAt(fetches.isEmpty() ? 0 : fetches.getLast().time());
        if (end.time() - begin.time() < WARM_SECONDS_MIN) {
            throw new IOException(
                    "all pages were fetched in %.1f s; the warm-up of %.0f s leaves too little of it; use more hosts"
                            .formatted(usage.seconds(), warmUpSeconds));
        }
        var pages =
                fetches.stream()
                        .filter(fetch -> fetch.time() > begin.time() && fetch.time() <= end.time())
                        .toList();
        var cpu = end.cpuSeconds() - begin.cpuSeconds();
        var compiler = end.compilerSeconds() - begin.compilerSeconds();
        var figures = new LinkedHashMap<String, Object>();
        figures.put("documents", fetches.size());
        figures.put("hosts", fetches.stream().map(Fetch::host).distinct().count());
        figures.put("peakRssBytes", usage.peakRss());
        figures.put("warm.seconds", end.time() - begin.time());
        figures.put("warm.documents", pages.size());
        figures.put("warm.documentsPerSecond", pages.size() / (end.time() - begin.time()));
        figures.put(
                "warm.meanBytes",
                (long) pages.stream().mapToLong(Fetch::bytes).average().orElse(0));
        figures.put("warm.cpuMillisPerDocument", 1000 * cpu / pages.size());
        figures.put("warm.withoutCompiler", 1000 * (cpu - compiler) / pages.size());
        return figures;
    }

    /**
     * Divides the documents into windows of equal number, because the CPU is shared with others.
     */
    private static Map<String, Object> windows(
            ProcessUsage.Usage usage, List<Double> times, int windows) {
        var last = usage.samples().getLast();
        var figures = new LinkedHashMap<String, Object>();
        figures.put("documents", times.size());
        figures.put("seconds", usage.seconds());
        figures.put("cpuMillisPerDocument", 1000 * usage.cpuSeconds() / times.size());
        figures.put("compilerCpuSeconds", last.compilerSeconds());
        figures.put("compilerShare", last.compilerSeconds() / last.cpuSeconds());
        figures.put("committerShare", last.committerSeconds() / last.cpuSeconds());
        var begin = usage.samples().getFirst();
        var from = 0;
        for (var window = 1; window <= windows; window++) {
            var to = (int) ((long) times.size() * window / windows);
            var end = window == windows ? last : usage.sampleAt(times.get(to - 1));
            var documents = to - from;
            var cpu = end.cpuSeconds() - begin.cpuSeconds();
            var compiler = end.compilerSeconds() - begin.compilerSeconds();
            figures.put(
                    "window" + window + ".endSeconds",
                    end.time() - usage.samples().getFirst().time());
            figures.put("window" + window + ".cpuMillisPerDocument", 1000 * cpu / documents);
            figures.put(
                    "window" + window + ".withoutCompiler", 1000 * (cpu - compiler) / documents);
            begin = end;
            from = to;
        }
        return figures;
    }
}
