package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.sinks.ExternalSinkExtension;
import dev.orbweaver.sinks.mongo.MongoTestServer;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What {@code /metrics} tells of sinks, network and disk. */
@Timeout(180)
@Slow
class UsageMetricsTest {

    @TempDir Path data;

    private static CrawlServer serve(Path data, String mongodb) throws Exception {
        var open = ApiClient.settings(data);
        return CrawlServer.start(
                new LocalJobs.LocalJobsSettings(
                        open.data(),
                        open.concurrency(),
                        open.jobsMax(),
                        open.allowPrivate(),
                        new SettingValues(Settings.CORE.with(new ExternalSinkExtension()))
                                .putAll(open.settings())
                                .put("mongodb", mongodb)),
                CrawlServer.HttpSettings.onLoopback(0));
    }

    private static double figure(String scraped, String name) {
        var line = Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$").matcher(scraped);
        assertThat(line.find()).as("%s in %s", name, scraped).isTrue();
        return Double.parseDouble(line.group(1));
    }

    @Test
    void aCrawlWithADatabaseShowsWhatWasMovedAndItStaysWhenTheJobIsOver() throws Exception {
        try (var mongo = MongoTestServer.start();
                var site = ServedSite.documentation(20);
                var crawlServer = serve(data, mongo.uri());
                var apiClient = new ApiClient(crawlServer.port())) {
            var _ = apiClient.awaitEnd(apiClient.submit(site.url("/"), "{}"));
            var first = apiClient.call("GET", "/metrics").body();
            assertThat(figure(first, "orbweaver_sink_flushes_total{sink=\"mongodb\"}"))
                    .isPositive();
            assertThat(figure(first, "orbweaver_sink_failures_total{sink=\"mongodb\"}")).isZero();
            // All lines of this crawl are far fewer than one batch takes.
            assertThat(figure(first, "orbweaver_sink_batch_fill_ratio{sink=\"mongodb\"}"))
                    .isBetween(0.0001, 0.5);
            assertThat(figure(first, "orbweaver_sink_compression_ratio{sink=\"mongodb\"}"))
                    .isBetween(0.1, 1.5);
            assertThat(figure(first, "orbweaver_sink_flushes_total{sink=\"warc\"}")).isPositive();
            assertThat(figure(first, "orbweaver_sink_compression_ratio{sink=\"warc\"}"))
                    .isPositive();
            assertThat(first).doesNotContain("orbweaver_sink_batch_fill_ratio{sink=\"warc\"}");
            var bodies = figure(first, "orbweaver_received_bytes_total");
            assertThat(figure(first, "orbweaver_network_received_bytes_total"))
                    .as("heads come with the bodies")
                    .isGreaterThan(bodies);
            assertThat(figure(first, "orbweaver_network_sent_bytes_total")).isPositive();

            var _ = apiClient.awaitEnd(apiClient.submit(site.url("/guide/1.html"), "{}"));
            var second = apiClient.call("GET", "/metrics").body();
            for (var name :
                    new String[] {
                        "orbweaver_sink_flushes_total{sink=\"mongodb\"}",
                        "orbweaver_sink_flushes_total{sink=\"warc\"}",
                        "orbweaver_network_received_bytes_total",
                        "orbweaver_network_sent_bytes_total",
                        "orbweaver_disk_written_bytes_total{part=\"warc\"}",
                        "orbweaver_disk_written_bytes_total{part=\"page-log\"}",
                        "orbweaver_disk_written_bytes_total{part=\"frontier\"}"
                    }) {
                assertThat(figure(second, name)).as(name).isGreaterThan(figure(first, name));
            }
        }
    }

    @Test
    void aDatabaseThatIsGoneShowsAsFailures() throws Exception {
        int nobody;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        var gone = "mongodb://127.0.0.1:%d/x?serverSelectionTimeoutMS=50".formatted(nobody);
        try (var site = ServedSite.documentation(3);
                var crawlServer = serve(data, gone);
                var apiClient = new ApiClient(crawlServer.port())) {
            var _ = apiClient.awaitEnd(apiClient.submit(site.url("/"), "{}"));
            var scraped = apiClient.call("GET", "/metrics").body();
            assertThat(figure(scraped, "orbweaver_sink_failures_total{sink=\"mongodb\"}"))
                    .isPositive();
            assertThat(figure(scraped, "orbweaver_sink_flushes_total{sink=\"mongodb\"}")).isZero();
        }
    }
}
