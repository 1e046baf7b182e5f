package dev.orbweaver.bench;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.cli.Main;
import dev.orbweaver.imports.crawls.PostgresServer;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.UrlState;

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
                    "import of visited and queued rows from PostgreSQL with -Xmx512m: rows per"
                            + " CPU-second; then again with kills, and a crawl of the queued URLs"
                            + " [--rows 1000000 of each] [--kills 2] [--pages all] [--seed N]",
                    options -> new ImportBenchmark().run(options));

    private static final int HOSTS = 64;
    private static final int SAMPLE = 10_000;

    private Map<String, Object> run(Options options) throws Exception {
        var rows = options.number("rows", 1_000_000);
        var kills = options.number("kills", 2);
        var pages = options.number("pages", rows);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var postgres = PostgresServer.start();
                var web = LocalWeb.start(rows)) {
            fill(postgres, rows, web.port);
            System.err.println("bench: tables filled");
            var whole = Importer.start(postgres, directory.resolve("whole")).figures();
            var figures = new LinkedHashMap<String, Object>(whole);
            figures.put(
                    "rowsPerCpuSecond",
                    2_000.0 * rows / ((Number) whole.get("cpuMillis")).doubleValue());
            var killed = directory.resolve("killed");
            var random = new Random(seed);
            var wall = ((Number) whole.get("wallMillis")).longValue();
            for (var i = 0; i < kills; i++) {
                Importer.start(postgres, killed)
                        .killAfter(wall / (kills + 1) / 2 + random.nextLong(wall / (kills + 1)));
            }
            var after = Importer.start(postgres, killed).figures();
            figures.put("kills", kills);
            figures.put("seed", seed);
            var agree = sample(killed, rows, web.port, random);
            figures.put("sampleAgrees", agree);
            crawl(killed, pages);
            figures.put("queuedFetched", web.queuedFetched());
            figures.put("visitedFetched", web.visitedFetched);
            figures.put(
                    Benchmark.HELD,
                    whole.get("exit").equals(0L)
                            && after.get("exit").equals(0L)
                            && agree == SAMPLE
                            && web.visitedFetched == 0
                            && web.queuedFetched() >= pages);
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static String url(int port, String kind, long i) {
        return "http://127.0.0.%d:%d/%s/%d".formatted(1 + i % HOSTS, port, kind, i);
    }

    private static void fill(PostgresServer postgres, int rows, int port) throws Exception {
        var url = "'http://127.0.0.' || (1 + i %% %d) || ':%d/%s/' || i";
        var visited = url.formatted(HOSTS, port, "visited");
        postgres.execute(
                "CREATE TABLE visited_urls (url text, url_sha256 text PRIMARY KEY,"
                        + " crawled_timestamp timestamptz, http_status_code int)",
                "CREATE TABLE frontier (id bigserial PRIMARY KEY, url text, depth int,"
                        + " priority_score double precision)",
                "INSERT INTO visited_urls SELECT %1$s, encode(sha256((%1$s)::bytea), 'hex'), now(), 200 FROM generate_series(1, %2$d) i"
                        .formatted(visited, rows),
                "INSERT INTO frontier (url, depth, priority_score) SELECT %s, i %% 5, i %% 20 FROM generate_series(1, %d) i"
                        .formatted(url.formatted(HOSTS, port, "queued"), rows),
                "ANALYZE");
    }

    /** Returns how many URLs of a random sample are in the frontier as they should be. */
    private static int sample(Path crawl, int rows, int port, Random random) throws Exception {
        var config = StoredCrawl.open(crawl, Settings.CORE).config();
        var agree = 0;
        try (var frontier =
                new DirectoryFrontier(crawl, config).open(new RealDisk(), Instant.now())) {
            var urls =
                    config.withKey(frontier.job(FrontierLocation.OWN_JOB).fingerprintKey()).urls();
            for (var i = 0; i < SAMPLE; i++) {
                var visited = i % 2 == 0;
                var url = url(port, visited ? "visited" : "queued", 1 + random.nextInt(rows));
                var state =
                        frontier.explain(FrontierLocation.OWN_JOB, urls.parse(url).orElseThrow());
                if (visited
                        ? state instanceof UrlState.Settled
                        : state instanceof UrlState.Queued) {
                    agree++;
                }
            }
        }
        return agree;
    }

    private static void crawl(Path directory, int pages) throws Exception {
        var command = WebProcess.java("-Xmx1g", Main.class.getName());
        command.addAll(List.of("resume", directory.toString(), "--quiet"));
        command.addAll(List.of("--set", "max-pages=" + pages));
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
        private volatile int visitedFetched;
        private int port;

        static LocalWeb start(int rows) throws IOException {
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
                                var body = web.answer(path, rows).getBytes(StandardCharsets.UTF_8);
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

        /** Every page links to one that was visited. */
        private synchronized String answer(String path, int rows) {
            if (path.startsWith("/queued/")) {
                queued.set(Integer.parseInt(path.substring("/queued/".length())));
            } else if (path.startsWith("/visited/")) {
                visitedFetched++;
            }
            return "<p><a href=%s>page %s</a>".formatted(url(port, "visited", rows), path);
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

        static Importer start(PostgresServer postgres, Path out) throws IOException {
            var command = new ArrayList<String>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"));
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.add("--enable-native-access=ALL-UNNAMED");
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.addAll(List.of(Importer.class.getName(), "import", "postgres"));
            command.addAll(List.of("--jdbc", postgres.jdbc(), "--out", out.toString()));
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

        private void killAfter(long millis) throws InterruptedException {
            if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the import ended before it was killed");
            }
            process.destroyForcibly().waitFor();
        }

        private Map<String, Object> figures() throws IOException, InterruptedException {
            var figures = new LinkedHashMap<String, Object>();
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
