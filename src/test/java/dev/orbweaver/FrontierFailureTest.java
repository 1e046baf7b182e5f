package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.crawls.LabWeb;
import dev.orbweaver.disk.FaultyDisk;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.SharedFrontier;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.lab.Quirk;
import dev.orbweaver.lab.WebSpec;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.testing.Eventually;

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

    @TempDir Path folder;

    private static List<String> pages(Path folder) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                folder.resolve(PageLog.FILE),
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
        try (var web = LabWeb.serve(SPEC)) {
            var disk = FaultyDisk.over(new RealDisk(), 1).withMemoryErrorAt(write);
            try (var crawl =
                    Crawler.open(
                            web.config(),
                            folder,
                            CrawlListener.NONE,
                            disk,
                            InstantSource.system())) {
                var end = crawl.run();
                assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.INTERNAL);
                assertThat(end.detail()).contains("the frontier failed", "injected");
                assertThat(crawl.summary(end).json()).contains("internal");
            }
            try (var crawl = Crawler.open(web.config(), folder)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
                assertThat(crawl.status().frontier().ledger().balances()).isTrue();
            }
            assertThat(pages(folder)).containsExactlyInAnyOrderElementsOf(web.truth().pages());
        }
    }

    @Test
    void everyJobOfAFrontierThatFailsSaysSo() throws Exception {
        var clock = SteadyClock.start(InstantSource.system());
        var jobs = List.of(new JobId(1), new JobId(2));
        Map<JobId, CrawlEnd> ends = new ConcurrentHashMap<>();
        var over = new CountDownLatch(jobs.size());
        Files.createDirectories(folder.resolve("frontier"));
        try (var web = LabWeb.serve(SPEC);
                var frontier =
                        DiskFrontier.open(
                                FaultyDisk.over(new RealDisk(), 1).withMemoryErrorAt(20),
                                folder.resolve("frontier"),
                                Politeness.DEFAULT,
                                clock.instant());
                var crawls =
                        new JobCrawls(
                                frontier,
                                64,
                                (shared, job, _, _) ->
                                        shared.view(job, SharedFrontier.folderOf(job)),
                                clock,
                                (job, end) -> {
                                    ends.put(job, end);
                                    over.countDown();
                                })) {
            for (var job : jobs) {
                var place = folder.resolve("jobs/" + job.number());
                crawls.start(job, web.config(), place, CrawlListener.NONE);
            }
            assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(ends.values())
                    .hasSize(jobs.size())
                    .allMatch(end -> end.reason() == CrawlEnd.Reason.INTERNAL)
                    .allMatch(end -> end.detail().contains("the frontier failed"));
            Eventually.until("the failure is known", () -> crawls.failure().isPresent());
            assertThat(Ending.of(ends.values().iterator().next(), frontier::stats).state())
                    .isEqualTo(JobRecord.State.FAILED);
        }
    }
}
