package dev.orbweaver.bench;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/** Measures a complete crawl at full speed, and checks every page: fetch, parse, WARC, journal. */
final class CrawlBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "crawl",
                    "a simulated web at full speed [--pages 100000 --hosts 200 --page-bytes 4000"
                            + " --heap 512m --concurrency-per-host 8 --warc gzip --seed 1]",
                    options -> new CrawlBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var spec =
                WebSpec.light(
                                options.number("seed", 1),
                                options.number("hosts", 200),
                                options.number("pages", 100_000))
                        .withMeanPageBytes(options.number("page-bytes", 4_000))
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS, Quirk.CRAWL_DELAYS);
        var directory = Files.createTempDirectory("orbweaver-bench").resolve("crawl");
        try (var web =
                WebProcess.start(spec, "--without", "ROBOTS_UNREACHABLE,DEAD_HOSTS,CRAWL_DELAYS")) {
            var heap = options.text("heap", "512m");
            var crawl =
                    new CrawlProcess(
                            web,
                            directory,
                            heap,
                            "--delay 0 --concurrency-per-host %s --error-backoff 10ms --retry-delay 200ms --warc-compression %s"
                                    .formatted(
                                            options.text("concurrency-per-host", "8"),
                                            options.text("warc", "gzip")));
            System.err.println("bench: crawling " + spec.pages() + " pages with a heap of " + heap);
            var exit = crawl.start().waitFor();
            return figures(web, crawl, exit, heap);
        } finally {
            CrawlProcess.delete(directory.getParent());
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
