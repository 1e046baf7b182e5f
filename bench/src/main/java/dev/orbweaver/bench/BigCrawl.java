package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures a crawl of pages of the live web's sizes that arrive compressed, each over a connection
 * of its own: pages per second of the crawler's CPU time, for the whole run and after the warm-up.
 * The server's CPU time does not count.
 */
final class BigCrawl {

    private BigCrawl() {}

    static Map<String, Object> run(Options options) throws Exception {
        var pages = options.number("pages", 30_000);
        System.err.println("bench: making " + pages + " pages");
        try (var site = BigSite.start(pages, options.has("tls"), options.number("seed", 1))) {
            var directory = Files.createTempDirectory("orbweaver-bench");
            try {
                return crawl(site, options, directory);
            } finally {
                CrawlProcess.delete(directory);
            }
        }
    }

    private static Map<String, Object> crawl(BigSite site, Options options, Path directory)
            throws Exception {
        var seeds = Files.write(directory.resolve("seeds.txt"), site.seeds());
        var command =
                new ArrayList<>(PeersBenchmark.orbweaver(options.text("warc", "none"), seeds, 16));
        // Nothing has signed the server's certificate.
        command.add("--insecure");
        QuietDisk.await();
        var serverBefore = site.cpuSeconds();
        var usage =
                ProcessUsage.run(
                        command,
                        Map.of("JAVA_OPTS", options.text("java-opts", "-Xmx512m")),
                        directory,
                        Double.POSITIVE_INFINITY);
        var serverSeconds = site.cpuSeconds() - serverBefore;
        var served = site.served();
        if (usage.exit() != 0 || served.times().isEmpty()) {
            throw new IOException(
                    "the crawl failed: " + Files.readString(directory.resolve("output.txt")));
        }
        return figures(site, served, usage, serverSeconds, options.number("warm-up", 20));
    }

    private static Map<String, Object> figures(
            BigSite site,
            BigSite.Served served,
            ProcessUsage.Usage usage,
            double serverSeconds,
            double warmUpSeconds) {
        var fetched = served.times().size();
        var begin = usage.sampleAt(usage.samples().getFirst().time() + warmUpSeconds);
        var end = usage.sampleAt(served.times().getLast());
        var figures = new LinkedHashMap<String, Object>();
        figures.put("pages", fetched);
        figures.put("missing", site.pages() - fetched);
        figures.put("meanBytes", site.meanBytes());
        figures.put("meanCompressedBytes", served.compressedBytes() / fetched);
        figures.put("resumedShare", (double) served.resumed() / fetched);
        figures.put("seconds", usage.seconds());
        figures.put("cpuSeconds", usage.cpuSeconds());
        figures.put("pagesPerCpuSecond", fetched / usage.cpuSeconds());
        var warm =
                served.times().stream()
                        .filter(time -> time > begin.time() && time <= end.time())
                        .count();
        if (warm == 0) {
            System.err.println("bench: the crawl ended before its warm-up; use more pages");
        } else {
            figures.put("warm.pages", warm);
            figures.put("warm.pagesPerCpuSecond", warm / (end.cpuSeconds() - begin.cpuSeconds()));
        }
        figures.put("peakRssBytes", usage.peakRss());
        figures.put("serverCpuSeconds", serverSeconds);
        return figures;
    }
}
