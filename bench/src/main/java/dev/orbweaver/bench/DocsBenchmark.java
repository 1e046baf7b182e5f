package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Measures {@code orbweaver docs} on a small manual on loopback without delay, from the start of
 * the JVM to the written files. CPU seconds include child processes.
 */
final class DocsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "docs",
                    "seconds of 'docs' on a small site on loopback [--pages 50 --times 5]",
                    options -> new DocsBenchmark().run(options));

    private static final int SECTIONS = 6;

    private Map<String, Object> run(Options options) throws Exception {
        var pages = options.number("pages", 50);
        var directory = Files.createTempDirectory("orbweaver-bench");
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var server = HttpServer.create(address, 128);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/guide/", exchange -> respond(exchange, pages));
        server.start();
        try {
            var wall = new ArrayList<Double>();
            var cpu = new ArrayList<Double>();
            for (var i = 0; i < options.number("times", 5); i++) {
                var out = directory.resolve("out" + i);
                var begun = System.nanoTime();
                cpu.add(docs(server.getAddress().getPort(), out));
                wall.add((System.nanoTime() - begun) / 1e9);
                if (Files.size(out.resolve("docs.md")) == 0) {
                    throw new IOException("no output was written");
                }
            }
            Collections.sort(wall);
            Collections.sort(cpu);
            var figures = new LinkedHashMap<String, Object>();
            figures.put("pages", pages);
            figures.put("medianSeconds", wall.get(wall.size() / 2));
            figures.put("bestSeconds", wall.getFirst());
            figures.put("medianCpuSeconds", cpu.get(cpu.size() / 2));
            return figures;
        } finally {
            server.stop(0);
            CrawlProcess.delete(directory);
        }
    }

    private static double docs(int port, Path out) throws IOException, InterruptedException {
        var launcher = Path.of(System.getProperty("orbweaver.root"), "orbweaver");
        var line =
                "'%s' docs http://127.0.0.1:%d/guide/ --delay 0 --quiet --contact bench@example.org --out '%s' && times"
                        .formatted(launcher, port, out);
        var process = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(said);
        }
        return WarcBenchmark.childSeconds(said);
    }

    private static void respond(HttpExchange exchange, int pages) throws IOException {
        try (exchange) {
            var name = exchange.getRequestURI().getPath().replaceFirst("^/guide/", "");
            var number = name.isEmpty() ? "0" : name.replaceFirst("^page(\\d+)\\.html$", "$1");
            var there = number.matches("\\d{1,6}") && Integer.parseInt(number) < pages;
            var body = there ? page(Integer.parseInt(number), pages) : new byte[0];
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(there ? 200 : 404, there ? body.length : -1);
            if (there) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static byte[] page(int number, int pages) {
        var text = new StringBuilder("<!doctype html><html lang=en><title>Page " + number);
        text.append("</title><body><nav><ul>");
        for (var i = 1; i < pages; i++) {
            text.append("<li><a href=\"page%d.html\">Page %d</a>".formatted(i, i));
        }
        text.append("</ul></nav><main><h1>Page ").append(number).append("</h1>");
        for (var section = 0; section < SECTIONS; section++) {
            var word = Integer.toString(number * 31 + section * 7, 36);
            text.append("<h2>Section ").append(section).append("</h2><p>");
            text.append((word + " is explained here and used with the others. ").repeat(12));
            text.append("</p><pre><code>run --").append(word).append("\n  next</code></pre>");
            text.append("<table><tr><th>a<th>b<tr><td>1<td>").append(word).append("</table>");
        }
        return text.append("</main></html>").toString().getBytes(UTF_8);
    }
}
