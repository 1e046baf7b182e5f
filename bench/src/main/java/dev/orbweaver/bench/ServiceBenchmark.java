package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.server.CrawlServer;
import dev.orbweaver.server.search.PageIndex;
import dev.orbweaver.server.search.PageSearchQuery;
import dev.orbweaver.server.search.PageSearchQuery.Order;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Measures the service: response times with a million pages, and the cost of 1,000 subscribers. */
final class ServiceBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "service",
                    "queries over a million pages, a thousand event subscribers, memory, speed"
                            + " [--part search|listeners|api|why|memory|speed --pages 1000000"
                            + " --clients 1000 --seconds 15 --data DIR --corpus"
                            + " bench/corpus-pages --runs 3 --java-opts OPTIONS]",
                    options -> new ServiceBenchmark().run(options));

    private static final int VOCABULARY = 20_000;

    private Map<String, Object> run(Options options) throws Exception {
        var part = options.text("part", "");
        var figures = new LinkedHashMap<String, Object>();
        if (part.isEmpty() || part.equals("search")) {
            search(options, figures);
        }
        if (part.isEmpty() || part.equals("listeners")) {
            listeners(options, figures);
        }
        var parts = new ServiceParts(options, figures);
        switch (part) {
            case "api" -> parts.api(false);
            case "why" -> parts.api(true);
            case "memory" -> parts.memory();
            case "speed" -> parts.speed();
            case "", "search", "listeners" -> {} // They need no process of their own.
            default -> throw new IllegalArgumentException("unknown part " + part);
        }
        return figures;
    }

    private static void search(Options options, Map<String, Object> figures) throws Exception {
        var pages = options.number("pages", 1_000_000);
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            writeLog(directory, pages);
            var contents =
                    new PageContents(
                            new StoredCrawl(directory, CrawlConfig.of("http://a.test/"))
                                    .contents());
            try (var index =
                    PageIndex.open(directory, contents, Tombstones.NONE, () -> Long.MAX_VALUE)) {
                var begun = System.nanoTime();
                var done = 0;
                for (var more = index.advance(1_000); more > 0; more = index.advance(1_000)) {
                    done += more;
                    if (done % 100_000 == 0) {
                        System.err.println("bench: " + done + " lines indexed");
                    }
                }
                figures.put("search.lines", done);
                figures.put("search.linesPerSecond", done * 1e9 / (System.nanoTime() - begun));
                ask(index, pages, figures);
            }
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    /** Writes page log lines with titles of eight words, without WARC records. */
    private static void writeLog(Path directory, int pages) throws IOException {
        var random = new Random(1);
        try (var out =
                Files.newBufferedWriter(directory.resolve(DirectoryLayout.PAGE_LOG), UTF_8)) {
            for (var seq = 1; seq <= pages; seq++) {
                var title = new StringBuilder();
                for (var word = 0; word < 8; word++) {
                    title.append('w').append((int) (VOCABULARY * Math.pow(random.nextDouble(), 3)));
                    title.append(' ');
                }
                var error = random.nextInt(50) == 0;
                out.write(
                        "{\"seq\":%d,\"url\":\"http://h%d.test/s%d/t%d/%d.html\",\"kind\":\"%s\",\"status\":%d,\"time\":\"2026-11-16T00:00:00Z\",\"ms\":7,\"depth\":3,\"type\":\"text/html\",\"title\":\"%s\",\"bytes\":4000}%n"
                                .formatted(
                                        seq,
                                        seq % 20,
                                        seq % 30,
                                        seq % 100,
                                        seq,
                                        error ? "error" : "page",
                                        error ? 404 : 200,
                                        title));
            }
        }
    }

    private interface TimedCall {
        long ask() throws IOException;
    }

    private static void ask(PageIndex index, int pages, Map<String, Object> figures)
            throws IOException {
        var words = new Random(2);
        time("newest", () -> index.search(PageSearchQuery.newest(50)).total(), figures);
        time("deep", () -> find(index, "", Order.NEWEST, pages / 2, 0), figures);
        time("oldest", () -> find(index, "", Order.OLDEST, -1, 0), figures);
        time("offset", () -> find(index, "", Order.NEWEST, -1, 9_950), figures);
        time(
                "words",
                () ->
                        find(
                                index,
                                "w" + words.nextInt(50) + " w" + words.nextInt(2_000),
                                Order.RELEVANCE,
                                -1,
                                0),
                figures);
        time("common", () -> find(index, "w0", Order.RELEVANCE, -1, 0), figures);
        time(
                "filtered",
                () ->
                        index.search(
                                        new PageSearchQuery(
                                                "",
                                                Set.of(Kind.ERROR),
                                                Optional.of("h7.test"),
                                                Optional.of("/s7/"),
                                                400,
                                                499,
                                                Optional.empty(),
                                                Optional.empty(),
                                                OptionalLong.empty(),
                                                Order.NEWEST,
                                                0,
                                                50))
                                .total(),
                figures);
        time("sites", () -> index.children("", 1_000).size(), figures);
        time("directory", () -> index.children("http://h7.test/", 1_000).size(), figures);
    }

    private static long find(PageIndex index, String words, Order order, long after, int offset)
            throws IOException {
        return index.search(
                        new PageSearchQuery(
                                words,
                                Set.of(),
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                Integer.MAX_VALUE,
                                Optional.empty(),
                                Optional.empty(),
                                after < 0 ? OptionalLong.empty() : OptionalLong.of(after),
                                order,
                                offset,
                                50))
                .total();
    }

    private static void time(String name, TimedCall timedCall, Map<String, Object> figures)
            throws IOException {
        var times = new ArrayList<Double>();
        var found = 0L;
        for (var i = 0; i < 21; i++) {
            var begun = System.nanoTime();
            found += timedCall.ask();
            times.add((System.nanoTime() - begun) / 1e6);
        }
        var first = times.getFirst();
        Collections.sort(times);
        figures.put("search." + name + ".medianMillis", times.get(times.size() / 2));
        figures.put("search." + name + ".firstMillis", first);
        if (found < 0) {
            throw new IOException("the rate without subscribers is 0");
        }
    }

    private static void listeners(Options options, Map<String, Object> figures) throws Exception {
        var clients = options.number("clients", 1_000);
        var seconds = options.number("seconds", 15);
        var spec = WebSpec.light(9, 200, 100_000).without(Quirk.DEAD_HOSTS);
        var alone = new ArrayList<Double>();
        var heard = new ArrayList<Double>();
        try (var web = WebProcess.start(spec)) {
            for (var round = 0; round < 3; round++) {
                alone.add(rate(web, 0, seconds, figures));
                heard.add(rate(web, clients, seconds, figures));
                System.err.println(
                        "bench: pages per second without subscribers " + alone + ", with " + heard);
            }
        }
        Collections.sort(alone);
        Collections.sort(heard);
        figures.put("listeners.clients", clients);
        figures.put("listeners.pagesPerSecondAlone", alone.get(1));
        figures.put("listeners.pagesPerSecondHeard", heard.get(1));
        figures.put("listeners.ratio", heard.get(1) / alone.get(1));
    }

    private static double rate(
            WebProcess web, int clients, int seconds, Map<String, Object> figures)
            throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        var settingValues =
                new SettingValues()
                        .put("dns-server", web.nameServer())
                        .put("min-free-disk", "0")
                        .put("delay-ip", "0")
                        .put("delay", "500ms")
                        .put("traps", "off");
        var localJobsSettings =
                new LocalJobs.LocalJobsSettings(directory, 256, 10, true, settingValues);
        var sockets = new ArrayList<Socket>();
        var received = new LongAdder();
        try (var crawlServer =
                CrawlServer.start(localJobsSettings, CrawlServer.HttpSettings.onLoopback(0))) {
            var wish =
                    new JobRequest(
                            List.of(web.hub()),
                            "{\"scope\":\"any\"}",
                            1,
                            Optional.empty(),
                            Optional.empty());
            var job = crawlServer.jobs().submit(wish).id();
            for (var i = 0; i < clients; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port());
                sockets.add(socket);
                var request =
                        "GET /api/v1/jobs/%d/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .formatted(job.number());
                socket.getOutputStream().write(request.getBytes(UTF_8));
                Thread.ofVirtual().start(() -> drain(socket, received));
            }
            Thread.sleep(5_000);
            var before = crawlServer.jobs().stats(job).ledger().pages();
            Thread.sleep(seconds * 1_000L);
            var after = crawlServer.jobs().stats(job).ledger().pages();
            if (clients > 0) {
                figures.put("listeners.bytesReceived", received.sum());
            }
            return (after - before) / (double) seconds;
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
            CrawlProcess.delete(directory);
        }
    }

    private static void drain(Socket socket, LongAdder received) {
        var buffer = new byte[8_192];
        try {
            for (var read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                received.add(read);
            }
        } catch (IOException e) {
            // The connection was closed at the end of the round.
        }
    }
}
