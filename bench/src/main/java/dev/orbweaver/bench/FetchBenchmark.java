package dev.orbweaver.bench;

import dev.orbweaver.bench.PageServer.ConnectionMode;
import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.fetch.NettyFetcher;
import dev.orbweaver.internal.fetch.RequestOptions;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FetchResult;

import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Measures the CPU time of a fetch through the public interface from virtual threads, versus other
 * clients in the same run: wrk (rate only), Apache HttpClient and the JDK's client. nginx serves
 * one page of 24 KB.
 */
final class FetchBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "fetch",
                    "CPU time of a fetch, versus wrk, Apache and JDK clients [--seconds 5"
                            + " --connections 256 --rounds 3 --part"
                            + " all|kept|new|full|resumed|http2|others]",
                    options -> new FetchBenchmark().run(options));

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private static final int HTTP2_THREADS = 64;
    private static final int WARM_UPS_MAX = 20;
    private static final int WARM_UP_SECONDS = 3;
    private static final double COMPILERS_SHARE = 0.03;

    /** The header value that nginx sends for a resumed TLS session. */
    private static final Optional<String> REUSED = Optional.of("r.");

    record Load(long fetches, double cpuMicros, double perSecond) {}

    private Map<String, Object> run(Options options) throws Exception {
        var seconds = options.number("seconds", 5);
        var connections = options.number("connections", 256);
        var rounds = options.number("rounds", 3);
        var directory = Files.createTempDirectory("bench-fetch-bodies");
        var figures = new LinkedHashMap<String, Object>();
        try (var server = PageServer.start();
                var fetcher = new NettyFetcher(settings(directory, connections), clock())) {
            if (wanted(options, "kept")) {
                var kept = url(server, ConnectionMode.KEPT);
                warmUp(connections, () -> fetch(fetcher, kept));
                var best = keepAlive(fetcher, server, connections, seconds, rounds);
                figures.put("keepAliveCpuMicros", best.ours().cpuMicros());
                figures.put("ratioToWrk", best.ours().perSecond() / best.wrkPerSecond());
                figures.put("perSecond", best.ours().perSecond());
                figures.put("wrkPerSecond", best.wrkPerSecond());
            }
            if (wanted(options, "new")) {
                figures.put(
                        "newConnectionCpuMicros",
                        cpu(fetcher, server, ConnectionMode.ONCE, seconds));
            }
            if (wanted(options, "full")) {
                figures.put("tlsFullCpuMicros", cpu(fetcher, server, ConnectionMode.FULL, seconds));
            }
            if (wanted(options, "resumed")) {
                figures.put(
                        "tlsResumedCpuMicros",
                        cpu(fetcher, server, ConnectionMode.RESUMED, seconds));
                figures.put("resumedShare", resumedShare(fetcher, server));
            }
            if (wanted(options, "http2")) {
                figures.putAll(http2(server, directory, seconds, rounds));
            }
            if (wanted(options, "others")) {
                figures.put("apacheKeepAliveCpuMicros", apache(server, connections, seconds));
                figures.put("jdkKeepAliveCpuMicros", jdk(server, connections, seconds));
            }
            figures.put("connections", connections);
            figures.put("openAtEnd", fetcher.stats().openConnections());
        } finally {
            CrawlProcess.delete(directory);
        }
        return figures;
    }

    /**
     * Compares kept TLS connections of both HTTP versions in alternating rounds: 64 hosts with one
     * request each at a time, as in a crawl, and one host with 64.
     */
    private static Map<String, Object> http2(
            PageServer server, Path directory, int seconds, int rounds) throws Exception {
        var figures = new LinkedHashMap<String, Object>();
        var plain = settings(directory, HTTP2_THREADS, false);
        var http2 = settings(directory, HTTP2_THREADS, true);
        try (var one = new NettyFetcher(plain, clock());
                var two = new NettyFetcher(http2, clock())) {
            for (var hosts : new int[] {HTTP2_THREADS, 1}) {
                var urls = new ArrayList<CrawlUrl>();
                for (var i = 0; i < hosts; i++) {
                    urls.add(url(server.page(ConnectionMode.HTTP2, "host" + i + ".test")));
                }
                warmUp(HTTP2_THREADS, () -> fetch(one, urls.get(anyOf(hosts))));
                warmUp(HTTP2_THREADS, () -> fetch(two, urls.get(anyOf(hosts))));
                var best = new double[] {Double.MAX_VALUE, Double.MAX_VALUE};
                for (var round = 0; round < rounds; round++) {
                    best[0] = Math.min(best[0], kept(one, urls, "HTTP/1.1", seconds));
                    best[1] = Math.min(best[1], kept(two, urls, "HTTP/2", seconds));
                }
                figures.put("http1CpuMicros" + hosts + "Hosts", best[0]);
                figures.put("http2CpuMicros" + hosts + "Hosts", best[1]);
            }
        }
        return figures;
    }

    private static int anyOf(int hosts) {
        return ThreadLocalRandom.current().nextInt(hosts);
    }

    /** Returns the CPU time of a fetch by threads of which each has a host of its own. */
    private static double kept(
            NettyFetcher fetcher, List<CrawlUrl> urls, String version, int seconds)
            throws Exception {
        var next = new AtomicLong();
        var own = ThreadLocal.withInitial(() -> (int) (next.getAndIncrement() % urls.size()));
        var load = load(HTTP2_THREADS, seconds, () -> fetch(fetcher, urls.get(own.get())));
        printLoad(version + ", " + urls.size() + " hosts", load);
        return load.cpuMicros();
    }

    private static boolean wanted(Options options, String part) {
        var wanted = options.text("part", "all");
        return wanted.equals("all") || wanted.equals(part);
    }

    /** Returns how many of a thousand handshakes were resumed, as reported by the server. */
    private static double resumedShare(NettyFetcher fetcher, PageServer server) throws Exception {
        var url = url(server, ConnectionMode.RESUMED);
        var left = new AtomicLong(1_000);
        var resumed = new AtomicLong();
        all(
                64,
                () -> {
                    while (left.decrementAndGet() >= 0) {
                        if (fetched(fetcher, url).head().field("reused").equals(REUSED)) {
                            resumed.incrementAndGet();
                        }
                    }
                    return null;
                });
        return resumed.get() / 1_000.0;
    }

    private record WrkComparison(Load ours, double wrkPerSecond) {}

    /**
     * Alternates with wrk, so that machine load affects both; returns the round with the best
     * ratio.
     */
    private static WrkComparison keepAlive(
            NettyFetcher fetcher, PageServer server, int connections, int seconds, int rounds)
            throws Exception {
        var kept = url(server, ConnectionMode.KEPT);
        Optional<WrkComparison> best = Optional.empty();
        for (var round = 0; round < rounds; round++) {
            var ours = load(connections, seconds, () -> fetch(fetcher, kept));
            var next = new WrkComparison(ours, wrk(server, connections, seconds));
            printLoad("keep-alive", ours);
            if (best.isEmpty() || ours.cpuMicros() < best.get().ours().cpuMicros()) {
                best = Optional.of(next);
            }
        }
        return best.orElseThrow();
    }

    private static double cpu(
            NettyFetcher fetcher, PageServer server, ConnectionMode connectionMode, int seconds)
            throws Exception {
        var url = url(server, connectionMode);
        warmUp(64, () -> fetch(fetcher, url));
        var load = load(64, seconds, () -> fetch(fetcher, url));
        printLoad(connectionMode.name(), load);
        return load.cpuMicros();
    }

    static void fetch(NettyFetcher fetcher, CrawlUrl url) throws IOException {
        var _ = fetched(fetcher, url);
    }

    private static Exchange fetched(NettyFetcher fetcher, CrawlUrl url) throws IOException {
        var result = fetcher.fetch(url, LOOPBACK);
        if (!(result instanceof FetchResult.Fetched(var exchange)) || exchange.status() != 200) {
            throw new IOException("not fetched: " + result);
        }
        return exchange;
    }

    interface Work {
        void once() throws Exception;
    }

    /** Runs fetches until the JIT compiler is idle, so that compilation is not measured. */
    static void warmUp(int threads, Work work) throws Exception {
        for (var round = 0; round < WARM_UPS_MAX; round++) {
            var all = Cpu.processNanos();
            var compilers = Cpu.compilerNanos();
            var _ = load(threads, WARM_UP_SECONDS, work);
            all = Cpu.processNanos() - all;
            compilers = Cpu.compilerNanos() - compilers;
            if (compilers < COMPILERS_SHARE * all) {
                return;
            }
        }
        System.err.println("bench: the JIT compiler is still active");
    }

    static Load load(int threads, int seconds, Work work) throws Exception {
        var done = new AtomicLong();
        var begun = System.nanoTime();
        var cpu = Cpu.processNanos();
        var until = begun + Duration.ofSeconds(seconds).toNanos();
        Callable<Void> caller =
                () -> {
                    while (System.nanoTime() < until) {
                        work.once();
                        done.incrementAndGet();
                    }
                    return null;
                };
        all(threads, caller);
        var took = (System.nanoTime() - begun) / 1e9;
        var micros = (Cpu.processNanos() - cpu) / 1e3;
        return new Load(done.get(), micros / done.get(), done.get() / took);
    }

    static void all(int threads, Callable<Void> caller) throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var each : callers.invokeAll(Collections.nCopies(threads, caller))) {
                each.get();
            }
        }
    }

    private static double wrk(PageServer server, int connections, int seconds) throws Exception {
        var wrk =
                new ProcessBuilder(
                                "wrk",
                                "-t1",
                                "-c" + connections,
                                "-d" + seconds + "s",
                                server.page(ConnectionMode.KEPT, "127.0.0.1"))
                        .redirectErrorStream(true)
                        .start();
        var said = new String(wrk.getInputStream().readAllBytes());
        var rate = Pattern.compile("Requests/sec:\\s+([0-9.]+)").matcher(said);
        if (wrk.waitFor() != 0 || !rate.find()) {
            throw new IOException("wrk: " + said);
        }
        return Double.parseDouble(rate.group(1));
    }

    private static double apache(PageServer server, int connections, int seconds) throws Exception {
        var pool =
                PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(connections)
                        .setMaxConnPerRoute(connections)
                        .build();
        try (var client =
                HttpClients.custom().setConnectionManager(pool).disableCookieManagement().build()) {
            Work work =
                    () ->
                            client.execute(
                                    new HttpGet(server.page(ConnectionMode.KEPT, "127.0.0.1")),
                                    response ->
                                            EntityUtils.toByteArray(response.getEntity()).length);
            warmUp(connections, work);
            var load = load(connections, seconds, work);
            printLoad("Apache HttpClient", load);
            return load.cpuMicros();
        }
    }

    private static double jdk(PageServer server, int connections, int seconds) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create(server.page(ConnectionMode.KEPT, "127.0.0.1")));
        try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            Work work = () -> client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            warmUp(connections, work);
            var load = load(connections, seconds, work);
            printLoad("JDK HttpClient", load);
            return load.cpuMicros();
        }
    }

    private static void printLoad(String what, Load load) {
        System.err.println(
                "bench: %s: %.1f us of CPU, %.0f per second"
                        .formatted(what, load.cpuMicros(), load.perSecond()));
    }

    static CrawlUrl url(PageServer server, ConnectionMode connectionMode) {
        return url(server.page(connectionMode, "site.test"));
    }

    static CrawlUrl url(String text) {
        return new CrawlUrls(Normalisation.DEFAULT).parse(text).orElseThrow();
    }

    private static InstantSource clock() {
        return InstantSource.system();
    }

    static FetchSettings settings(Path directory, int connections) {
        return settings(directory, connections, false);
    }

    private static FetchSettings settings(Path directory, int connections, boolean http2) {
        var hour = Duration.ofHours(1);
        return new FetchSettings(
                "Orbweaver-bench/1 (+mailto:bench@example.org)",
                new FetchSettings.Timeouts(hour, hour, hour, hour),
                new FetchSettings.ConnectionLimits(connections, connections, hour),
                64 << 10,
                20 << 20,
                true,
                http2,
                new AddressPolicy(true, List.of(), Set.of()),
                Map.of(),
                Optional.empty(),
                RequestOptions.NONE,
                directory);
    }
}
