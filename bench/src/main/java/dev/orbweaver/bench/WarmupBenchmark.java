package dev.orbweaver.bench;

import dev.orbweaver.bench.ProcessUsage.Sample;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures how the cost of a page falls while the JVM compiles: CPU per page in windows of a crawl
 * of real pages, and how much of it is the compiler's.
 */
final class WarmupBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "warmup",
                    "CPU per page by time since the start, and the compiler's share, on the pages"
                        + " of bench/corpus [--corpus bench/corpus-pages --windows 8 --warc none]",
                    options -> new WarmupBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var site = CorpusSite.start(PeersBenchmark.corpus(options))) {
            site.beginRun();
            var command = PeersBenchmark.orbweaver(options.text("warc", "none"), site.seeds());
            var usage = ProcessUsage.run(command, directory);
            var times = site.fetchTimes();
            if (usage.exit() != 0 || times.isEmpty()) {
                throw new IOException(
                        "the crawl failed: " + Files.readString(directory.resolve("output.txt")));
            }
            return figures(usage, times, options.number("windows", 8));
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    /**
     * Divides the documents into windows of equal number, because the CPU is shared with others.
     */
    private static Map<String, Object> figures(
            ProcessUsage.Usage usage, List<Double> times, int windows) {
        var last = usage.samples().getLast();
        var figures = new LinkedHashMap<String, Object>();
        figures.put("documents", times.size());
        figures.put("seconds", usage.seconds());
        figures.put("cpuMillisPerDocument", 1000 * usage.cpuSeconds() / times.size());
        figures.put("compilerCpuSeconds", last.compilerSeconds());
        figures.put("compilerShare", last.compilerSeconds() / last.cpuSeconds());
        figures.put("committerShare", last.committerSeconds() / last.cpuSeconds());
        var begin = usage.samples().getFirst();
        var from = 0;
        for (var window = 1; window <= windows; window++) {
            var to = (int) ((long) times.size() * window / windows);
            var end = window == windows ? last : at(usage.samples(), times.get(to - 1));
            var documents = to - from;
            var cpu = end.cpuSeconds() - begin.cpuSeconds();
            var compiler = end.compilerSeconds() - begin.compilerSeconds();
            figures.put(
                    "window" + window + ".endSeconds",
                    end.time() - usage.samples().getFirst().time());
            figures.put("window" + window + ".cpuMillisPerDocument", 1000 * cpu / documents);
            figures.put(
                    "window" + window + ".withoutCompiler", 1000 * (cpu - compiler) / documents);
            begin = end;
            from = to;
        }
        return figures;
    }

    private static Sample at(List<Sample> samples, double time) {
        return samples.stream()
                .filter(sample -> sample.time() >= time)
                .findFirst()
                .orElse(samples.getLast());
    }
}
