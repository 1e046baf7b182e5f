package dev.orbweaver.bench;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.cli.Main;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.imports.crawls.PostgresServer;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.SeedLoader;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.frontier.disk.QueuedUrls;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Imports a crawl from a real PostgreSQL in a small heap, with kills, and continues it. */
final class ImportBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "import",
                    "import of visited and queued rows from PostgreSQL with -Xmx256m: rows per"
                        + " CPU-second (into a directory and from 1,000,000 rows of each on, at"
                        + " least 50,000), memory also for a quarter of the rows; then again with"
                        + " kills, a sample of 10,000 URLs, and a crawl that must fetch all queued"
                        + " URLs and no visited one [--into disk|redis] [--rows 1000000 of each]"
                        + " [--kills 2] [--seed N]",
                    ImportBenchmark::start);

    private static final int HOSTS = 240;
    private static final int SAMPLE = 10_000;

    /** The goal into a directory; with fewer rows the start of the program weighs too much. */
    private static final double ROWS_PER_CPU_SECOND_MIN = 50_000;

    private static final int ROWS_OF_GOAL = 1_000_000;
    private static final String QUARTER = "_quarter";

    /** How much more memory four times the rows may take: noise of the collector, not rows. */
    private static final double RSS_GROWTH_MAX = 1.3;

    private final Path directory;
    private final PostgresServer postgres;
    private final LocalWeb web;
    private final int rows;
    private final Random random;

    private ImportBenchmark(
            Path directory, PostgresServer postgres, LocalWeb web, int rows, Random random) {
        this.directory = directory;
        this.postgres = postgres;
        this.web = web;
        this.rows = rows;
        this.random = random;
    }

    private static Map<String, Object> start(Options options) throws Exception {
        var rows = options.number("rows", 1_000_000);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var postgres = PostgresServer.start();
                var web = LocalWeb.start()) {
            var figures = new LinkedHashMap<String, Object>();
            figures.put("rows", 2L * rows);
            figures.put("seed", seed);
            var benchmark = new ImportBenchmark(directory, postgres, web, rows, new Random(seed));
            var kills = options.number("kills", 2);
            switch (options.text("into", "disk")) {
                case "disk" -> benchmark.run(kills, figures);
                case "redis" -> benchmark.runIntoRedis(kills, figures);
                default -> throw new IllegalArgumentException("--into takes disk or redis");
            }
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private void run(int kills, Map<String, Object> figures) throws Exception {
        fill("", rows);
        fill(QUARTER, rows / 4);
        System.err.println("bench: tables filled");
        var quarter = importer(directory.resolve("quarter"), QUARTER).figures();
        var whole = importer(directory.resolve("whole"), "").figures();
        figures.put("rowsPerCpuSecond", 2_000.0 * rows / whole.get("cpuMillis"));
        figures.put("wallMillis", whole.get("wallMillis"));
        figures.put("rssBytesQuarter", quarter.get("rssBytes"));
        figures.put("rssBytes", whole.get("rssBytes"));
        var killed = directory.resolve("killed");
        killOnTheWay(killed, kills, bytes(directory.resolve("whole")));
        var _ = importer(killed, "").figures();
        figures.put("kills", kills);
        var ledger = ledger(killed);
        figures.put("visitedInCrawl", ledger.done());
        figures.put("queuedInCrawl", ledger.queued());
        figures.put("sampleAgrees", sample(killed));
        crawl(killed);
        figures.put("queuedFetched", web.queuedFetched());
        figures.put("visitedFetched", web.visitedFetched());
        var rate = ((Number) figures.get("rowsPerCpuSecond")).doubleValue();
        figures.put(
                Benchmark.HELD,
                (rate >= ROWS_PER_CPU_SECOND_MIN || rows < ROWS_OF_GOAL)
                        && isFlat(quarter, whole)
                        && ledger.done() == rows
                        && ledger.queued() == rows
                        && figures.get("sampleAgrees").equals((long) SAMPLE)
                        && web.visitedFetched() == 0
                        && web.queuedFetched() == rows);
    }

    /** Imports into a fleet; its server is a process of its own, whose CPU time is not counted. */
    private void runIntoRedis(int kills, Map<String, Object> figures) throws Exception {
        fill("", rows);
        fill(QUARTER, rows / 4);
        System.err.println("bench: tables filled");
        try (var redis = RedisProcess.start(Files.createDirectories(directory.resolve("redis")))) {
            var quarter = intoFleet(redis, "quarter", QUARTER).figures();
            var settings = FleetSettings.of(redis.uri(), "whole", "bench");
            var before = Fleet.memory(settings).usedBytes();
            var whole = intoFleet(redis, "whole", "").figures();
            figures.put("rowsPerCpuSecond", 2_000.0 * rows / whole.get("cpuMillis"));
            figures.put("wallMillis", whole.get("wallMillis"));
            figures.put(
                    "redisBytesPerRow",
                    (Fleet.memory(settings).usedBytes() - before) / (2.0 * rows));
            figures.put("rssBytesQuarter", quarter.get("rssBytes"));
            figures.put("rssBytes", whole.get("rssBytes"));
            try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), "killed", "bench"))) {
                for (var i = 0; i < kills; i++) {
                    var share = (i + 0.1 + 0.8 * random.nextDouble()) / kills;
                    var killed = intoFleet(redis, "killed", "").killAt(fleet, share * 2 * rows);
                    System.err.println("bench: killed at %,d URLs".formatted(killed));
                }
                var _ = intoFleet(redis, "killed", "").figures();
                figures.put("kills", kills);
                var job = fleet.jobs().getFirst().id();
                var ledger = fleet.ledger(job, Instant.now());
                figures.put("visitedInJob", ledger.done());
                figures.put("queuedInJob", ledger.queued());
                figures.put("sampleAgrees", sample(redis, job));
                crawl(redis, fleet, job);
                figures.put("queuedFetched", web.queuedFetched());
                figures.put("visitedFetched", web.visitedFetched());
                figures.put(
                        Benchmark.HELD,
                        isFlat(quarter, whole)
                                && ledger.done() == rows
                                && ledger.queued() == rows
                                && figures.get("sampleAgrees").equals((long) SAMPLE)
                                && web.visitedFetched() == 0
                                && web.queuedFetched() == rows);
            }
        }
    }

    private Importer intoFleet(RedisProcess redis, String fleet, String suffix) throws IOException {
        return importer(
                directory.resolve("lists-" + fleet),
                suffix,
                List.of("--redis", redis.uri(), "--fleet", fleet));
    }

    /** Crawls the job with one worker to its end. */
    private void crawl(RedisProcess redis, Fleet fleet, JobId job) throws Exception {
        var command = WebProcess.java("-Xmx1g", Main.class.getName());
        command.addAll(List.of("worker", "--redis", redis.uri(), "--fleet", "killed"));
        command.addAll(List.of("--data", directory.resolve("worker").toString()));
        command.addAll(List.of("--allow-private", "--quiet"));
        var worker =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            while (fleet.job(job).orElseThrow().state() != FleetJob.State.FINISHED) {
                if (worker.waitFor(1, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("the worker ended: " + worker.exitValue());
                }
            }
        } finally {
            worker.destroyForcibly().waitFor();
        }
    }

    private static boolean isFlat(Map<String, Long> quarter, Map<String, Long> whole) {
        return whole.get("rssBytes") <= RSS_GROWTH_MAX * quarter.get("rssBytes");
    }

    /** Kills imports when the directory has a random part of its final size, one after another. */
    private void killOnTheWay(Path out, int kills, long finalBytes) throws Exception {
        for (var i = 0; i < kills; i++) {
            var share = (i + 0.1 + 0.8 * random.nextDouble()) / kills;
            var bytes = importer(out, "").killAt(out, (long) (share * finalBytes));
            System.err.println("bench: killed at %,d of %,d bytes".formatted(bytes, finalBytes));
        }
    }

    private Importer importer(Path out, String suffix) throws IOException {
        return importer(out, suffix, List.of());
    }

    private Importer importer(Path out, String suffix, List<String> more) throws IOException {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "--jdbc",
                                postgres.jdbc(),
                                "--out",
                                out.toString(),
                                "--table",
                                "visited=visited_urls" + suffix,
                                "--table",
                                "frontier=frontier" + suffix));
        arguments.addAll(more);
        return Importer.start(arguments);
    }

    private static long bytes(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return 0;
        }
        try (var files = Files.walk(directory)) {
            return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
        }
    }

    private static String url(int port, String kind, long i) {
        return "http://127.0.0.%d:%d/%s/%d".formatted(1 + i % HOSTS, port, kind, i);
    }

    private void fill(String suffix, int count) throws Exception {
        var url = "'http://127.0.0.' || (1 + i %% %d) || ':%d/%s/' || i";
        var visited = url.formatted(HOSTS, web.port, "visited");
        postgres.execute(
                "CREATE TABLE visited_urls%s (url text, url_sha256 text PRIMARY KEY, crawled_timestamp timestamptz, http_status_code int)"
                        .formatted(suffix),
                "CREATE TABLE frontier%s (id bigserial PRIMARY KEY, url text, depth int, priority_score double precision)"
                        .formatted(suffix),
                "INSERT INTO visited_urls%3$s SELECT %1$s, encode(sha256((%1$s)::bytea), 'hex'), now(), 200 FROM generate_series(1, %2$d) i"
                        .formatted(visited, count, suffix),
                "INSERT INTO frontier%3$s (url, depth, priority_score) SELECT %1$s, i %% 5, i %% 20 FROM generate_series(1, %2$d) i"
                        .formatted(url.formatted(HOSTS, web.port, "queued"), count, suffix),
                "ANALYZE");
    }

    private static Ledger ledger(Path crawl) throws Exception {
        try (var loader = SeedLoader.open(StoredCrawl.open(crawl, Settings.CORE).config(), crawl)) {
            return loader.ledger();
        }
    }

    /** A URL of the random sample. */
    private record Sampled(CrawlUrl url, boolean visited) {}

    private List<Sampled> sampled(CrawlUrls urls) {
        var all = new ArrayList<Sampled>();
        for (var i = 0; i < SAMPLE; i++) {
            var visited = i % 2 == 0;
            var url = url(web.port, visited ? "visited" : "queued", 1 + random.nextInt(rows));
            all.add(new Sampled(urls.parse(url).orElseThrow(), visited));
        }
        return all;
    }

    /** Returns how many URLs of a random sample are in the frontier as they should be. */
    private long sample(Path crawl) throws Exception {
        var stored = StoredCrawl.open(crawl, Settings.CORE).config();
        var urls = new DirectoryFrontier(crawl, stored).urls();
        var all = sampled(urls);
        var found =
                QueuedUrls.read(
                        crawl.resolve(DirectoryLayout.FRONTIER),
                        urls,
                        all.stream().map(each -> each.url().key()).toList());
        return all.stream()
                .filter(each -> found.seen().contains(each.url().key()))
                .filter(each -> found.queued().contains(each.url().key()) != each.visited())
                .count();
    }

    private long sample(RedisProcess redis, JobId job) throws Exception {
        var settings = FleetSettings.of(redis.uri(), "killed", "sample");
        try (var frontier = RedisFrontier.open(settings, Politeness.DEFAULT, Instant.now())) {
            return sampled(new CrawlUrls(Normalisation.DEFAULT, frontier.fingerprintKey())).stream()
                    .filter(
                            each ->
                                    switch (frontier.explain(job, each.url())) {
                                        case UrlState.Settled _ -> each.visited();
                                        case UrlState.Queued _ -> !each.visited();
                                        default -> false;
                                    })
                    .count();
        }
    }

    private static void crawl(Path directory) throws Exception {
        var command = WebProcess.java("-Xmx1g", Main.class.getName());
        command.addAll(List.of("resume", directory.toString(), "--quiet"));
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException("the crawl failed with " + process.exitValue());
        }
    }

    /** A web server on some loopback addresses that counts which pages were requested. */
    private static final class LocalWeb implements AutoCloseable {

        private final List<HttpServer> servers = new ArrayList<>();
        private final BitSet queued = new BitSet();
        private final BitSet visited = new BitSet();
        private int port;

        static LocalWeb start() throws IOException {
            var web = new LocalWeb();
            for (var i = 1; i <= HOSTS; i++) {
                var address = InetAddress.ofLiteral("127.0.0." + i);
                var server = HttpServer.create(new InetSocketAddress(address, web.port), 1_000);
                web.port = server.getAddress().getPort();
                server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
                server.createContext(
                        "/",
                        exchange -> {
                            try (exchange) {
                                var path = exchange.getRequestURI().getPath();
                                var body = web.answer(path).getBytes(StandardCharsets.UTF_8);
                                exchange.getResponseHeaders().add("Content-Type", "text/html");
                                exchange.sendResponseHeaders(
                                        path.equals("/robots.txt") ? 404 : 200, body.length);
                                exchange.getResponseBody().write(body);
                            }
                        });
                server.start();
                web.servers.add(server);
            }
            return web;
        }

        /**
         * Every queued page links to a visited one. The link has the host of that page: the same
         * path on another host is a URL that was never visited.
         */
        private synchronized String answer(String path) {
            if (path.startsWith("/queued/")) {
                var i = Integer.parseInt(path.substring("/queued/".length()));
                queued.set(i);
                return "<p><a href=%s>page %d</a>".formatted(url(port, "visited", i), i);
            }
            if (path.startsWith("/visited/")) {
                visited.set(Integer.parseInt(path.substring("/visited/".length())));
            }
            return "";
        }

        synchronized int visitedFetched() {
            return visited.cardinality();
        }

        synchronized int queuedFetched() {
            return queued.cardinality();
        }

        @Override
        public void close() {
            servers.forEach(server -> server.stop(0));
        }
    }

    /** The import in a process of its own, with a small heap. */
    static final class Importer {

        private final Process process;

        private Importer(Process process) {
            this.process = process;
        }

        static Importer start(List<String> arguments) throws IOException {
            var command = new ArrayList<String>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"));
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.add("--enable-native-access=ALL-UNNAMED");
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.addAll(List.of(Importer.class.getName(), "import", "postgres"));
            command.addAll(arguments);
            for (var setting :
                    List.of(
                            "allow-private=true",
                            "delay=0",
                            "delay-ip=0",
                            "concurrency-per-host=8",
                            "traps=off",
                            "contact=bench@example.org")) {
                command.addAll(List.of("--set", setting));
            }
            return new Importer(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        }

        /** Kills the process when the directory has a size, and returns the size then. */
        private long killAt(Path out, long bytes) throws IOException, InterruptedException {
            while (bytes(out) < bytes) {
                if (process.waitFor(5, TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("the import ended before it was killed");
                }
            }
            process.destroyForcibly().waitFor();
            return bytes(out);
        }

        /** Kills the process when the job of a fleet has this many URLs. */
        private long killAt(Fleet fleet, double urls) throws IOException, InterruptedException {
            while (true) {
                var jobs = fleet.jobs();
                var offered =
                        jobs.isEmpty()
                                ? 0
                                : fleet.ledger(jobs.getFirst().id(), Instant.now()).offered();
                if (offered >= urls) {
                    process.destroyForcibly().waitFor();
                    return offered;
                }
                if (process.waitFor(5, TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("the import ended before it was killed");
                }
            }
        }

        private Map<String, Long> figures() throws IOException, InterruptedException {
            var figures = new LinkedHashMap<String, Long>();
            try (var out = process.inputReader()) {
                for (var line = out.readLine(); line != null; line = out.readLine()) {
                    System.err.println("bench: " + line);
                    var equals = line.indexOf('=');
                    if (equals > 0) {
                        figures.put(
                                line.substring(0, equals),
                                Long.valueOf(line.substring(equals + 1)));
                    }
                }
            }
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the import failed with " + process.exitValue());
            }
            return figures;
        }

        public static void main(String[] args) throws IOException {
            var begun = System.nanoTime();
            var exit = Main.run(args);
            System.out.println("exit=" + exit);
            System.out.println("cpuMillis=" + Cpu.processNanos() / 1_000_000);
            System.out.println("wallMillis=" + (System.nanoTime() - begun) / 1_000_000);
            System.out.println("rssBytes=" + Cpu.status("VmHWM"));
            System.exit(exit);
        }
    }
}
