package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** The progress that a crawl writes: where time goes, and how its concurrency is limited. */
@Slow
class ProgressSnapshotTest {

    @TempDir Path directory;

    @Test
    @Timeout(60)
    void aRunningCrawlSaysWhatItWaitsForAndSoDoesItsSummary() throws Exception {
        try (var site = new SmallSite();
                var crawl =
                        CrawlOpener.open(
                                CrawlConfig.of(site.url()).withSetting("delay", "1h"), directory)) {
            Callable<CrawlEnd> running = crawl::run;
            var run = new FutureTask<>(running);
            Thread.ofVirtual().start(run);
            Eventually.until(
                    "the status says that politeness is waited for",
                    () ->
                            Files.exists(directory.resolve("progress.json"))
                                    && status().contains("time      politeness "));
            assertThat(status()).containsPattern("; \\d+ % of the rate that politeness allows");
            crawl.stop(Duration.ZERO);
            var crawlReport = crawl.summary(run.get());
            assertThat(crawlReport.secondsByPhase()).containsKey("politeness");
            assertThat(crawlReport.politenessShare()).isBetween(.1, 1.0);
        }
        assertThat(directory.resolve("progress.json")).doesNotExist();
        assertThat(status()).contains("time      politeness ");
    }

    private String status() {
        return CommandResult.run("status", directory.toString()).out();
    }

    @Test
    void withLittleFreeDiskSpaceConcurrencyIsReducedAndReported() throws Exception {
        var free = directory.toFile().getUsableSpace();
        try (var site = new SmallSite();
                var crawl =
                        CrawlOpener.open(
                                CrawlConfig.of(site.url())
                                        .withSetting("delay", "0")
                                        .withSetting("min-free-disk", Long.toString(free / 4 * 3)),
                                directory)) {
            var crawlReport = crawl.summary(crawl.run());
            assertThat(crawlReport.pages()).isEqualTo(3);
            assertThat(crawlReport.concurrencyReductions()).isEqualTo(1);
            assertThat(crawl.status().governor().allowed()).isLessThan(512);
            assertThat(crawl.status().governor().reason())
                    .get()
                    .asString()
                    .contains("MB of disk space are free");
        }
        var written = JsonMapper.shared().readTree(directory.resolve("summary.json"));
        assertThat(written.path("concurrencyReductions").asInt(0)).isEqualTo(1);
    }
}
