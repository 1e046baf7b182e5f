package dev.orbweaver.bench;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Measures a complete crawl at full speed, and checks every page: fetch, parse, WARC, journal. */
final class CrawlBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "crawl",
                    "a simulated web at full speed, then the serial share of a warm crawl of it"
                        + " with plain WARC [--only whole|serial --pages 100000 --hosts 200"
                        + " --page-bytes 4000 --heap 512m --concurrency-per-host 8 --warc gzip"
                        + " --warm-up 10 --seed 1]; --big [--tls]: pages of the live web's sizes,"
                        + " compressed, over a new connection each [--pages 30000 --warc none"
                        + " --java-opts -Xmx512m --warm-up 20]",
                    options -> new CrawlBenchmark().run(options));

    /** Shorter warm parts have too few samples. */
    private static final double SERIAL_SECONDS_MIN = 5;

    private Map<String, Object> run(Options options) throws Exception {
        if (options.has("big")) {
            return BigCrawl.run(options);
        }
        var spec =
                WebSpec.light(
                                options.number("seed", 1),
                                options.number("hosts", 200),
                                options.number("pages", 100_000))
                        .withMeanPageBytes(options.number("page-bytes", 4_000))
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS, Quirk.CRAWL_DELAYS);
        var only = options.text("only", "whole,serial");
        var figures = new LinkedHashMap<String, Object>();
        try (var web =
                WebProcess.start(spec, "--without", "ROBOTS_UNREACHABLE,DEAD_HOSTS,CRAWL_DELAYS")) {
            if (only.contains("whole")) {
                figures.putAll(crawlWhole(web, options));
            }
            if (only.contains("serial")) {
                figures.putAll(measureSerialShare(web, options));
            }
        }
        return figures;
    }

    private static Map<String, Object> crawlWhole(WebProcess web, Options options)
            throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench").resolve("crawl");
        try {
            var heap = options.text("heap", "512m");
            var crawl =
                    new CrawlProcess(
                            web,
                            directory,
                            heap,
                            crawlOptions(options, options.text("warc", "gzip")));
            System.err.println("bench: crawling all pages with a heap of " + heap);
            var exit = crawl.start().waitFor();
            return figures(web, crawl, exit, heap);
        } finally {
            CrawlProcess.delete(directory.getParent());
        }
    }

    private static String crawlOptions(Options options, String compression) {
        return "--delay 0 --concurrency-per-host %s --error-backoff 10ms --retry-delay 200ms --warc-compression %s"
                .formatted(options.text("concurrency-per-host", "8"), compression);
    }

    /** Crawls with the launcher's options of the JVM, in which the sampler runs, too. */
    private static Map<String, Object> measureSerialShare(WebProcess web, Options options)
            throws IOException, InterruptedException {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            System.err.println(
                    "bench: crawling all pages with plain WARC and the CPU-time sampler");
            var recording = directory.resolve("crawl.jfr");
            var command = new ArrayList<>(List.of(Program.orbweaver()));
            command.addAll(CrawlProcess.arguments(web, directory.resolve("crawl")));
            command.addAll(List.of(crawlOptions(options, "none").split(" ")));
            var environment = Map.of("JAVA_OPTS", SerialShare.javaOpts(recording));
            var usage = ProcessUsage.run(command, environment, directory, Double.POSITIVE_INFINITY);
            if (usage.exit() != 0) {
                throw new IOException(
                        "the crawl failed: " + Files.readString(directory.resolve("output.txt")));
            }
            return SerialShare.figures(
                    recording, usage, options.number("warm-up", 10), SERIAL_SECONDS_MIN);
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static Map<String, Object> figures(
            WebProcess web, CrawlProcess crawl, int exit, String heap) throws Exception {
        var expected = web.truth().pages();
        var stored = new TreeSet<String>();
        var doubled = new long[1];
        crawl.log(
                entry -> {
                    if (entry.kind() == Kind.PAGE && !stored.add(entry.url())) {
                        doubled[0]++;
                    }
                });
        var missing = new TreeSet<>(expected);
        missing.removeAll(stored);
        var extra = new TreeSet<>(stored);
        extra.removeAll(expected);
        var figures = new LinkedHashMap<String, Object>();
        figures.put("exit", exit);
        figures.put("pages", stored.size());
        figures.put("missing", missing.size());
        figures.put("extra", extra.size());
        figures.put("doubled", doubled[0]);
        figures.put("seconds", crawl.figure("seconds"));
        figures.put("pagesPerSecond", crawl.figure("pagesPerSecond"));
        figures.put("cpuMillisPerPage", 1000 * crawl.figure("cpuSeconds") / stored.size());
        figures.put("serverCpuSeconds", web.cpuSeconds());
        figures.put("peakRssBytes", (long) crawl.figure("peakRssBytes"));
        figures.put("heap", heap);
        return figures;
    }
}
