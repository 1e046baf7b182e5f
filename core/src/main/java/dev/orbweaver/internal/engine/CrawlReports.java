package dev.orbweaver.internal.engine;

import com.sun.management.OperatingSystemMXBean;

import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.ResponseCounts;
import dev.orbweaver.internal.crawl.TimeProfile;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.spi.Fetcher;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Builds the report of a crawl from its status and the measurements of its process. */
public final class CrawlReports {

    private static final double NANOS = 1e9;
    private static final double SHORTEST = 0.001;

    private CrawlReports() {}

    /** Returns the report of the last run; empty while the crawl runs and after a crash. */
    public static Optional<CrawlReport> read(Path crawl) throws IOException {
        var file = crawl.resolve(DirectoryLayout.REPORT);
        return Files.exists(file)
                ? Optional.of(
                        JsonMapper.shared()
                                .readValue(
                                        AtomicFile.read(new RealDisk(), file), CrawlReport.class))
                : Optional.empty();
    }

    static CrawlReport of(
            CrawlStatus status,
            Fetcher.Stats network,
            ResponseCounts answers,
            CrawlEnd end,
            Instant started,
            long pagesBefore) {
        var ledger = status.frontier().ledger();
        var runPages = ledger.pages() - pagesBefore;
        var seconds = status.elapsed().toNanos() / NANOS;
        var cpuSeconds = processCpuSeconds();
        return new CrawlReport(
                end.reason().id(),
                end.detail(),
                ledger.pages(),
                runPages,
                ledger.dead(),
                ledger.refused() + ledger.withdrawn(),
                ledger.dead(),
                ledger.queued() + ledger.leased(),
                ledger.accepted(),
                ledger.bytes(),
                network.requests(),
                network.connectionsOpened(),
                started.toString(),
                round(seconds),
                round(cpuSeconds),
                round(runPages / Math.max(seconds, SHORTEST)),
                round(runPages / Math.max(cpuSeconds, SHORTEST)),
                processPeakRssBytes(),
                byId(status.frontier().deadByCause(), FailureCause::id),
                byId(status.frontier().refusedByReason(), Refusal::id),
                answers.byStatus(),
                answers.byCause(),
                phaseSeconds(status.timeProfile()),
                round(status.timeProfile().politenessShare()),
                status.governor().reductions(),
                ledger);
    }

    /** Counts under the ids of what they count, in the order of the ids. */
    public static <K> Map<String, Long> byId(Map<K, Long> counts, Function<K, String> id) {
        var byId = new TreeMap<String, Long>();
        counts.forEach((key, count) -> byId.put(id.apply(key), count));
        return byId;
    }

    /** What took time, in the order of a request's life. */
    public static Map<String, Double> phaseSeconds(TimeProfile.TimeBreakdown timeBreakdown) {
        var seconds = new LinkedHashMap<String, Double>();
        timeBreakdown
                .times()
                .forEach(
                        (phase, time) -> {
                            if (time.toMillis() > 0) {
                                seconds.put(phase.id(), round(time.toMillis() / 1e3));
                            }
                        });
        return seconds;
    }

    static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static double processCpuSeconds() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? os.getProcessCpuTime() / NANOS
                : 0;
    }

    /** The most memory the process ever had, as Linux counts it; 0 where there is no such count. */
    private static long processPeakRssBytes() {
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
