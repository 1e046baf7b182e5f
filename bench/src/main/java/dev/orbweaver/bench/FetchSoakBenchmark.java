package dev.orbweaver.bench;

import dev.orbweaver.bench.PageServer.ConnectionMode;
import dev.orbweaver.internal.fetch.NettyFetcher;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs millions of fetches through one fetcher, with reused and new connections, plain and TLS.
 * Reports heap after collection, direct memory, descriptors and threads after a tenth, half and all
 * of them.
 */
final class FetchSoakBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "fetchsoak",
                    "resource leaks of a fetcher over many fetches [--fetches 5000000]",
                    options -> new FetchSoakBenchmark().run(options));

    private static final int CALLERS = 64;
    private static final int TENTHS = 10;

    private Map<String, Object> run(Options options) throws Exception {
        var fetches = options.number("fetches", 5_000_000);
        var directory = Files.createTempDirectory("bench-soak");
        var figures = new LinkedHashMap<String, Object>();
        try (var server = PageServer.start();
                var fetcher =
                        new NettyFetcher(
                                FetchBenchmark.settings(directory, CALLERS * 4),
                                InstantSource.system())) {
            figures.put("fetches", fetches);
            for (var tenth = 1; tenth <= TENTHS; tenth++) {
                fetchMany(fetcher, server, fetches / TENTHS);
                System.err.println("bench: " + tenth * 10 + "%");
                switch (tenth) {
                    case 1 -> measure(fetcher, "AfterATenth", figures);
                    case TENTHS / 2 -> measure(fetcher, "HalfWay", figures);
                    case TENTHS -> measure(fetcher, "AtEnd", figures);
                    default -> {}
                }
            }
        } finally {
            CrawlProcess.delete(directory);
        }
        return figures;
    }

    /** 1 of 20 with TLS, 4 of 20 over a new connection, the rest over reused ones. */
    private static void fetchMany(NettyFetcher fetcher, PageServer server, int count)
            throws Exception {
        var kept = FetchBenchmark.url(server, ConnectionMode.KEPT);
        var once = FetchBenchmark.url(server, ConnectionMode.ONCE);
        var full = FetchBenchmark.url(server, ConnectionMode.RESUMED);
        var left = new AtomicLong(count);
        FetchBenchmark.all(
                CALLERS,
                () -> {
                    for (var n = left.decrementAndGet(); n >= 0; n = left.decrementAndGet()) {
                        var url = n % 20 == 0 ? full : n % 5 == 0 ? once : kept;
                        FetchBenchmark.fetch(fetcher, url);
                    }
                    return null;
                });
    }

    private static void measure(NettyFetcher fetcher, String when, Map<String, Object> figures)
            throws Exception {
        for (var i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(300);
        }
        var runtime = Runtime.getRuntime();
        figures.put("heapKb" + when, (runtime.totalMemory() - runtime.freeMemory()) >> 10);
        var direct =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        figures.put("directKb" + when, direct >> 10);
        figures.put("residentKb" + when, Cpu.status("VmRSS") >> 10);
        figures.put("threads" + when, ManagementFactory.getThreadMXBean().getThreadCount());
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            figures.put("descriptors" + when, open.count());
        }
        figures.put("openConnections" + when, fetcher.stats().openConnections());
        System.err.println("bench: " + figures);
    }
}
