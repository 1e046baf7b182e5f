package dev.orbweaver.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.model.Timings;
import dev.orbweaver.model.TransferStats;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

class MetricsTest {

    private static final TransferStats USAGE =
            new TransferStats(
                    1_000,
                    2_000,
                    Map.of("journal", 300L),
                    Map.of("warc", new SinkCounts(4, 30, 40, 500, 100, 2)));

    private static Metrics.MetricsSnapshot figures(long pages, Map<String, Integer> jobs) {
        return new Metrics.MetricsSnapshot(
                new Ledger(101, 20, 11, 70, 40, 6, 15, 7, 2, pages, 9_000),
                new FrontierStats(
                        new Ledger(101, 20, 11, 70, 40, 6, 15, 7, 2, pages, 9_000),
                        new FrontierStats.Hosts(1, 2, 3, 4, 5),
                        Map.of(FailureCause.DNS, 7L),
                        Map.of(Refusal.DEPTH, 11L)),
                jobs,
                12,
                13,
                14,
                Map.of("politeness", 1.5),
                15,
                List.of(
                        new SinkStatus("s3", 10, 25, "bytes", ""),
                        new SinkStatus("mongodb", 5, 5, "captures", "refused")),
                USAGE);
    }

    private static List<String> scrape(Metrics metrics) {
        return metrics.scrape().lines().filter(line -> !line.startsWith("#")).toList();
    }

    @Test
    void everyFigureHasItsOwnLine() {
        try (var metrics = new Metrics(() -> figures(16, Map.of("running", 3)))) {
            assertThat(scrape(metrics))
                    .contains(
                            "orbweaver_pages_total 16.0",
                            "orbweaver_received_bytes_total 9000.0",
                            "orbweaver_urls_offered_total 101.0",
                            "orbweaver_urls_duplicate_total 20.0",
                            "orbweaver_urls_accepted_total 70.0",
                            "orbweaver_urls_queued 40.0",
                            "orbweaver_urls_leased 6.0",
                            "orbweaver_urls_done_total 15.0",
                            "orbweaver_urls_withdrawn_total 2.0",
                            "orbweaver_urls_dead{cause=\"dns\"} 7.0",
                            "orbweaver_urls_refused{reason=\"depth\"} 11.0")
                    .contains(
                            "orbweaver_hosts{state=\"idle\"} 1.0",
                            "orbweaver_hosts{state=\"waiting\"} 2.0",
                            "orbweaver_hosts{state=\"ready\"} 3.0",
                            "orbweaver_hosts{state=\"busy\"} 4.0",
                            "orbweaver_hosts{state=\"resting\"} 5.0")
                    .contains(
                            "orbweaver_connections_open 12.0",
                            "orbweaver_requests_active 13.0",
                            "orbweaver_requests_limit 14.0",
                            "orbweaver_events_subscribers 15.0",
                            "orbweaver_jobs{state=\"running\"} 3.0",
                            "orbweaver_waiting_seconds{phase=\"politeness\"} 1.5");
        }
    }

    @Test
    void aSinkHasLagAndWriteMetrics() {
        try (var metrics = new Metrics(() -> figures(16, Map.of()))) {
            assertThat(scrape(metrics))
                    .contains(
                            "orbweaver_sink_lag{sink=\"s3\"} 15.0",
                            "orbweaver_sink_lag{sink=\"mongodb\"} 0.0",
                            "orbweaver_sink_failing{sink=\"s3\"} 0.0",
                            "orbweaver_sink_failing{sink=\"mongodb\"} 1.0",
                            "orbweaver_sink_batch_fill_ratio{sink=\"warc\"} 0.75",
                            "orbweaver_sink_compression_ratio{sink=\"warc\"} 0.2",
                            "orbweaver_sink_flushes_total{sink=\"warc\"} 4.0",
                            "orbweaver_sink_failures_total{sink=\"warc\"} 2.0",
                            "orbweaver_disk_written_bytes_total{part=\"journal\"} 300.0",
                            "orbweaver_network_sent_bytes_total 1000.0",
                            "orbweaver_network_received_bytes_total 2000.0");
        }
    }

    @Test
    void theSourceIsReadOncePerScrapeAndOldSeriesAreRemoved() {
        var reads = new AtomicInteger();
        var now = new AtomicReference<>(figures(16, Map.of("running", 3)));
        try (var metrics =
                new Metrics(
                        () -> {
                            reads.incrementAndGet();
                            return now.get();
                        })) {
            var _ = scrape(metrics);
            var before = reads.get();
            now.set(figures(17, Map.of("running", 5)));
            assertThat(scrape(metrics))
                    .contains(
                            "orbweaver_pages_total 17.0", "orbweaver_jobs{state=\"running\"} 5.0");
            now.set(figures(17, Map.of("paused", 1)));
            assertThat(scrape(metrics))
                    .contains("orbweaver_jobs{state=\"paused\"} 1.0")
                    .noneMatch(line -> line.contains("state=\"running\""));
            assertThat(reads).hasValue(before + 2);
        }
    }

    @Test
    void aRequestCountsInThePhasesItHad() {
        try (var metrics = new Metrics(() -> figures(0, Map.of()))) {
            metrics.requestTimes()
                    .add(
                            new Timings(
                                    Instant.EPOCH,
                                    Duration.ofMillis(3),
                                    Duration.ofMillis(20),
                                    Duration.ZERO,
                                    Duration.ofMillis(40),
                                    Duration.ofMillis(100)));
            assertThat(scrape(metrics))
                    .contains(
                            duration("count", "dns") + "1",
                            duration("sum", "dns") + "0.003",
                            duration("count", "connect") + "1",
                            duration("count", "tls") + "0",
                            duration("sum", "server") + "0.04",
                            duration("sum", "body") + "0.04",
                            duration("sum", "total") + "0.1");
        }
    }

    private static String duration(String what, String phase) {
        return "orbweaver_request_duration_seconds_%s{phase=\"%s\"} ".formatted(what, phase);
    }
}
