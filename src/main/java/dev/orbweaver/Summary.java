package dev.orbweaver;

import com.sun.management.OperatingSystemMXBean;

import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.fetch.Fetcher;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of a crawl, as {@code summary.json} holds it. Counts are of the whole crawl; times,
 * rates and memory are of the process that wrote it.
 */
public record Summary(Map<String, Object> figures) {

    /** Its name in a crawl's folder. */
    public static final String FILE = "summary.json";

    private static final double NANOS = 1e9;

    /** Keeps the figures unchangeable. */
    public Summary {
        figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    }

    static Summary of(CrawlStatus status, Fetcher.Stats network, CrawlEnd end, Instant started) {
        var ledger = status.frontier().ledger();
        var seconds = status.elapsed().toNanos() / NANOS;
        var cpuSeconds = cpuSeconds();
        var figures = new LinkedHashMap<String, Object>();
        figures.put("reason", end.reason().word());
        figures.put("detail", end.detail());
        figures.put("pages", ledger.pages());
        figures.put("failed", ledger.dead());
        figures.put("refused", ledger.refused() + ledger.withdrawn());
        figures.put("deadLetters", ledger.dead());
        figures.put("queued", ledger.queued() + ledger.leased());
        figures.put("urlsSeen", ledger.accepted());
        figures.put("bytes", ledger.bytes());
        figures.put("requests", network.requests());
        figures.put("connections", network.connectionsMade());
        figures.put("started", started.toString());
        figures.put("seconds", rounded(seconds));
        figures.put("cpuSeconds", rounded(cpuSeconds));
        figures.put("pagesPerSecond", rounded(ledger.pages() / Math.max(seconds, 0.001)));
        figures.put("pagesPerCpuSecond", rounded(ledger.pages() / Math.max(cpuSeconds, 0.001)));
        figures.put("peakRssBytes", peakRssBytes());
        figures.put("failedByCause", words(status.frontier().deadByCause()));
        figures.put("refusedByReason", words(status.frontier().refusedByReason()));
        figures.put("ledger", ledger);
        return new Summary(figures);
    }

    /** A whole number among the figures. */
    public long number(String name) {
        return figures.get(name) instanceof Long number ? number : 0;
    }

    /** A decimal number among the figures. */
    public double decimal(String name) {
        return figures.get(name) instanceof Double number ? number : 0;
    }

    /** As JSON, for people too. */
    public String json() {
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(figures)
                + "\n";
    }

    private static Map<String, Long> words(Map<? extends Enum<?>, Long> counts) {
        var words = new TreeMap<String, Long>();
        counts.forEach(
                (constant, count) ->
                        words.put(
                                constant.name().toLowerCase(Locale.ROOT).replace('_', '-'), count));
        return words;
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static double cpuSeconds() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? os.getProcessCpuTime() / NANOS
                : 0;
    }

    /** The most memory the process ever had, as Linux counts it; 0 where there is no such count. */
    private static long peakRssBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
