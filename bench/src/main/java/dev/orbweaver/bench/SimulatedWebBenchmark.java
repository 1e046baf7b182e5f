package dev.orbweaver.bench;

import dev.orbweaver.testkit.PageSizes;
import dev.orbweaver.testkit.TestkitControl;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Measures whether the simulated web is fast enough not to limit a crawl: cached light pages,
 * requested over persistent connections as fast as the clients can. The result is pages per second
 * of the server's CPU time, which depends little on machine load; the server is a separate process.
 */
final class SimulatedWebBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "lab",
                    "the simulated web's own server [--pages 2000 --connections 32 --seconds 10"
                            + " --seed 1]",
                    options -> new SimulatedWebBenchmark().run(options));

    private static final int HOSTS = 50;
    private static final int WARM_UP_SECONDS = 5;

    private Map<String, Object> run(Options options) throws Exception {
        var spec =
                WebSpec.light(options.number("seed", 1), HOSTS, options.number("pages", 2_000))
                        .plain()
                        .withPageSizes(PageSizes.LIGHT);
        var connections = options.number("connections", 32);
        try (var lab = TestkitControl.start(spec, "--cache-mb", "1024")) {
            lab.prebuild();
            System.err.println("bench: the server is warming up");
            var _ = load(lab, connections, WARM_UP_SECONDS);
            lab.clear();
            var cpu = lab.cpuTime();
            var begun = System.nanoTime();
            var bytes = load(lab, connections, options.number("seconds", 10));
            var seconds = (System.nanoTime() - begun) / 1e9;
            var cpuSeconds = lab.cpuTime().minus(cpu).toNanos() / 1e9;
            var pages = lab.requests();
            var figures = new LinkedHashMap<String, Object>();
            figures.put("pagesPerServerCpuSecond", pages / cpuSeconds);
            figures.put("pagesPerSecond", pages / seconds);
            figures.put("meanBytes", bytes / pages);
            figures.put("pages", pages);
            figures.put("serverCpuSeconds", cpuSeconds);
            figures.put("connections", connections);
            return figures;
        }
    }

    private static long load(TestkitControl lab, int connections, int seconds) throws Exception {
        var requests = requests(lab);
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try (var clients = Executors.newFixedThreadPool(connections)) {
            var tasks = new ArrayList<Callable<Long>>();
            for (var i = 0; i < connections; i++) {
                var from = i * requests.size() / connections;
                tasks.add(() -> ask(lab, requests, from, until));
            }
            var bytes = 0L;
            for (var done : clients.invokeAll(tasks)) {
                bytes += done.get();
            }
            return bytes;
        }
    }

    private static List<byte[]> requests(TestkitControl lab) {
        var requests = new ArrayList<byte[]>();
        for (var page = 0; page < lab.web().pageCount(); page++) {
            var url = URI.create(lab.web().url(page, lab.port()));
            var query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
            var head =
                    "GET "
                            + url.getRawPath()
                            + query
                            + " HTTP/1.1\r\nHost: "
                            + url.getAuthority()
                            + "\r\nAccept-Encoding: gzip\r\n\r\n";
            requests.add(head.getBytes(StandardCharsets.US_ASCII));
        }
        return requests;
    }

    private static long ask(TestkitControl lab, List<byte[]> requests, int from, long until)
            throws IOException {
        var address = lab.web().resolve(URI.create(lab.hubUrl()).getHost()).orElseThrow();
        var bytes = 0L;
        try (var socket = new Socket(address, lab.port())) {
            var responses = new ResponseReader(socket.getInputStream());
            for (var next = from; System.nanoTime() < until; next = (next + 1) % requests.size()) {
                socket.getOutputStream().write(requests.get(next));
                bytes += responses.skipOne();
            }
        }
        return bytes;
    }

    /**
     * Reads and discards responses with a Content-Length, which all responses of a plain web have.
     */
    private static final class ResponseReader {

        private static final byte[] LENGTH = "Content-Length: ".getBytes(StandardCharsets.US_ASCII);

        private final InputStream in;
        private final byte[] buffer = new byte[65_536];

        ResponseReader(InputStream in) {
            this.in = in;
        }

        long skipOne() throws IOException {
            var have = 0;
            var headEnd = -1;
            while (headEnd < 0) {
                have += read(have, buffer.length - have);
                headEnd = end(have);
            }
            var total = headEnd + length(headEnd);
            for (long left = total - have; left > 0; ) {
                left -= read(0, (int) Math.min(left, buffer.length));
            }
            return total;
        }

        private int read(int at, int max) throws IOException {
            var count = in.read(buffer, at, max);
            if (count <= 0) {
                throw new IOException("the server closed a connection");
            }
            return count;
        }

        private int end(int have) {
            for (var i = 3; i < have; i++) {
                if (buffer[i] == '\n' && buffer[i - 2] == '\n' && buffer[i - 1] == '\r') {
                    return i + 1;
                }
            }
            return -1;
        }

        private long length(int headEnd) throws IOException {
            if (buffer[9] != '2') {
                throw new IOException("not a page");
            }
            for (var i = 0; i + LENGTH.length < headEnd; i++) {
                var same = 0;
                while (same < LENGTH.length && buffer[i + same] == LENGTH[same]) {
                    same++;
                }
                if (same == LENGTH.length) {
                    var length = 0L;
                    for (var at = i + same; buffer[at] >= '0' && buffer[at] <= '9'; at++) {
                        length = length * 10 + buffer[at] - '0';
                    }
                    return length;
                }
            }
            throw new IOException("a response without Content-Length");
        }
    }
}
