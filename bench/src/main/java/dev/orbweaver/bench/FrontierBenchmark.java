package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the frontier on disk alone: the cost of accepting a URL, and of a lease. */
final class FrontierBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "frontier",
                    "CPU and bytes per URL offered, lease latency, opening after a kill, versus"
                        + " RocksDB [--urls 10000000] [--hosts urls/100] [--heap 512m] [--rocksdb"
                        + " 20000000]",
                    options -> new FrontierBenchmark().run(options));

    private static final int ROCKSDB_URLS_MAX = 20_000_000;

    private Map<String, Object> run(Options options) throws Exception {
        var urls = options.number("urls", 10_000_000);
        var hosts = options.number("hosts", Math.max(1000, urls / 100));
        var heap = options.text("heap", "512m");
        var rocksdb = options.number("rocksdb", Math.min(urls, ROCKSDB_URLS_MAX));
        var directory = Files.createTempDirectory(Path.of("/var/tmp"), "frontier-bench");
        var figures = new LinkedHashMap<String, Object>();
        figures.put("urls", urls);
        figures.put("heap", heap);
        try {
            figures.putAll(process("fill", directory.resolve("frontier"), urls, hosts, heap));
            figures.putAll(process("serve", directory.resolve("frontier"), urls, hosts, heap));
            if (rocksdb > 0) {
                figures.put("rocksdbUrls", rocksdb);
                figures.putAll(
                        process("rocksdb", directory.resolve("rocks"), rocksdb, hosts, heap));
            }
        } finally {
            delete(directory);
        }
        return figures;
    }

    private static Map<String, Object> process(
            String phase, Path directory, int urls, int hosts, String heap) throws Exception {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx" + heap,
                        // Few short-lived objects are allocated, so most of the heap is for the old
                        // generation.
                        "-Xmn96m",
                        "-XX:+UseParallelGC",
                        "-XX:+UseCompactObjectHeaders",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FrontierLoad.class.getName(),
                        phase,
                        directory.toString(),
                        Integer.toString(urls),
                        Integer.toString(hosts)));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var figures = new LinkedHashMap<String, Object>();
        try (var lines = process.inputReader()) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                var words = line.split(" ", 2);
                figures.put(words[0], number(words[1]));
            }
        }
        var exit = process.waitFor();
        if (exit != 0) {
            throw new IllegalStateException(phase + " ended with exit code " + exit);
        }
        return figures;
    }

    private static Object number(String text) {
        return text.contains(".") ? (Object) Double.valueOf(text) : (Object) Long.valueOf(text);
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
