package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.bench.PageCorpus.BenchPage;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.sink.WarcSettings;
import dev.orbweaver.internal.sink.WarcSink;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures writing captures of real pages to WARC files and page log on one thread: digests, record
 * headers, compression, and writes to the operating system. Pages too large for memory are skipped,
 * because a crawl stores them in files. Results are megabytes of bodies per second of the thread's
 * CPU time; those of the gzip and zstd tools are for the same bodies in one file, by the CPU time
 * of the process.
 */
final class WarcBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "warc",
                    "MB/s per core of writing WARC, versus gzip and zstd [--corpus DIR --only plain"
                            + " --seconds 3]",
                    options -> new WarcBenchmark().run(options));

    private static final long SAMPLE_BYTES = 100_000_000;
    private static final int BODY_MAX = SpillBuffer.MEMORY_MAX - 8192;
    private static final int LONG_BODY = 138_000;
    private static final int PASSES_MIN = 5;
    private static final int SHA1_PASSES = 20;
    private static final int BATCH = 64;
    private static final RecordOptions PAYLOAD = new RecordOptions(false, false, false, false);
    private static final RecordOptions BOTH = new RecordOptions(true, false, false, false);
    private static final RecordOptions USUAL = RecordOptions.DEFAULT;

    private record WarcVariant(String name, Compression compression, RecordOptions records) {}

    private static final List<WarcVariant> WAYS =
            List.of(
                    new WarcVariant("plain", Compression.NONE, PAYLOAD),
                    new WarcVariant("plainBothDigests", Compression.NONE, BOTH),
                    new WarcVariant("zstd", Compression.ZSTD, PAYLOAD),
                    new WarcVariant("gzip", Compression.GZIP, PAYLOAD),
                    new WarcVariant("gzipAsByDefault", Compression.GZIP, USUAL));

    /** Combines the same bytes into pages of the size of the live web. */
    private static final List<WarcVariant> LONG_WAYS =
            List.of(
                    new WarcVariant("longPlain", Compression.NONE, PAYLOAD),
                    new WarcVariant("longZstd", Compression.ZSTD, PAYLOAD),
                    new WarcVariant("longGzip", Compression.GZIP, PAYLOAD));

    private Map<String, Object> run(Options options) throws Exception {
        var corpus = PageCorpus.in(ParseBenchmark.directory(options));
        var pages =
                corpus.sample(SAMPLE_BYTES).stream()
                        .filter(page -> page.bytes().length <= BODY_MAX)
                        .toList();
        var bytes = pages.stream().mapToLong(page -> page.bytes().length).sum();
        System.err.printf("bench: %d pages, %.0f MB%n", pages.size(), bytes / 1e6);
        var directory = Files.createTempDirectory("warc-bench");
        try {
            var figures = new LinkedHashMap<String, Object>();
            figures.put("pages", pages.size());
            figures.put("meanBytes", bytes / pages.size());
            figures.put("sha1MegabytesPerCoreSecond", sha1(pages, bytes));
            var seconds = options.number("seconds", 3);
            var only = options.text("only", "");
            var captures = captures(pages);
            var longer = captures(joined(pages));
            for (var warcVariant : WAYS) {
                if (only.isEmpty() || only.equals(warcVariant.name)) {
                    put(figures, warcVariant, directory, captures, seconds);
                }
            }
            for (var warcVariant : LONG_WAYS) {
                if (only.isEmpty() || only.equals(warcVariant.name)) {
                    put(figures, warcVariant, directory, longer, seconds);
                }
            }
            if (!only.isEmpty()) {
                return figures;
            }
            tool(figures, directory, pages, bytes, "zstd", "-3", "-T1", "-q", "-f", "-k");
            tool(figures, directory, pages, bytes, "gzip", "-6", "-f", "-k");
            return figures;
        } finally {
            delete(directory);
        }
    }

    private static List<BenchPage> joined(List<BenchPage> pages) {
        var bodies = new ArrayList<BenchPage>();
        var body = new ByteArrayOutputStream();
        for (var page : pages) {
            body.writeBytes(page.bytes());
            while (body.size() >= LONG_BODY) {
                var bytes = body.toByteArray();
                bodies.add(new BenchPage(page.address(), Arrays.copyOf(bytes, LONG_BODY)));
                body.reset();
                body.write(bytes, LONG_BODY, bytes.length - LONG_BODY);
            }
        }
        return bodies;
    }

    /** Measures the digest alone, which is the upper bound for writing with payload digests. */
    private static double sha1(List<BenchPage> pages, long bytes) throws Exception {
        var sha1 = MessageDigest.getInstance("SHA-1");
        var best = 0.0;
        for (var pass = 0; pass < SHA1_PASSES; pass++) {
            var before = Cpu.threadNanos();
            for (var page : pages) {
                sha1.update(page.bytes());
                var _ = sha1.digest();
            }
            best = Math.max(best, bytes * 1e3 / (Cpu.threadNanos() - before));
        }
        System.err.printf("bench: SHA-1 alone %.0f MB/s%n", best);
        return best;
    }

    private static List<Capture> captures(List<BenchPage> pages) throws IOException {
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        var captures = new ArrayList<Capture>(pages.size());
        for (var page : pages) {
            var url = urls.parse(page.address()).orElseThrow();
            var length = page.bytes().length;
            var head =
                    """
                    HTTP/1.1 200 OK\r
                    Server: nginx\r
                    Date: Sun, 15 Nov 2026 12:00:00 GMT\r
                    Content-Type: text/html; charset=utf-8\r
                    Content-Length: %d\r
                    Last-Modified: Sat, 14 Nov 2026 12:00:00 GMT\r
                    ETag: "65f3a0c2-5a3b"\r
                    \r
                    """
                            .formatted(length);
            var request =
                    """
                    GET %s HTTP/1.1\r
                    Host: docs.example\r
                    User-Agent: Orbweaver/1 (+https://example.org/bot)\r
                    Accept-Encoding: gzip, br, zstd\r
                    \r
                    """
                            .formatted(url.pathAndQuery());
            var started = Instant.parse("2026-11-15T12:00:00.123Z");
            var exchange =
                    new Exchange(
                            url,
                            request.getBytes(ISO_8859_1),
                            new ResponseHead(head.getBytes(ISO_8859_1), 200),
                            new Body.InMemory(page.bytes(), length),
                            InetAddress.ofLiteral("192.0.2.1"),
                            new Timings(started, Duration.ZERO, Duration.ZERO, Duration.ZERO),
                            Optional.empty());
            captures.add(
                    new Capture(
                            url,
                            Kind.PAGE,
                            Hop.LINK,
                            1,
                            CaptureRef.ofLine(1),
                            0,
                            started,
                            Optional.of(exchange),
                            Page.EMPTY,
                            "",
                            ""));
        }
        return captures;
    }

    private static void put(
            Map<String, Object> figures,
            WarcVariant warcVariant,
            Path directory,
            List<Capture> captures,
            int seconds)
            throws IOException {
        var name = warcVariant.name;
        var bytes =
                captures.stream()
                        .mapToLong(each -> each.exchange().orElseThrow().body().length())
                        .sum();
        var best = 0.0;
        var stored = 0L;
        var spent = 0L;
        for (var pass = 0; pass < PASSES_MIN || spent < seconds * 1e9; pass++) {
            var place = Files.createDirectory(directory.resolve(name + pass));
            var nanos = write(place, warcVariant.compression, warcVariant.records, captures);
            stored = size(place.resolve("warc"));
            spent += nanos;
            best = Math.max(best, bytes * 1e3 / nanos);
            delete(place);
        }
        figures.put(name + "MegabytesPerCoreSecond", best);
        figures.put(name + "Ratio", (double) bytes / stored);
        System.err.printf("bench: %s %.0f MB/s%n", name, best);
    }

    /** Measures CPU time from opening to the last commit, without the final sync. */
    private static long write(
            Path directory, Compression compression, RecordOptions records, List<Capture> captures)
            throws IOException {
        var settings =
                new WarcSettings(
                        compression,
                        1L << 40,
                        Map.of("software", "bench"),
                        directory,
                        false,
                        records);
        var before = Cpu.threadNanos();
        try (var sink =
                WarcSink.open(
                        new RealDisk(), directory, settings, List.of(), InstantSource.system())) {
            var waiting = 0;
            for (var capture : captures) {
                var _ = sink.write(sink.prepare(capture), false);
                if (++waiting == BATCH) {
                    var _ = sink.commit();
                    waiting = 0;
                }
            }
            var _ = sink.commit();
            return Cpu.threadNanos() - before;
        }
    }

    /** Compresses the same bodies in one file with a tool; the shell reports its CPU time. */
    private static void tool(
            Map<String, Object> figures,
            Path directory,
            List<BenchPage> pages,
            long bytes,
            String... command)
            throws IOException, InterruptedException {
        var name = command[0];
        if (Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .noneMatch(place -> Files.isExecutable(Path.of(place, name)))) {
            figures.put(name + "Tool", "skipped: " + name + " is not installed");
            return;
        }
        var file = directory.resolve("bodies");
        try (var out = Files.newOutputStream(file)) {
            for (var page : pages) {
                out.write(page.bytes());
            }
        }
        var line = String.join(" ", command) + " '" + file + "' && times";
        var process = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
        if (process.waitFor() != 0) {
            throw new IOException(name + ": " + said);
        }
        var best = bytes / 1e6 / childSeconds(said);
        figures.put(name + "ToolMegabytesPerCoreSecond", best);
        var packed = directory.resolve("bodies" + (name.equals("gzip") ? ".gz" : ".zst"));
        figures.put(name + "ToolRatio", (double) bytes / Files.size(packed));
        System.err.printf("bench: the %s tool %.0f MB/s%n", name, best);
    }

    /**
     * Parses the second line of {@code times}: minutes and seconds of children, user and system.
     */
    static double childSeconds(String said) {
        var seconds = 0.0;
        for (var part : said.strip().lines().toList().getLast().split(" ", -1)) {
            var minutes = part.indexOf('m');
            seconds +=
                    60 * Double.parseDouble(part.substring(0, minutes))
                            + Double.parseDouble(part.substring(minutes + 1, part.length() - 1));
        }
        return seconds;
    }

    private static long size(Path directory) throws IOException {
        var size = 0L;
        for (var file : new RealDisk().list(directory)) {
            size += Files.size(file);
        }
        return size;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
