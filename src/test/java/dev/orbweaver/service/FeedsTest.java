package dev.orbweaver.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.JobRecord;
import dev.orbweaver.Jobs;
import dev.orbweaver.LocalJobs;
import dev.orbweaver.archive.Tombstones;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.fetch.AddressPolicy;
import dev.orbweaver.metrics.Metrics;
import dev.orbweaver.model.JobId;
import dev.orbweaver.search.PageIndex;
import dev.orbweaver.search.PageSearch;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.PageLogReader;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.url.CrawlUrls;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** What follows a job: opened when it is needed, and missed by nobody when it cannot be. */
@Slow
class FeedsTest {

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

    /** A folder with one job at its end. */
    private Path crawled() throws Exception {
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var job = caller.submit(site.url("/"), "{}");
            var _ = caller.awaitEnd(job);
            return service.jobs().folder(new JobId(job));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aJobWhoseSettingsNoLongerHoldIsShownAmongTheOthers() throws Exception {
        var _ = crawled();
        var open = Caller.terms(data);
        var terms =
                new LocalJobs.Terms(data, open.atOnce(), open.jobsMax(), false, open.settings());
        try (var service = Service.start(terms, Service.Settings.onLoopback(0));
                var caller = new Caller(service.port())) {
            var list = caller.call("GET", "/api/v1/jobs");
            assertThat(list.statusCode()).as(list.body()).isEqualTo(200);
            var shown = caller.get("/api/v1/jobs").path("items").get(0);
            assertThat(shown.path("state").asString()).isEqualTo("finished");
            assertThat(shown.path("counts").path("pages").asLong()).isPositive();
            var one = caller.call("GET", "/api/v1/jobs/1");
            assertThat(one.statusCode()).as(one.body()).isEqualTo(200);
        }
    }

    @Test
    void aJobWhoseIndexIsDamagedIsShownAndDeleted() throws Exception {
        var search = crawled().resolve(PageIndex.FOLDER);
        try (var files = Files.list(search)) {
            for (var file : files.toList()) {
                Files.writeString(file, "nothing that an index begins with");
            }
        }
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            for (var path : new String[] {"/api/v1/jobs", "/api/v1/jobs/1"}) {
                var answer = caller.call("GET", path);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            }
            assertThat(caller.call("DELETE", "/api/v1/jobs/1").statusCode()).isEqualTo(204);
        }
    }

    @Test
    void aListOpensNoIndexAndSaysTheSameLastEvent() throws Exception {
        var search = crawled().resolve(PageIndex.FOLDER);
        delete(search);
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var listed = caller.get("/api/v1/jobs").path("items").get(0);
            assertThat(search).doesNotExist();
            var alone = caller.get("/api/v1/jobs/1");
            assertThat(search).exists();
            assertThat(listed.path("lastEventId").asString())
                    .isNotEqualTo("0")
                    .isEqualTo(alone.path("lastEventId").asString());
        }
    }

    /** Feeds over a folder with some jobs that are at their end. */
    private final class Followed implements AutoCloseable {
        private final Webhooks webhooks =
                new Webhooks(new AddressPolicy(true, List.of(), Set.of()));
        private final Metrics metrics = new Metrics(() -> Service.NOTHING);
        private final Feeds feeds;
        private final Jobs jobs;

        Followed(Feeds.Opening opening, Duration idle) throws Exception {
            feeds = new Feeds(webhooks, metrics.times(), opening, idle);
            jobs = Caller.terms(data).open(feeds);
            feeds.attach(jobs);
        }

        JobRecord job(int number) {
            return jobs.find(new JobId(number)).orElseThrow();
        }

        @Override
        public void close() throws IOException {
            feeds.close();
            jobs.close();
            webhooks.close();
            metrics.close();
        }
    }

    @Test
    @Timeout(120)
    void aCrawlThatCommitsDoesNotWaitForSomebodyWhoOpensAFeed() throws Exception {
        var _ = crawled();
        var _ = crawled();
        var opening = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var followed =
                new Followed(
                        (jobs, job) -> {
                            if (job.id().number() == 1) {
                                opening.countDown();
                                awaitQuietly(goOn);
                            }
                            return new JobFeed(jobs, job);
                        },
                        Duration.ofMinutes(1))) {
            var slow =
                    Thread.startVirtualThread(
                            () -> {
                                var _ = followed.feeds.ifPossible(followed.job(1));
                            });
            opening.await();
            followed.feeds.committed(new JobId(1));
            followed.feeds.committed(new JobId(2));
            followed.feeds.tick();
            assertThat(followed.feeds.of(followed.job(2)).history().json()).isNotEmpty();
            goOn.countDown();
            slow.join();
            assertThat(followed.feeds.open(new JobId(1))).isPresent();
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
        try (var followed = new Followed(JobFeed::new, Duration.ofSeconds(-1))) {
            var stop = new AtomicBoolean();
            var closer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stop.get()) {
                                            followed.feeds.tick();
                                        }
                                    });
            try {
                for (var i = 0; i < 100; i++) {
                    var _ = followed.feeds.of(followed.job(1)); // Throws if it is open elsewhere.
                }
            } finally {
                stop.set(true);
                closer.join();
            }
        }
    }

    @Test
    void whoJoinsAFeedThatWasClosedIsSentAwayAtOnce() throws Exception {
        var _ = crawled();
        try (var followed = new Followed(JobFeed::new, Duration.ofMinutes(1))) {
            var feed = followed.feeds.of(followed.job(1));
            followed.feeds.deleted(new JobId(1));
            var heard = feed.join(followed.job(1)).ear().next(0);
            assertThat(heard).hasSize(1);
            assertThat(heard.getFirst().isEnd()).isTrue();
        }
    }

    @Test
    void aChangeIsNotedAndToldOfThoughItsEventCannotBeMade() throws Exception {
        var _ = crawled();
        try (var followed = new Followed(JobFeed::new, Duration.ofMinutes(1))) {
            var feed = followed.feeds.of(followed.job(1));
            var ear = feed.join(followed.job(1)).ear();
            var job = followed.job(1);
            var unreadable =
                    new JobRecord(
                            job.id(),
                            job.state(),
                            job.reason(),
                            job.seeds(),
                            "no settings at all",
                            1,
                            job.key(),
                            job.webhook(),
                            job.created(),
                            job.started(),
                            job.ended(),
                            job.changes(),
                            0);
            var noted = followed.feeds.changing(job.id(), _ -> unreadable);
            assertThat(noted).isSameAs(unreadable);
            assertThat(ear.next(0)).containsExactly(EventHub.Event.RESET);
        }
    }

    @Test
    @Timeout(120)
    void anIndexThatFailsIsOpenedAgain() throws Exception {
        var _ = crawled();
        try (var followed =
                new Followed(
                        (jobs, job) -> new JobFeed(jobs, job, Duration.ofMillis(20)),
                        Duration.ofMinutes(1))) {
            var feed = followed.feeds.of(followed.job(1));
            var before = feed.pages();
            var total = before.find(PageSearch.newest(0)).total();
            assertThat(total).isPositive();
            before.close(); // As the disk does when it fails.
            Eventually.until("the index is open again", () -> !isShut(feed));
            assertThat(feed.pages().find(PageSearch.newest(0)).total())
                    .isGreaterThanOrEqualTo(total);
            Eventually.until("no more trouble", () -> feed.trouble().isEmpty());
        }
    }

    private static boolean isShut(JobFeed feed) {
        try {
            return !feed.pages().isOpen();
        } catch (ProblemException e) {
            assertThat(e.status()).isEqualTo(ProblemException.UNAVAILABLE);
            return true;
        }
    }

    @Test
    void afterAnErrorEveryLineIsInTheIndexOnce() throws Exception {
        var folder = crawled();
        delete(folder.resolve(PageIndex.FOLDER));
        try (var followed = new Followed(JobFeed::new, Duration.ofMinutes(1))) {
            var contents = new PageContents(followed.jobs.contents(followed.job(1)));
            var bytes = followed.jobs.logBytes(new JobId(1));
            var asked = new AtomicInteger();
            LongSupplier failing =
                    () -> {
                        if (asked.incrementAndGet() > 1) {
                            throw new UncheckedIOException(new IOException("as a disk fails"));
                        }
                        return bytes;
                    };
            try (var index = PageIndex.open(folder, contents, Tombstones.NONE, failing)) {
                assertThat(index.advance(1)).isEqualTo(1);
                assertThatThrownBy(() -> index.advance(1_000))
                        .isInstanceOf(UncheckedIOException.class);
            }
            try (var index = PageIndex.open(folder, contents, Tombstones.NONE, () -> bytes)) {
                while (index.advance(1_000) > 0) {}
                var found = index.find(PageSearch.newest(1_000)).entries();
                var lines = new ArrayList<Long>();
                try (var log = PageLogReader.open(folder, () -> bytes)) {
                    log.next(1_000).forEach(line -> lines.addFirst(line.entry().seq()));
                }
                assertThat(found.stream().map(PageEntry::seq).toList()).isEqualTo(lines);
            }
        }
    }

    @Test
    void ofVeryManySeedsAListShowsTheFirst() throws Exception {
        var seeds = new ArrayList<String>();
        for (var i = 0; i < 100; i++) {
            seeds.add(site.url("/seed" + i));
        }
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var sent =
                    caller.call(
                            "POST",
                            "/api/v1/jobs",
                            "{\"seeds\":[\"%s\"]}".formatted(String.join("\",\"", seeds)));
            assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
            var listed = caller.get("/api/v1/jobs").path("items").get(0);
            assertThat(listed.path("seeds").size()).isEqualTo(20);
            assertThat(listed.path("seedsTotal").asInt()).isEqualTo(100);
            var alone = caller.get("/api/v1/jobs/1");
            assertThat(alone.path("seeds").size()).isEqualTo(100);
            assertThat(alone.path("seedsTotal").asInt()).isEqualTo(100);
            var _ = caller.awaitEnd(1);
            var job = service.jobs().find(new JobId(1)).orElseThrow();
            var brief = new JobJson(service.jobs(), Optional.empty()).brief(job);
            assertThat((List<?>) brief.get("seeds")).hasSize(20);
        }
    }

    @Test
    void aListGoesOnBehindWhatWasTakenDown() throws Exception {
        var folder = crawled();
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var all = caller.get("/api/v1/jobs/1/pages?limit=500").path("items");
            var config = service.jobs().config(service.jobs().find(new JobId(1)).orElseThrow());
            var urls = new CrawlUrls(config.normalisation());
            var gone = all.get(1).path("url").asString();
            assertThat(all.size()).isGreaterThan(4);
            var covered = new CrawlDirectory(folder, config).forget(urls.parse(gone).orElseThrow());
            var wanted = new ArrayList<Long>();
            all.valueStream()
                    .filter(line -> !line.path("url").asString().equals(gone))
                    .forEach(line -> wanted.add(line.path("seq").asLong()));
            assertThat(wanted).hasSize(all.size() - (int) covered);
            // What was taken down is looked for from time to time.
            Eventually.until(
                    "what was taken down is gone",
                    () ->
                            caller.get("/api/v1/jobs/1/pages?limit=500").path("items").size()
                                    != all.size());
            var seen = new ArrayList<Long>();
            var after = "";
            do {
                var part = caller.get("/api/v1/jobs/1/pages?limit=2" + after);
                part.path("items")
                        .valueStream()
                        .forEach(each -> seen.add(each.path("seq").asLong()));
                after = part.path("next").isNull() ? "" : "&after=" + part.path("next").asLong();
            } while (!after.isEmpty());
            assertThat(seen).isEqualTo(wanted);
        }
    }
}
