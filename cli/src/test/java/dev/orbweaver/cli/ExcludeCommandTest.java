package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

@Slow
class ExcludeCommandTest {

    @TempDir Path directory;

    private CommandResult exclude(String... hosts) {
        var line = new ArrayList<>(List.of("exclude", directory.toString()));
        line.addAll(List.of(hosts));
        return CommandResult.run(line.toArray(String[]::new));
    }

    private static CrawlConfig slow(SmallSite site) throws Exception {
        return CrawlConfig.of(site.url()).withSetting("delay", "1h");
    }

    @Test
    @Timeout(60)
    void aCrawlThatRunsWithdrawsWhatWaitsOnAnExcludedHostAndEnds() throws Exception {
        try (var site = new SmallSite();
                var crawl = CrawlOpener.open(slow(site), directory)) {
            Callable<CrawlEnd> running = crawl::run;
            var run = new FutureTask<>(running);
            Thread.ofVirtual().start(run);
            // robots.txt is fetched at once; the first page would be an hour later.
            Eventually.until("a host waits", () -> crawl.status().frontier().hosts().waiting() > 0);
            assertThat(exclude("127.0.0.1"))
                    .isEqualTo(
                            new CommandResult(
                                    0,
                                    "127.0.0.1 excluded; the running crawl applies this within"
                                            + " seconds\n",
                                    ""));
            assertThat(run.get().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            assertThat(crawl.status().frontier().refusedByReason())
                    .containsEntry(Refusal.EXCLUDED, 1L);
        }
        assertThat(exclude("--undo", "127.0.0.1"))
                .isEqualTo(
                        new CommandResult(
                                0,
                                "127.0.0.1 no longer excluded; effective with the next orbweaver"
                                        + " resume "
                                        + directory
                                        + "\n",
                                ""));
        try (var again =
                CrawlOpener.open(StoredCrawl.open(directory, Settings.CORE).config(), directory)) {
            assertThat(again.status().frontier().ledger().queued()).isEqualTo(1);
            assertThat(again.status().frontier().refusedByReason()).isEmpty();
        }
    }

    @Test
    void aListGivenAtTheBeginningHoldsFromTheBeginning() throws Exception {
        var list = Files.writeString(directory.resolve("mine.txt"), "127.0.0.1\n");
        try (var site = new SmallSite();
                var crawl =
                        CrawlOpener.open(
                                slow(site).withSetting("exclude-hosts", list.toString()),
                                directory.resolve("crawl"))) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            assertThat(crawl.status().frontier().ledger().withdrawn()).isEqualTo(1);
        }
    }

    @Test
    void aListMissingAtTheNextOpeningExcludesNoHost() throws Exception {
        try (var site = new SmallSite();
                var crawl = CrawlOpener.open(slow(site), directory)) {
            assertThat(exclude("127.0.0.1").code()).isZero();
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        }
        Files.delete(directory.resolve("excluded-hosts.txt"));
        try (var again =
                CrawlOpener.open(StoredCrawl.open(directory, Settings.CORE).config(), directory)) {
            assertThat(again.status().frontier().ledger().queued()).isEqualTo(1);
        }
    }

    @Test
    void theListIsShownAndUnlistedHostsAreReported() throws Exception {
        try (var site = new SmallSite();
                var crawl = CrawlOpener.open(slow(site), directory)) {
            assertThat(exclude("b.example", "*.a.example").out()).startsWith("2 hosts excluded; ");
            assertThat(crawl.directory()).isEqualTo(directory);
        }
        assertThat(exclude()).isEqualTo(new CommandResult(0, "b.example\n*.a.example\n", ""));
        assertThat(exclude("--undo", "a.example").err())
                .isEqualTo("warning: not in the list: a.example\n");
        assertThat(exclude("--undo").err()).contains("--undo needs a HOST");
        assertThat(exclude("http://a/").err())
                .contains("'http://a/' is not a host pattern; expected NAME, *.NAME or .NAME");
    }
}
