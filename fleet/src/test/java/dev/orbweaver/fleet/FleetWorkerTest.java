package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Workers of a fleet, each with its crawls and its files, over a real Redis. */
@Slow
class FleetWorkerTest {

    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    @TempDir private static Path redisDirectory;
    private static RedisProcess redis;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    private String fleetName = "";

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(redisDirectory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void name(TestInfo test) {
        fleetName = test.getTestMethod().orElseThrow().getName().substring(0, 10);
    }

    private FleetSettings settings(String worker) {
        return FleetSettings.of(redis.uri(), fleetName, worker).withShards(16);
    }

    private FleetWorker join(String name) throws IOException {
        var worker =
                FleetWorker.join(new WorkerSettings(settings(name), data.resolve(name), 6, true));
        var _ =
                Thread.ofPlatform()
                        .name(name)
                        .start(
                                () -> {
                                    try {
                                        worker.run();
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        return worker;
    }

    @Test
    void aWorkerWhoseDirectoryHasAnotherKeyThanTheFleetIsRefused() throws Exception {
        join("w1").close();
        join("w2").close();
        var disk = new RealDisk();
        var key = FingerprintKeyFile.read(disk, data.resolve("w1")).orElseThrow();
        assertThat(FingerprintKeyFile.read(disk, data.resolve("w2"))).contains(key);
        assertThat(key).isNotEqualTo(FingerprintKey.PUBLIC);
        FingerprintKeyFile.write(disk, data.resolve("w1"), FingerprintKey.random());
        assertThatThrownBy(() -> join("w1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has another fingerprint key in Redis than the one in")
                .hasMessageContaining("choose another directory with --data");
    }

    private static JobId submit(Fleet fleet, CrawlConfig config) throws IOException {
        var seeds = config.seeds().stream().map(seed -> seed.url().text()).toList();
        return fleet.submit("once", YamlFile.write(config.settingValues()), seeds, Instant.now());
    }

    private static void await(Callable<Boolean> what) throws Exception {
        Eventually.until("what this test waits for", what::call);
    }

    private List<String> pages(JobId job, String... workers) throws IOException {
        return urls(Kind.PAGE, job, workers);
    }

    private List<String> urls(Kind kind, JobId job, String... workers) throws IOException {
        var urls = new ArrayList<String>();
        for (var worker : workers) {
            entries(job, worker).stream()
                    .filter(entry -> entry.kind() == kind)
                    .map(PageLogEntry::url)
                    .forEach(urls::add);
        }
        return urls;
    }

    private List<PageLogEntry> entries(JobId job, String worker) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        var log =
                data.resolve(worker)
                        .resolve(DirectoryLayout.JOBS)
                        .resolve(Integer.toString(job.number()))
                        .resolve(DirectoryLayout.PAGE_LOG);
        if (Files.exists(log)) {
            PageLog.read(log, entries::add);
        }
        return entries;
    }

    private static WebSpec web(int seed, int hosts, int pages) {
        return WebSpec.light(seed, hosts, pages)
                .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
    }

    @Test
    void severalWorkersFindEverythingTogetherEachPageOnceAndPolitely() throws Exception {
        var spec = web(31, 60, 300);
        try (var web = LoopbackWeb.serve(spec);
                var fleet = Fleet.open(settings("visitor"));
                var one = join("one");
                var two = join("two")) {
            var job = submit(fleet, web.config("delay=25ms", "delay-ip=0"));
            await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
            await(() -> one.status().isEmpty() && two.status().isEmpty());
            assertThat(pages(job, "one", "two"))
                    .containsExactlyInAnyOrderElementsOf(web.truth().pages());
            assertThat(pages(job, "one")).isNotEmpty();
            assertThat(pages(job, "two")).isNotEmpty();
            assertThat(fleet.ledger(job, Instant.now()).balances()).isTrue();
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
            assertEveryPageNamesItsParent(web, job);
        }
    }

    /** Also if one worker found it and the other fetched it. */
    private void assertEveryPageNamesItsParent(LoopbackWeb web, JobId job) throws Exception {
        var inquiry =
                new FleetUrlExplainer(
                        settings("visitor"),
                        job,
                        List.of(data.resolve("one"), data.resolve("two")),
                        Settings.CORE);
        var foreign = 0;
        for (var worker : List.of("one", "two")) {
            for (var entry : entries(job, worker)) {
                foreign += entry.parentRef().worker() == 0 ? 0 : 1;
            }
        }
        assertThat(foreign).as("pages that the other found").isPositive();
        for (var page : web.truth().pages().stream().limit(40).toList()) {
            var urlExplanation = inquiry.explain(page).orElseThrow();
            assertThat(urlExplanation.state()).as(page).isEqualTo(UrlExplanation.State.DONE);
            assertThat(urlExplanation.parent().map(UrlExplanation.Parent::linkType).orElse("seed"))
                    .as("%s: %s", page, urlExplanation)
                    .isNotEqualTo("unknown")
                    .isNotEqualTo("found");
        }
        var alone = new FleetUrlExplainer(settings("visitor"), job, List.of(), Settings.CORE);
        assertThat(alone.explain(web.truth().pages().iterator().next() + "x").orElseThrow().state())
                .isEqualTo(UrlExplanation.State.NEVER_FOUND);
    }

    @Test
    void aJobIsPausedAndResumedAndALeavingWorkerLosesNothing() throws Exception {
        var spec = web(32, 20, 60);
        try (var web = LoopbackWeb.serve(spec);
                var fleet = Fleet.open(settings("visitor"))) {
            JobId job;
            try (var first = join("first")) {
                job = submit(fleet, web.config("delay=200ms", "delay-ip=0"));
                await(() -> fleet.ledger(job, Instant.now()).pages() > 5);
                assertThat(fleet.pause(job)).isTrue();
                await(() -> first.status().values().stream().allMatch(CrawlStatus::paused));
                await(() -> first.status().values().stream().allMatch(at -> at.inFlight() == 0));
                var pages = fleet.ledger(job, Instant.now()).pages();
                LockSupport.parkNanos(1_500_000_000);
                assertThat(fleet.ledger(job, Instant.now()).pages()).isEqualTo(pages);
            }
            assertThat(fleet.ledger(job, Instant.now()).leased()).isZero();
            assertThat(fleet.resume(job)).isTrue();
            try (var second = join("second")) {
                await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
                await(() -> second.status().isEmpty());
            }
            assertThat(pages(job, "first", "second"))
                    .containsExactlyInAnyOrderElementsOf(web.truth().pages());
            // The second worker had the robots.txt files that the first one had read.
            assertThat(urls(Kind.ROBOTS, job, "first", "second"))
                    .isNotEmpty()
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void aWorkerTakesUpOtherSettingsOfItsJobAndSaysHowItEnded() throws Exception {
        try (var web = LoopbackWeb.serve(web(33, 10, 100));
                var fleet = Fleet.open(settings("visitor"));
                var worker = join("one")) {
            var job = submit(fleet, web.config("delay=500ms", "delay-ip=0"));
            await(() -> fleet.ledger(job, Instant.now()).pages() > 0);
            var limited = web.config("delay=500ms", "delay-ip=0", "max-pages=5");
            assertThat(fleet.change(job, YamlFile.write(limited.settingValues()), 2, "")).isTrue();
            await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
            var ended = fleet.job(job).orElseThrow().stateDetail();
            assertThat(ended.reason()).isEqualTo("Page limit reached (5 pages).");
            assertThat(ended.failed()).isFalse();
            assertThat(ended.startedAt()).isPresent();
            await(() -> worker.status().isEmpty());
            assertThat(pages(job, "one").size()).isLessThan(web.truth().pages().size());
        }
    }

    @Test
    void aLimitOnPagesIsKeptByAllWorkersTogether() throws Exception {
        try (var web = LoopbackWeb.serve(web(34, 60, 300));
                var fleet = Fleet.open(settings("visitor"));
                var one = join("one");
                var two = join("two");
                var three = join("three")) {
            var job = submit(fleet, web.config("delay-ip=0", "max-pages=60"));
            await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
            await(() -> List.of(one, two, three).stream().allMatch(w -> w.status().isEmpty()));
            assertThat(fleet.job(job).orElseThrow().stateDetail().reason())
                    .isEqualTo("Page limit reached (60 pages).");
            assertThat(fleet.ledger(job, Instant.now()).pages())
                    .as("pages, with 6 requests of each of 3 workers at the same time")
                    .isBetween(60L, 60L + 6);
        }
    }

    @Test
    void theTimeLimitOfAJobIsSharedByItsWorkers() throws Exception {
        try (var web = LoopbackWeb.serve(web(35, 20, 100));
                var fleet = Fleet.open(settings("visitor"))) {
            var job = submit(fleet, web.config("delay=500ms", "delay-ip=0", "max-time=2s"));
            try (var _ = join("one")) {
                // The job's time begins with its first crawl, a little after it is running.
                await(() -> fleet.stats(job, Instant.now()).ledger().pages() > 0);
            }
            // Not parkNanos, which may return early.
            Thread.sleep(Duration.ofSeconds(2));
            try (var two = join("two")) {
                await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
                await(() -> two.status().isEmpty());
            }
            assertThat(fleet.job(job).orElseThrow().stateDetail().reason())
                    .isEqualTo("Time limit reached (2 s).");
            assertThat(pages(job, "two")).isEmpty();
        }
    }

    @Test
    void aJobOfWhichNoPageComesHasFailed() throws Exception {
        try (var fleet = Fleet.open(settings("visitor"));
                var _ = join("one")) {
            var config =
                    CrawlConfig.read(
                            new SettingValues()
                                    .put(Settings.SEEDS, List.of("http://127.0.0.1:1/"))
                                    .put("max-retries", "0")
                                    .put("min-free-disk", "0"));
            var job = submit(fleet, config);
            await(() -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
            var ended = fleet.job(job).orElseThrow().stateDetail();
            assertThat(ended.failed()).isTrue();
            assertThat(ended.reason()).startsWith("No page could be fetched: connect 1");
        }
    }

    @Test
    void aDirectoryIsForOneWorkerAtATime() throws Exception {
        try (var _ = join("only")) {
            assertThatThrownBy(() -> join("only")).hasMessageContaining("another worker");
        }
    }

    @Test
    void aWorkerThatComesBeforeItsRedisWaitsForIt(@TempDir Path other) throws Exception {
        var later = RedisProcess.start(other);
        later.kill();
        var settings = FleetSettings.of(later.uri(), fleetName, "early").withShards(4);
        var workerSettings = new WorkerSettings(settings, data.resolve("early"), 6, true);
        var joined = new CompletableFuture<FleetWorker>();
        var _ =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        joined.complete(FleetWorker.join(workerSettings));
                                    } catch (IOException e) {
                                        joined.completeExceptionally(e);
                                    }
                                });
        later.restart();
        try (var worker = joined.get(5, TimeUnit.MINUTES)) {
            assertThat(worker.name()).isEqualTo("early");
        } finally {
            later.close();
        }
    }
}
