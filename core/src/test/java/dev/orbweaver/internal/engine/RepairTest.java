package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.FaultyDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.jobs.JobCrawls;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A crawl whose frontier is damaged is repaired and resumed: every page is there, and once. */
@Slow
class RepairTest {

    private static final WebSpec SPEC =
            WebSpec.light(47, 5, 120).without(Quirk.values()).withMeanPageBytes(1_000);

    @TempDir Path directory;

    /** What is done to the frontier's files, of a crawl that was killed or that has ended. */
    enum Damage {
        JOURNAL(true, "journal-0 is damaged at byte"),
        SNAPSHOT(false, "snapshot-1 is damaged at byte"),
        SEGMENT(false, "segment-1 is damaged"),
        SNAPSHOT_GONE(false, "journal-1 continues a snapshot that is missing"),
        ALL_GONE(true, "but no frontier; choose another directory");

        private final boolean killed;
        private final String expectedProblem;

        Damage(boolean killed, String sentence) {
            this.killed = killed;
            this.expectedProblem = sentence;
        }

        private void apply(Path frontier) throws IOException {
            switch (this) {
                case JOURNAL -> flip(frontier.resolve("journal-0"));
                case SNAPSHOT -> flip(frontier.resolve("snapshot-1"));
                case SEGMENT -> flip(frontier.resolve("segment-1"));
                case SNAPSHOT_GONE -> Files.delete(frontier.resolve("snapshot-1"));
                case ALL_GONE -> {
                    try (var files = Files.list(frontier)) {
                        for (var file : files.toList()) {
                            Files.delete(file);
                        }
                    }
                }
            }
        }

        private static void flip(Path file) throws IOException {
            var bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 0x10;
            Files.write(file, bytes);
        }
    }

    private List<String> pages() throws IOException {
        return pages(".");
    }

    private List<String> pages(String place) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                directory.resolve(place).resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() == Kind.PAGE) {
                        pages.add(entry.url());
                    }
                });
        return pages;
    }

    private CrawlEnd crawl(CrawlConfig config, Disk disk) throws Exception {
        try (var crawl =
                CrawlOpener.open(
                        config, directory, CrawlListener.NONE, disk, InstantSource.system())) {
            return crawl.run();
        }
    }

    /** A frontier that fails is left as a kill leaves it: with a long journal. */
    private void crawlPartly(LoopbackWeb web, boolean killed) throws Exception {
        var disk = FaultyDisk.over(new RealDisk(), 1).withMemoryErrorAt(killed ? 90 : 0);
        var end = crawl(web.config("max-pages=" + (killed ? 1000 : 50), "concurrency=2"), disk);
        assertThat(end.reason())
                .isEqualTo(killed ? CrawlEnd.Reason.INTERNAL : CrawlEnd.Reason.MAX_PAGES);
        assertThat(pages()).hasSizeBetween(20, 100);
    }

    private CrawlEnd refused(CrawlConfig config) throws Exception {
        try {
            return crawl(config, new RealDisk());
        } catch (IOException e) {
            return new CrawlEnd(CrawlEnd.Reason.BROKEN, String.valueOf(e.getMessage()));
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void everyPageIsThereOnceAndNoneIsFetchedAgain(Damage damage) throws Exception {
        try (var web = LoopbackWeb.serve(SPEC)) {
            crawlPartly(web, damage.killed);
            damage.apply(directory.resolve("frontier"));
            var outputs = Files.size(directory.resolve(DirectoryLayout.PAGE_LOG));
            if (damage != Damage.SEGMENT) { // One that is damaged shows when it is read.
                var end = refused(web.config());
                assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.BROKEN);
                assertThat(end.detail()).contains(damage.expectedProblem);
                if (damage != Damage.ALL_GONE) {
                    assertThat(end.detail()).contains("orbweaver repair " + directory + "'");
                }
                assertThat(Files.size(directory.resolve(DirectoryLayout.PAGE_LOG)))
                        .isEqualTo(outputs);
            }
            var before = pages();

            var report = DirectoryRepair.repair(directory, Settings.CORE, _ -> {});
            assertThat(report.problems()).hasSize(1);
            if (damage != Damage.ALL_GONE) {
                assertThat(report.problems().getFirst()).contains(damage.expectedProblem);
            }
            assertThat(report.done()).isGreaterThanOrEqualTo(before.size());
            assertThat(report.movedTo()).isDirectory();
            assertThat(DirectoryRepair.repair(directory, Settings.CORE, _ -> {}).problems())
                    .isEmpty();
            assertThat(new StoredCrawl(directory, web.config()).stats().ledger().balances())
                    .isTrue();

            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
                assertThat(crawl.status().frontier().ledger().balances()).isTrue();
            }
            assertThat(pages())
                    .containsExactlyInAnyOrderElementsOf(web.truth().pages())
                    .startsWith(before.toArray(String[]::new));
            var audit = web.auditor().report(rules());
            assertThat(audit.repeated().keySet()).doesNotContainAnyElementsOf(before);
        }
    }

    private static AuditRules rules() {
        return new AuditRules(
                Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMillis(5), true);
    }

    @Test
    void aTruncatedPageLogIsAcceptedAndTheCrawlResumes() throws Exception {
        try (var web = LoopbackWeb.serve(SPEC)) {
            crawlPartly(web, true);
            var log = directory.resolve(DirectoryLayout.PAGE_LOG);
            var lines = Files.readAllLines(log);
            Files.writeString(log, String.join("\n", lines.subList(0, lines.size() / 2)) + "\n");
            assertThat(refused(web.config()).detail()).contains("bytes, but").contains("repair");
            var report = DirectoryRepair.repair(directory, Settings.CORE, _ -> {});
            assertThat(report.problems()).hasSize(1);
            assertThat(report.problems().getFirst()).contains("were committed");
            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            assertThat(pages()).containsExactlyInAnyOrderElementsOf(web.truth().pages());
        }
    }

    @Test
    void aSegmentThatIsDamagedEndsTheCrawlWithTheAdvice() throws Exception {
        try (var web = LoopbackWeb.serve(SPEC)) {
            crawlPartly(web, false);
            Damage.SEGMENT.apply(directory.resolve("frontier"));
            var end = refused(web.config());
            assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.BROKEN);
            assertThat(end.detail())
                    .contains("segment-1", "rebuild it with the command 'orbweaver repair");
        }
    }

    /** A crawl of one job of a service until some captures were made, or to its end. */
    private void crawlJobs(LoopbackWeb web, CountDownLatch captures, CountDownLatch ends)
            throws Exception {
        var clock = MonotonicClock.start(InstantSource.system());
        Files.createDirectories(directory.resolve("frontier"));
        try (var frontier =
                        DiskFrontier.open(
                                new RealDisk(),
                                directory.resolve("frontier"),
                                Politeness.DEFAULT,
                                clock.instant());
                var crawls =
                        new JobCrawls(
                                frontier,
                                4,
                                (shared, job, _, _) ->
                                        shared.view(job, SharedFrontier.directoryOf(job)),
                                _ -> SharedCaches.NONE,
                                clock,
                                (_, _) -> ends.countDown())) {
            for (var job : List.of(1, 2)) {
                crawls.start(
                        new JobId(job),
                        "",
                        web.config(),
                        directory.resolve("jobs/" + job),
                        _ -> captures.countDown());
            }
            assertThat(captures.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(ends.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void allJobsOfAServiceAreRepairedTogether() throws Exception {
        try (var web = LoopbackWeb.serve(SPEC)) {
            crawlJobs(web, new CountDownLatch(60), new CountDownLatch(0));
            Damage.SNAPSHOT.apply(directory.resolve("frontier"));
            assertThatThrownBy(
                            () ->
                                    DirectoryRepair.repair(
                                            directory.resolve("jobs/1"), Settings.CORE, _ -> {}))
                    .hasMessageContaining("name the service's directory, " + directory);
            var before = List.of(pages("jobs/1"), pages("jobs/2"));

            var report = DirectoryRepair.repair(directory, Settings.CORE, _ -> {});
            assertThat(report.problems()).singleElement().asString().contains("snapshot-1");
            assertThat(report.done())
                    .isGreaterThanOrEqualTo(before.getFirst().size() + before.getLast().size());

            crawlJobs(web, new CountDownLatch(1), new CountDownLatch(2));
            for (var job : List.of(1, 2)) {
                var pages = pages("jobs/" + job);
                assertThat(pages).containsExactlyInAnyOrderElementsOf(web.truth().pages());
                // On a busy machine one of the jobs may have none yet.
                assertThat(pages.subList(0, before.get(job - 1).size()))
                        .isEqualTo(before.get(job - 1));
            }
        }
    }

    @Test
    void aCrawlThatRunsIsNotRepaired() throws Exception {
        var config = CrawlConfig.of("http://127.0.0.1:1/");
        try (var crawl = CrawlOpener.open(config, directory)) {
            assertThat(crawl.directory()).isEqualTo(directory);
            assertThatThrownBy(() -> DirectoryRepair.repair(directory, Settings.CORE, _ -> {}))
                    .hasMessageContaining("a crawl is running in");
        }
        assertThat(DirectoryRepair.repair(directory, Settings.CORE, _ -> {}).problems()).isEmpty();
    }
}
