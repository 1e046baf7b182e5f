package dev.orbweaver.bench;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageQuery;
import dev.orbweaver.internal.archive.PageSearch;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Measures queries of visited pages by time, status and host over a generated page log. */
final class PagesBenchmark {

    private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
    private static final int LINES_PER_SECOND = 20;
    private static final double NANOS = 1e9;

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "pages",
                    "queries by time over a generated page log [--lines 10000000]",
                    options -> new PagesBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var lines = options.number("lines", 10_000_000);
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            write(directory.resolve("pages.log"), lines);
            var figures = new LinkedHashMap<String, Object>();
            figures.put("lines", lines);
            figures.put("bytes", Files.size(directory.resolve("pages.log")));
            var end = BEGIN.plusSeconds(lines / LINES_PER_SECOND);
            var middle = BEGIN.plusSeconds(lines / LINES_PER_SECOND / 2);
            measure("first", directory, query(Optional.empty(), Optional.empty(), "", 1), figures);
            measure(
                    "minute",
                    directory,
                    query(Optional.of(middle), Optional.of(middle.plusSeconds(60)), "", 0),
                    figures);
            measure(
                    "lastHour",
                    directory,
                    query(Optional.of(end.minusSeconds(3_600)), Optional.empty(), "", 0),
                    figures);
            measure(
                    "lastDay",
                    directory,
                    query(Optional.of(end.minusSeconds(86_400)), Optional.empty(), "", 0),
                    figures);
            measure(
                    "status5xxInAll",
                    directory,
                    query(Optional.empty(), Optional.empty(), "5xx", 0),
                    figures);
            measure("all", directory, query(Optional.empty(), Optional.empty(), "", 0), figures);
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static PageQuery query(
            Optional<Instant> since, Optional<Instant> until, String status, long limit) {
        return new PageQuery(
                since,
                until,
                PageQuery.StatusRange.parse(status).stream().toList(),
                Optional.empty(),
                limit == 0 ? Long.MAX_VALUE : limit);
    }

    private static void measure(
            String name, Path directory, PageQuery query, Map<String, Object> figures)
            throws IOException {
        var archive =
                new CrawlArchive(directory, Optional.empty(), new CrawlUrls(Normalisation.DEFAULT));
        var pages = new CrawlPages(List.of(archive), Tombstones.NONE);
        var cpu = Cpu.processNanos();
        var found = PageSearch.run(pages, query, (_, _) -> {});
        figures.put(name + ".pages", found);
        figures.put(name + ".cpuSeconds", (Cpu.processNanos() - cpu) / NANOS);
        System.err.println("bench: " + figures);
    }

    /** Writes lines as a crawl does, twenty in a second, about one in a hundred a server error. */
    private static void write(Path log, int lines) throws IOException {
        try (var out = Files.newBufferedWriter(log)) {
            for (var seq = 1; seq <= lines; seq++) {
                var time = BEGIN.plusMillis(seq * 1_000L / LINES_PER_SECOND);
                out.write(
                        "{\"seq\":"
                                + seq
                                + ",\"url\":\"https://www.example-"
                                + seq % 997
                                + ".com/section/"
                                + seq % 31
                                + "/page-"
                                + seq
                                + ".html\",\"kind\":\""
                                + (seq % 101 == 0 ? "error" : "page")
                                + "\",\"status\":"
                                + (seq % 101 == 0 ? 503 : 200)
                                + ",\"time\":\""
                                + time
                                + "\",\"ms\":123,\"depth\":4,\"parent\":"
                                + seq / 2
                                + ",\"type\":\"text/html\",\"charset\":\"UTF-8\""
                                + ",\"title\":\"The title of page number "
                                + seq
                                + "\",\"links\":87,\"simhash\":\"0123456789abcdef\""
                                + ",\"bytes\":34567"
                                + ",\"digest\":\"sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\""
                                + ",\"warc\":\"warc/orbweaver-20300101000000-00001.warc.gz\""
                                + ",\"offset\":"
                                + seq * 9_000L
                                + ",\"length\":8765}\n");
            }
        }
    }
}
