package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.jobs.JobReconciler.CrawlState;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Several crawls over one frontier, each with its own outputs. */
@Slow
class JobCrawlsTest {

    private static final List<JobId> JOBS = List.of(new JobId(1), new JobId(2), new JobId(3));
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    private final MonotonicClock clock = MonotonicClock.start(InstantSource.system());
    private final Map<JobId, CrawlEnd> ends = new ConcurrentHashMap<>();

    private Path directory(JobId job) {
        return data.resolve("jobs").resolve(Integer.toString(job.number()));
    }

    private TestFrontier frontier() throws IOException {
        Files.createDirectories(data.resolve("frontier"));
        return TestFrontier.open(
                new RealDisk(), data.resolve("frontier"), Politeness.DEFAULT, clock.instant());
    }

    private JobCrawls crawls(
            TestFrontier frontier, JobCrawls.FrontierViews frontierViews, CountDownLatch ended) {
        return new JobCrawls(
                frontier.inner,
                64,
                frontierViews,
                _ -> SharedCaches.NONE,
                clock,
                (job, end) -> {
                    ends.put(job, end);
                    ended.countDown();
                });
    }

    /** All jobs together crawl the same site; with a stop in the middle. */
    private void crawlAll(CrawlConfig config, JobCrawls.FrontierViews frontierViews)
            throws Exception {
        var some = new CountDownLatch(300);
        try (var frontier = frontier();
                var crawls = crawls(frontier, frontierViews, new CountDownLatch(0))) {
            for (var job : JOBS) {
                crawls.start(job, "", config, directory(job), _ -> some.countDown());
            }
            assertThat(some.await(2, TimeUnit.MINUTES)).isTrue();
            assertThat(crawls.state(JOBS.getFirst(), "2"))
                    .isEqualTo(new CrawlState.Active(false, true));
            crawls.stop(JOBS.getFirst(), Duration.ofMinutes(1));
            assertThat(crawls.state(JOBS.getFirst(), ""))
                    .isIn(
                            new CrawlState.Active(true, false),
                            new CrawlState.Ended(new CrawlEnd(CrawlEnd.Reason.STOPPED, ""), false));
        }
        assertThat(ends.values())
                .allMatch(end -> end.reason() == CrawlEnd.Reason.STOPPED)
                .hasSize(JOBS.size());
        var over = new CountDownLatch(JOBS.size());
        try (var frontier = frontier();
                var crawls = crawls(frontier, frontierViews, over)) {
            for (var job : JOBS) {
                crawls.start(job, "", config, directory(job), CrawlListener.NONE);
            }
            assertThat(over.await(4, TimeUnit.MINUTES)).isTrue();
            assertThat(crawls.jobs()).isEmpty();
            assertThat(crawls.known()).containsExactlyElementsOf(JOBS);
            for (var job : JOBS) {
                assertThat(frontier.ledger(job).balances()).isTrue();
                assertThat(frontier.ledger(job).queued()).isZero();
                var end = requireNonNull(ends.get(job));
                assertThat(crawls.state(job, "")).isEqualTo(new CrawlState.Ended(end, false));
                assertThat(crawls.state(job, "2")).isEqualTo(new CrawlState.Ended(end, true));
                crawls.forget(job);
                assertThat(crawls.state(job, "")).isEqualTo(new CrawlState.None());
            }
        }
        assertThat(ends.values())
                .allMatch(end -> end.reason() == CrawlEnd.Reason.COMPLETE)
                .hasSize(JOBS.size());
    }

    private List<String> pages(JobId job) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                directory(job).resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() == Kind.PAGE) {
                        pages.add(entry.url());
                    }
                });
        return pages;
    }

    @Test
    void eachJobFindsEverythingOnceAndNoHostGetsMoreRequests() throws Exception {
        var spec = WebSpec.light(11, 40, 300).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec)) {
            crawlAll(
                    web.config("delay=25ms", "delay-ip=0"),
                    (shared, job, _, _) -> shared.view(job, "jobs/" + job.number() + "/"));
            for (var job : JOBS) {
                assertThat(pages(job)).containsExactlyInAnyOrderElementsOf(web.truth().pages());
            }
            var rules =
                    new AuditRules(
                            Duration.ofMillis(25),
                            Duration.ZERO,
                            Duration.ZERO,
                            1,
                            ALLOWANCE,
                            true);
            var audit = web.auditor().report(rules);
            assertThat(audit.isPolite()).as(audit.json()).isTrue();
        }
    }

    @Test
    void marksMayLieBesideTheOutputsInstead() throws Exception {
        var spec = WebSpec.light(12, 30, 200).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec)) {
            crawlAll(
                    web.config(),
                    (shared, job, _, directory) ->
                            shared.view(
                                    job,
                                    CommittedLengthsFile.open(new RealDisk(), directory, false)));
            for (var job : JOBS) {
                assertThat(pages(job)).containsExactlyInAnyOrderElementsOf(web.truth().pages());
            }
        }
    }
}
