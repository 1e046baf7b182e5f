package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.FaultyDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.jobs.JobCrawls;
import dev.orbweaver.internal.jobs.JobOutcome;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A crawl whose frontier fails ends with a reason, and the next one has every page once. */
class FrontierFailureTest {

    private static final WebSpec SPEC =
            WebSpec.light(31, 6, 80).without(Quirk.values()).withMeanPageBytes(1_000);

    @TempDir Path directory;

    private static List<String> pages(Path directory) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                directory.resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() == Kind.PAGE) {
                        pages.add(entry.url());
                    }
                });
        return pages;
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 21})
    void aCrawlThatRunsOutOfMemoryEndsAndIsResumed(int write) throws Exception {
        try (var web = LoopbackWeb.serve(SPEC)) {
            var disk = FaultyDisk.over(new RealDisk(), 1).withMemoryErrorAt(write);
            try (var crawl =
                    CrawlOpener.open(
                            web.config(),
                            directory,
                            CrawlListener.NONE,
                            disk,
                            InstantSource.system())) {
                var end = crawl.run();
                assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.INTERNAL);
                assertThat(end.detail()).contains("the frontier failed", "injected");
                assertThat(crawl.summary(end).toJson()).contains("internal");
            }
            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
                assertThat(crawl.status().frontier().ledger().balances()).isTrue();
            }
            assertThat(pages(directory)).containsExactlyInAnyOrderElementsOf(web.truth().pages());
        }
    }

    @Test
    void everyJobOfAFrontierThatFailsSaysSo() throws Exception {
        var clock = MonotonicClock.start(InstantSource.system());
        var jobs = List.of(new JobId(1), new JobId(2));
        Map<JobId, CrawlEnd> ends = new ConcurrentHashMap<>();
        var over = new CountDownLatch(jobs.size());
        Files.createDirectories(directory.resolve("frontier"));
        try (var web = LoopbackWeb.serve(SPEC);
                var frontier =
                        DiskFrontier.open(
                                FaultyDisk.over(new RealDisk(), 1).withMemoryErrorAt(20),
                                directory.resolve("frontier"),
                                Politeness.DEFAULT,
                                clock.instant());
                var crawls =
                        new JobCrawls(
                                frontier,
                                64,
                                (shared, job, _, _) ->
                                        shared.view(job, SharedFrontier.directoryOf(job)),
                                _ -> SharedCaches.NONE,
                                clock,
                                (job, end) -> {
                                    ends.put(job, end);
                                    over.countDown();
                                })) {
            for (var job : jobs) {
                var place = directory.resolve("jobs/" + job.number());
                crawls.start(job, "", web.config(), place, CrawlListener.NONE);
            }
            assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(ends.values())
                    .hasSize(jobs.size())
                    .allMatch(end -> end.reason() == CrawlEnd.Reason.INTERNAL)
                    .allMatch(end -> end.detail().contains("the frontier failed"));
            Eventually.until("the failure is known", () -> crawls.failure().isPresent());
            assertThat(JobOutcome.of(ends.values().iterator().next(), frontier::stats).state())
                    .isEqualTo(JobRecord.State.FAILED);
        }
    }
}
