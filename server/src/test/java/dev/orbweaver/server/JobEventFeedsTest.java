package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.metrics.Metrics;
import dev.orbweaver.server.search.PageIndex;
import dev.orbweaver.server.search.PageSearchQuery;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Tests that feeds are opened on demand, and that the service works without them. */
@Slow
class JobEventFeedsTest {

    @TempDir Path data;
    private ServedSite site;

    @BeforeEach
    void serve() throws Exception {
        site = ServedSite.documentation(5);
    }

    @AfterEach
    void close() {
        site.close();
    }

    /** Creates a directory with one finished job. */
    private Path crawled() throws Exception {
        try (var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            return crawlServer.jobs().directory(new JobId(job));
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aJobWithInvalidSettingsIsListed() throws Exception {
        var _ = crawled();
        var open = ApiClient.settings(data);
        var localJobsSettings =
                new LocalJobs.LocalJobsSettings(
                        data, open.concurrency(), open.jobsMax(), false, open.settings());
        try (var crawlServer =
                        CrawlServer.start(
                                localJobsSettings, CrawlServer.HttpSettings.onLoopback(0));
                var apiClient = new ApiClient(crawlServer.port())) {
            var list = apiClient.call("GET", "/api/v1/jobs");
            assertThat(list.statusCode()).as(list.body()).isEqualTo(200);
            var shown = apiClient.get("/api/v1/jobs").path("items").get(0);
            assertThat(shown.path("state").asString()).isEqualTo("finished");
            assertThat(shown.path("counts").path("pages").asLong()).isPositive();
            var one = apiClient.call("GET", "/api/v1/jobs/1");
            assertThat(one.statusCode()).as(one.body()).isEqualTo(200);
        }
    }

    @Test
    void aJobWhoseIndexIsDamagedIsShownAndDeleted() throws Exception {
        var search = crawled().resolve(DirectoryLayout.SEARCH);
        try (var files = Files.list(search)) {
            for (var file : files.toList()) {
                Files.writeString(file, "not a Lucene file");
            }
        }
        try (var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            for (var path : new String[] {"/api/v1/jobs", "/api/v1/jobs/1"}) {
                var response = apiClient.call("GET", path);
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            }
            assertThat(apiClient.call("DELETE", "/api/v1/jobs/1").statusCode()).isEqualTo(204);
        }
    }

    @Test
    void aListOpensNoIndexAndHasTheSameLastEventId() throws Exception {
        var search = crawled().resolve(DirectoryLayout.SEARCH);
        delete(search);
        try (var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var listed = apiClient.get("/api/v1/jobs").path("items").get(0);
            assertThat(search).doesNotExist();
            var alone = apiClient.get("/api/v1/jobs/1");
            assertThat(search).exists();
            assertThat(listed.path("lastEventId").asString())
                    .isNotEqualTo("0")
                    .isEqualTo(alone.path("lastEventId").asString());
        }
    }

    /** Feeds over a directory with some finished jobs. */
    private final class FeedFixture implements AutoCloseable {
        private final Metrics metrics = new Metrics(() -> CrawlServer.EMPTY_METRICS);
        private final JobEventFeeds jobEventFeeds;
        private final Jobs jobs;

        FeedFixture(JobEventFeeds.FeedOpener feedOpener, Duration idle) throws Exception {
            jobEventFeeds = new JobEventFeeds(metrics.requestTimes(), feedOpener, idle);
            jobs = ApiClient.settings(data).open(jobEventFeeds);
            jobEventFeeds.attach(jobs);
        }

        JobRecord job(int number) {
            return jobs.find(new JobId(number)).orElseThrow();
        }

        @Override
        public void close() throws IOException {
            jobEventFeeds.close();
            jobs.close();
            metrics.close();
        }
    }

    @Test
    @Timeout(120)
    void aCommittingCrawlDoesNotWaitForACallerThatOpensAFeed() throws Exception {
        var _ = crawled();
        var _ = crawled();
        var opening = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var feedFixture =
                new FeedFixture(
                        (jobs, job) -> {
                            if (job.id().number() == 1) {
                                opening.countDown();
                                awaitQuietly(goOn);
                            }
                            return new JobEventFeed(jobs, job);
                        },
                        Duration.ofMinutes(1))) {
            var slow =
                    Thread.startVirtualThread(
                            () -> {
                                var _ = feedFixture.jobEventFeeds.tryGetOrOpen(feedFixture.job(1));
                            });
            opening.await();
            feedFixture.jobEventFeeds.committed(new JobId(1));
            feedFixture.jobEventFeeds.committed(new JobId(2));
            feedFixture.jobEventFeeds.tick();
            var other = feedFixture.jobEventFeeds.getOrOpen(feedFixture.job(2));
            assertThat(other.history().chart().intervalMs()).isEqualTo(1000);
            goOn.countDown();
            slow.join();
            assertThat(feedFixture.jobEventFeeds.open(new JobId(1))).isPresent();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aFeedIsOpenedAgainWhileItIsBeingClosed() throws Exception {
        var _ = crawled();
        try (var feedFixture = new FeedFixture(JobEventFeed::new, Duration.ofSeconds(-1))) {
            var stop = new AtomicBoolean();
            var closer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stop.get()) {
                                            feedFixture.jobEventFeeds.tick();
                                        }
                                    });
            try {
                for (var i = 0; i < 100; i++) {
                    var _ =
                            feedFixture.jobEventFeeds.getOrOpen(
                                    feedFixture.job(1)); // Throws if it is open already.
                }
            } finally {
                stop.set(true);
                closer.join();
            }
        }
    }

    @Test
    void aSubscriberOfAClosedFeedIsEndedAtOnce() throws Exception {
        var _ = crawled();
        try (var feedFixture = new FeedFixture(JobEventFeed::new, Duration.ofMinutes(1))) {
            var feed = feedFixture.jobEventFeeds.getOrOpen(feedFixture.job(1));
            feedFixture.jobEventFeeds.deleted(new JobId(1));
            var heard = feed.subscribe(feedFixture.job(1)).subscriber().next(0);
            assertThat(heard).hasSize(1);
            assertThat(heard.getFirst().isEnd()).isTrue();
        }
    }

    @Test
    void aStateChangeIsPersistedAndNotifiedThoughItsEventFails() throws Exception {
        var _ = crawled();
        try (var feedFixture = new FeedFixture(JobEventFeed::new, Duration.ofMinutes(1))) {
            var feed = feedFixture.jobEventFeeds.getOrOpen(feedFixture.job(1));
            var subscriber = feed.subscribe(feedFixture.job(1)).subscriber();
            var job = feedFixture.job(1);
            var unreadable =
                    new JobRecord(
                            job.id(),
                            job.state(),
                            job.reason(),
                            job.seeds(),
                            "invalid settings",
                            1,
                            job.key(),
                            job.webhook(),
                            job.created(),
                            job.started(),
                            job.ended(),
                            job.changes(),
                            0,
                            job.labels(),
                            job.running());
            var noted = feedFixture.jobEventFeeds.onStateChange(job.id(), _ -> unreadable);
            assertThat(noted).isSameAs(unreadable);
            assertThat(subscriber.next(0)).containsExactly(EventHub.Event.RESET);
        }
    }

    @Test
    @Timeout(120)
    void anIndexThatFailsIsOpenedAgain() throws Exception {
        var _ = crawled();
        try (var feedFixture =
                new FeedFixture(
                        (jobs, job) -> new JobEventFeed(jobs, job, Duration.ofMillis(20)),
                        Duration.ofMinutes(1))) {
            var feed = feedFixture.jobEventFeeds.getOrOpen(feedFixture.job(1));
            var before = feed.pages();
            var total = before.search(PageSearchQuery.newest(0)).total();
            assertThat(total).isPositive();
            before.close(); // Simulates a disk failure.
            Eventually.until("the index is reopened", () -> !isClosed(feed));
            assertThat(feed.pages().search(PageSearchQuery.newest(0)).total())
                    .isGreaterThanOrEqualTo(total);
            Eventually.until("the problem is cleared", () -> feed.problem().isEmpty());
        }
    }

    @Test
    @Timeout(120)
    void theLagIsTheNumberOfLinesThatAreNotIndexed() throws Exception {
        var directory = crawled();
        delete(directory.resolve(DirectoryLayout.SEARCH));
        var log = directory.resolve(DirectoryLayout.PAGE_LOG);
        var lines = Files.readString(log);
        Files.writeString(log, "x" + lines.substring(1)); // The first line is not JSON.
        try (var feedFixture =
                new FeedFixture(
                        (jobs, job) -> new JobEventFeed(jobs, job, Duration.ofMillis(20)),
                        Duration.ofMinutes(1))) {
            var feed = feedFixture.jobEventFeeds.getOrOpen(feedFixture.job(1));
            Eventually.until("indexing has failed", () -> feed.problem().isPresent());
            var last = JobEventFeed.lastLine(feedFixture.jobs, new JobId(1));
            assertThat(last).isPositive();
            assertThat(feed.indexLag()).isEqualTo(last);
            assertThat(feedFixture.jobEventFeeds.indexLag()).isEqualTo(last);
            Files.writeString(log, lines);
            Eventually.until("all lines are indexed", () -> feed.indexLag() == 0);
        }
    }

    private static boolean isClosed(JobEventFeed feed) {
        try {
            return !feed.pages().isOpen();
        } catch (ProblemException e) {
            assertThat(e.status()).isEqualTo(ProblemException.UNAVAILABLE);
            return true;
        }
    }

    @Test
    void afterAnErrorEveryLineIsInTheIndexOnce() throws Exception {
        var directory = crawled();
        delete(directory.resolve(DirectoryLayout.SEARCH));
        try (var feedFixture = new FeedFixture(JobEventFeed::new, Duration.ofMinutes(1))) {
            var contents = new PageContents(feedFixture.jobs.contents(feedFixture.job(1)));
            var bytes = feedFixture.jobs.committedLogBytes(new JobId(1));
            var calls = new AtomicInteger();
            LongSupplier failing =
                    () -> {
                        if (calls.incrementAndGet() > 1) {
                            throw new UncheckedIOException(
                                    new IOException("simulated disk failure"));
                        }
                        return bytes;
                    };
            try (var index = PageIndex.open(directory, contents, Tombstones.NONE, failing)) {
                assertThat(index.advance(1)).isEqualTo(1);
                assertThatThrownBy(() -> index.advance(1_000))
                        .isInstanceOf(UncheckedIOException.class);
            }
            try (var index = PageIndex.open(directory, contents, Tombstones.NONE, () -> bytes)) {
                while (index.advance(1_000) > 0) {}
                var found = index.search(PageSearchQuery.newest(1_000)).entries();
                var lines = new ArrayList<Long>();
                try (var log = PageLogReader.open(directory, () -> bytes)) {
                    log.next(1_000).forEach(line -> lines.addFirst(line.entry().seq()));
                }
                assertThat(found.stream().map(PageLogEntry::seq).toList()).isEqualTo(lines);
            }
        }
    }

    @Test
    void aListHasOnlyTheFirstSeedsOfAJob() throws Exception {
        var seeds = new ArrayList<String>();
        for (var i = 0; i < 100; i++) {
            seeds.add(site.url("/seed" + i));
        }
        try (var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var sent =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            "{\"seeds\":[\"%s\"]}".formatted(String.join("\",\"", seeds)));
            assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
            var listed = apiClient.get("/api/v1/jobs").path("items").get(0);
            assertThat(listed.path("seeds").size()).isEqualTo(20);
            assertThat(listed.path("seedsTotal").asInt()).isEqualTo(100);
            var alone = apiClient.get("/api/v1/jobs/1");
            assertThat(alone.path("seeds").size()).isEqualTo(100);
            assertThat(alone.path("seedsTotal").asInt()).isEqualTo(100);
            var _ = apiClient.awaitEnd(1);
            var job = crawlServer.jobs().find(new JobId(1)).orElseThrow();
            var all = crawlServer.jobs();
            var brief = new JobJson(all, new JobGoals(all), Optional.empty()).brief(job);
            assertThat(brief.seeds()).hasSize(20);
        }
    }

    @Test
    void aListContinuesAfterTakenDownPages() throws Exception {
        var directory = crawled();
        try (var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var all = apiClient.get("/api/v1/jobs/1/pages?limit=500").path("items");
            var config =
                    crawlServer.jobs().config(crawlServer.jobs().find(new JobId(1)).orElseThrow());
            var urls = new CrawlUrls(config.normalisation());
            var gone = all.get(1).path("url").asString();
            assertThat(all.size()).isGreaterThan(4);
            var covered =
                    new StoredCrawl(directory, config).takeDown(urls.parse(gone).orElseThrow());
            var wanted = new ArrayList<Long>();
            all.valueStream()
                    .filter(line -> !line.path("url").asString().equals(gone))
                    .forEach(line -> wanted.add(line.path("seq").asLong()));
            assertThat(wanted).hasSize(all.size() - (int) covered);
            // Tombstones are checked periodically.
            Eventually.until(
                    "taken-down lines are removed",
                    () ->
                            apiClient.get("/api/v1/jobs/1/pages?limit=500").path("items").size()
                                    != all.size());
            var seen = new ArrayList<Long>();
            var after = "";
            do {
                var part = apiClient.get("/api/v1/jobs/1/pages?limit=2" + after);
                part.path("items")
                        .valueStream()
                        .forEach(each -> seen.add(each.path("seq").asLong()));
                after = part.path("next").isNull() ? "" : "&after=" + part.path("next").asLong();
            } while (!after.isEmpty());
            assertThat(seen).isEqualTo(wanted);
        }
    }
}
