package dev.orbweaver.bench;

import dev.orbweaver.bench.PageServer.ConnectionMode;
import dev.orbweaver.internal.fetch.NettyFetcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Opens thousands of connections to servers that send one byte per second; measures memory. */
final class SlowBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "slow",
                    "memory of slow connections and the rate of healthy ones beside them"
                            + " [--connections 10000 --seconds 5]",
                    options -> new SlowBenchmark().run(options));

    private static final int HEALTHY = 64;

    private Map<String, Object> run(Options options) throws Exception {
        var connections = options.number("connections", 10_000);
        var seconds = options.number("seconds", 5);
        var directory = Files.createTempDirectory("bench-slow");
        var slow =
                new ProcessBuilder(WebProcess.java("-Xmx256m", SlowServer.class.getName())).start();
        try (var server = PageServer.start();
                BufferedReader said = slow.inputReader();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var port = Integer.parseInt(said.readLine());
            var settings = FetchBenchmark.settings(directory, connections + HEALTHY);
            var fetcher = new NettyFetcher(settings, InstantSource.system());
            var healthy = FetchBenchmark.url(server, ConnectionMode.KEPT);
            FetchBenchmark.warmUp(HEALTHY, () -> FetchBenchmark.fetch(fetcher, healthy));
            var alone =
                    FetchBenchmark.load(
                            HEALTHY, seconds, () -> FetchBenchmark.fetch(fetcher, healthy));
            var heapBefore = heap();
            var residentBefore = Cpu.status("VmRSS");
            var url = FetchBenchmark.url("http://slow.test:" + port + "/");
            for (var i = 0; i < connections; i++) {
                callers.execute(() -> fetcher.fetch(url, InetAddress.getLoopbackAddress()));
            }
            awaitConnections(fetcher, connections);
            TimeUnit.SECONDS.sleep(5); // Each connection has received some bytes.
            var heapAfter = heap();
            var residentAfter = Cpu.status("VmRSS");
            var beside =
                    FetchBenchmark.load(
                            HEALTHY, seconds, () -> FetchBenchmark.fetch(fetcher, healthy));
            var open = fetcher.stats().openConnections();
            fetcher.close();
            var figures = new LinkedHashMap<String, Object>();
            figures.put("connections", connections);
            figures.put("openWhileMeasured", open);
            figures.put("heapBytesEach", (heapAfter - heapBefore) / connections);
            figures.put("residentBytesEach", (residentAfter - residentBefore) / connections);
            figures.put("healthyPerSecondAlone", alone.perSecond());
            figures.put("healthyPerSecondBeside", beside.perSecond());
            figures.put("healthyRatio", beside.perSecond() / alone.perSecond());
            figures.put("healthyCpuMicrosAlone", alone.cpuMicros());
            figures.put("healthyCpuMicrosBeside", beside.cpuMicros());
            figures.put("openAtEnd", fetcher.stats().openConnections());
            return figures;
        } finally {
            slow.destroy();
            CrawlProcess.delete(directory);
        }
    }

    private static void awaitConnections(NettyFetcher fetcher, int connections) throws Exception {
        var until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (fetcher.stats().openConnections() < connections) {
            if (System.nanoTime() > until) {
                throw new IOException(
                        "only " + fetcher.stats().openConnections() + " connections were opened");
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static long heap() throws InterruptedException {
        for (var i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(200);
        }
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
