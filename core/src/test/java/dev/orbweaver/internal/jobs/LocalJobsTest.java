package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.TimeProfile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** Many jobs over one frontier: polite together, none starved, preserved across restarts. */
@Slow
class LocalJobsTest {

    /** Twice the current size. */
    private static final long JOB_BYTES_MAX = 7 << 20;

    private static final Duration DELAY = Duration.ofMillis(10);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    /** The number of visits of each job, including those for robots.txt. */
    private final Map<JobId, LongAdder> visits = new ConcurrentHashMap<>();

    private final Jobs.JobListener jobListener =
            new Jobs.JobListener() {
                @Override
                public JobRecord onStateChange(JobId job, Jobs.StateWriter stateWriter)
                        throws IOException {
                    return stateWriter.write(0);
                }

                @Override
                public void captured(JobId job, Capture capture) {
                    visits.computeIfAbsent(job, _ -> new LongAdder()).increment();
                }

                @Override
                public void committed(JobId job) {}

                @Override
                public void deleted(JobId job) {}
            };

    private LocalJobs open(LoopbackWeb web, int atOnce) throws Exception {
        return open(web, atOnce, jobListener);
    }

    private LocalJobs open(LoopbackWeb web, int atOnce, Jobs.JobListener told) throws Exception {
        var settingValues =
                new SettingValues()
                        .put("dns-server", web.nameServer())
                        .put("min-free-disk", "0")
                        .put("retry-delay", "100ms")
                        .put("error-backoff", "10ms")
                        .put("delay-ip", "0");
        return LocalJobs.open(
                new LocalJobs.LocalJobsSettings(data, atOnce, 50, true, settingValues), told);
    }

    private static JobRequest request(LoopbackWeb web, int weight, String more) {
        return new JobRequest(
                List.of(web.hub()),
                "{\"scope\":\"any\"" + more + "}",
                weight,
                Optional.empty(),
                Optional.empty());
    }

    private static void await(BooleanSupplier condition, String what) {
        Eventually.until(what, condition::getAsBoolean);
    }

    /**
     * Waits while there is progress. Jobs take turns at each host, one request at a time, so their
     * duration depends on the largest host and the machine; only a stall must fail.
     */
    private void awaitEnd(LocalJobs jobs) {
        while (!allEnded(jobs)) {
            var before = sum(visits());
            await(
                    () -> allEnded(jobs) || sum(visits()) > before,
                    "a visit, or the end of all jobs");
        }
    }

    private static boolean allEnded(LocalJobs jobs) {
        return jobs.all().stream().noneMatch(job -> job.state().isOpen());
    }

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

    /**
     * Returns the reachable memory; collects twice, because the first collection may leave
     * something.
     */
    private static long heapInUse() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void fiftyJobsAtOnceArePoliteTogetherAndEachFindsEverything() throws Exception {
        var spec =
                WebSpec.light(21, 12, 30)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE, Quirk.SERVER_ERRORS);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 64)) {
            jobs.start();
            var before = heapInUse();
            for (var i = 0; i < 50; i++) {
                var _ = jobs.submit(request(web, 1, ",\"delay\":\"" + DELAY.toMillis() + "ms\""));
            }
            // On a slow machine the first jobs have ended when the last one begins.
            await(
                    () -> jobs.all().stream().noneMatch(job -> job.state() == State.QUEUED),
                    "all jobs have begun");
            var each = (heapInUse() - before) / Math.max(1, jobs.runningCrawls());
            System.out.println("LocalJobsTest: a running job takes " + each + " bytes of heap");
            assertThat(each).as("bytes of heap for each running job").isLessThan(JOB_BYTES_MAX);
            awaitEnd(jobs);
            var truth = web.truth().pages();
            for (var job : jobs.all()) {
                assertThat(job.state()).as("%s", job).isEqualTo(State.FINISHED);
                assertThat(pages(jobs.directory(job.id())))
                        .as("job %d", job.id().number())
                        .containsExactlyInAnyOrderElementsOf(truth);
            }
            var rules =
                    new AuditRules(
                            DELAY, Duration.ZERO, Duration.ZERO, 1, Duration.ofMillis(5), true);
            var audit = web.auditor().report(rules);
            assertThat(audit.isPolite()).as(audit.json()).isTrue();
        }
    }

    @Test
    void theRobotsFileOfAHostIsFetchedOnceForAllJobsWithOneUserAgent() throws Exception {
        var fast = ",\"delay\":\"10ms\"";
        var spec =
                WebSpec.light(25, 8, 60)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE, Quirk.SERVER_ERRORS);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 64)) {
            jobs.start();
            for (var i = 0; i < 12; i++) {
                var _ = jobs.submit(request(web, 1, fast));
            }
            awaitEnd(jobs);
            var once = robotsRequests(web);
            assertThat(once)
                    .hasSizeGreaterThan(4)
                    .allSatisfy((_, count) -> assertThat(count).isOne());
            var _ = jobs.submit(request(web, 1, fast + ",\"user-agent\":\"Other/1.0\""));
            awaitEnd(jobs);
            assertThat(robotsRequests(web).values()).contains(2);
            var later = jobs.submit(request(web, 1, fast));
            awaitEnd(jobs);
            assertThat(robotsRequests(web).values()).doesNotContain(3);
            var why = jobs.explain(later, web.hub(), Optional.empty()).orElseThrow().robots();
            assertThat(why.fetchedAt()).as("%s", why).isPresent();
        }
    }

    private static Map<String, Integer> robotsRequests(LoopbackWeb web) {
        var requests = new TreeMap<>(web.auditor().requestCounts());
        requests.keySet().removeIf(url -> !url.endsWith("/robots.txt"));
        return requests;
    }

    /** Many commands at the same time: the crawl follows the last recorded one. */
    @Test
    void concurrentStateChangesEndInTheRecordedState() throws Exception {
        var spec = WebSpec.light(24, 10, 60).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var job = jobs.submit(request(web, 1, ",\"delay\":\"200ms\"")).id();
            var hands = new ArrayList<Thread>();
            for (var i = 0; i < 4; i++) {
                var hand = i;
                hands.add(Thread.ofVirtual().start(() -> changeState(jobs, job, hand)));
            }
            for (var hand : hands) {
                hand.join();
            }
            var _ = jobs.pause(job);
            await(() -> jobs.status(job).map(CrawlStatus::paused).orElse(true), "it is paused");
            var _ = jobs.resume(job);
            await(() -> !jobs.find(job).orElseThrow().state().isOpen(), "it ends");
            assertThat(jobs.find(job).orElseThrow().state()).isEqualTo(State.FINISHED);
            assertThat(pages(jobs.directory(job)))
                    .containsExactlyInAnyOrderElementsOf(web.truth().pages());
        }
    }

    /**
     * The thread that executes commands is busy with another job in the meantime, so the crawl sees
     * neither.
     */
    @Test
    void aJobStoppedAndResumedBeforeItsCrawlReactsRuns() throws Exception {
        var spec = WebSpec.light(26, 4, 40).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var other = new AtomicReference<JobId>();
        var busy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        Jobs.JobListener slow =
                new Jobs.JobListener() {
                    @Override
                    public JobRecord onStateChange(JobId job, Jobs.StateWriter stateWriter)
                            throws IOException {
                        if (job.equals(other.get())) {
                            busy.countDown();
                            awaitQuietly(goOn);
                        }
                        return jobListener.onStateChange(job, stateWriter);
                    }

                    @Override
                    public void captured(JobId job, Capture capture) {}

                    @Override
                    public void committed(JobId job) {}

                    @Override
                    public void deleted(JobId job) {}
                };
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16, slow)) {
            jobs.start();
            var job = jobs.submit(request(web, 1, ",\"delay\":\"1m\"")).id();
            await(() -> jobs.find(job).orElseThrow().state() == State.RUNNING, "it runs");
            other.set(new JobId(job.number() + 1));
            assertThat(jobs.submit(request(web, 1, "")).id()).isEqualTo(other.get());
            busy.await();
            assertThat(jobs.stop(job).state()).isEqualTo(State.STOPPED);
            assertThat(jobs.resume(job).state()).isEqualTo(State.QUEUED);
            goOn.countDown();
            await(() -> jobs.find(job).orElseThrow().state() != State.QUEUED, "it is carried out");
            assertThat(jobs.find(job).orElseThrow().state()).isEqualTo(State.RUNNING);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void changeState(LocalJobs jobs, JobId job, int hand) {
        try {
            for (var i = 0; i < 20; i++) {
                switch ((hand + i) % 4) {
                    case 0 -> {
                        var _ = jobs.pause(job);
                    }
                    case 1 -> {
                        var _ = jobs.resume(job);
                    }
                    case 2 -> {
                        var _ = jobs.stop(job);
                    }
                    default -> {
                        var settings = jobs.find(job).orElseThrow().settings();
                        var other =
                                settings.replaceFirst("200ms|0.2s", i % 2 == 0 ? "0.2s" : "200ms");
                        var _ = change(jobs, job, other, 1);
                    }
                }
                Thread.sleep(i);
            }
            var _ = jobs.resume(job);
        } catch (IOException | ConfigException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JobRecord change(LocalJobs jobs, JobId id, String settings, int weight)
            throws ConfigException, IOException {
        return jobs.change(jobs.find(id).orElseThrow().withSettings(settings, weight));
    }

    /** Its queued URLs and its settings stay until it is deleted. */
    @Test
    void aJobThatEndedAtALimitDoesNotDelayOthersEvenAfterARestart() throws Exception {
        var spec = WebSpec.light(27, 8, 12).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec)) {
            try (var jobs = open(web, 16)) {
                jobs.start();
                var strict = ",\"delay\":\"1500ms\",\"delay-ip\":\"500ms\",\"max-pages\":3";
                var first = jobs.submit(request(web, 1, strict)).id();
                awaitEnd(jobs);
                assertThat(jobs.stats(first).ledger().queued()).isPositive();
                assertThat(jobs.stats(first).hosts().ready()).isZero();
                assertThat(jobs.stats().hosts().ready()).isZero();
                assertThat(jobs.hosts(first, 9).counts().ready()).isZero();
                assertFast(jobs, web);
            }
            try (var jobs = open(web, 16)) {
                assertThat(jobs.stats().hosts().ready()).isZero();
                jobs.start();
                assertFast(jobs, web);
            }
        }
    }

    /** Crawls everything: far longer if the first job's delays were in force. */
    private void assertFast(LocalJobs jobs, LoopbackWeb web) throws Exception {
        var job = jobs.submit(request(web, 1, ",\"delay\":\"0\",\"delay-ip\":\"0\"")).id();
        awaitEnd(jobs);
        var record = jobs.find(job).orElseThrow();
        assertThat(Duration.between(record.started().orElseThrow(), record.ended().orElseThrow()))
                .isLessThan(Duration.ofSeconds(web.truth().pages().size() / 3));
        assertThat(pages(jobs.directory(job)))
                .containsExactlyInAnyOrderElementsOf(web.truth().pages());
    }

    @Test
    void theSettingsOfAPausedJobAreNotInForceUntilItContinues() throws Exception {
        var spec = WebSpec.light(28, 4, 40).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var strict = jobs.submit(request(web, 1, ",\"delay-ip\":\"500ms\"")).id();
            var other = jobs.submit(request(web, 1, ",\"delay\":\"1m\"")).id();
            await(() -> jobs.foreignSettings(other).size() == 1, "the setting is in force");
            assertThat(jobs.foreignSettings(other))
                    .containsExactly(new ForeignSetting(strict, "delay-ip", "500ms"));
            var _ = jobs.pause(strict);
            await(() -> jobs.foreignSettings(other).isEmpty(), "the setting is not in force");
            assertThat(jobs.stats(strict).hosts().ready()).isZero();
            assertThat(jobs.find(strict).orElseThrow().state()).isEqualTo(State.PAUSED);
            var _ = jobs.resume(strict);
            await(() -> jobs.foreignSettings(other).size() == 1, "the setting is in force again");
            var _ = jobs.stop(strict);
            await(() -> jobs.foreignSettings(other).isEmpty(), "the job has ended");
        }
    }

    @Test
    void aJobsTimeIsThatOfItsOwnHosts() throws Exception {
        var spec = WebSpec.light(29, 12, 40).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var _ = jobs.submit(request(web, 1, ",\"delay\":\"0\",\"max-pages\":40"));
            awaitEnd(jobs);
            // More pages than hosts, whose robots.txt files are known: each host waits for its
            // delay.
            var job = jobs.submit(request(web, 1, ",\"delay\":\"400ms\",\"max-pages\":36")).id();
            var last = new AtomicReference<CrawlStatus>();
            await(
                    () -> {
                        jobs.status(job).ifPresent(last::set);
                        return !jobs.find(job).orElseThrow().state().isOpen();
                    },
                    "it ends");
            var times = last.get().timeProfile().times();
            assertThat(times.get(TimeProfile.Phase.CONCURRENCY))
                    .as("ready hosts of the job that has ended, in %s", times)
                    .isLessThan(times.get(TimeProfile.Phase.POLITENESS));
        }
    }

    @Test
    void manyJobsSentAtOnceAllCount() throws Exception {
        var spec =
                WebSpec.light(25, 3, 6)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE, Quirk.SERVER_ERRORS);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var hands = new ArrayList<Thread>();
            for (var i = 0; i < 20; i++) {
                hands.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                var _ =
                                                        jobs.submit(
                                                                request(
                                                                        web,
                                                                        1,
                                                                        ",\"delay\":\"0\""));
                                            } catch (IOException | ConfigException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        }));
            }
            for (var hand : hands) {
                hand.join();
            }
            awaitEnd(jobs);
            assertThat(jobs.all()).hasSize(20);
            for (var job : jobs.all()) {
                assertThat(job.changes().stream().map(JobRecord.Change::state))
                        .as("%s", job)
                        .containsExactly(State.QUEUED, State.RUNNING, State.FINISHED);
            }
        }
    }

    @Test
    void turnsComeOutByWeightWhileAllHaveWork() throws Exception {
        var spec = WebSpec.light(22, 100, 2_500).without(Quirk.DEAD_HOSTS);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var weights = new HashMap<JobId, Integer>();
            var settings = ",\"delay\":\"0\",\"traps\":\"off\",\"robots\":\"ignore\"";
            for (var i = 0; i < 12; i++) {
                var weight = i % 2 == 0 ? 1 : 3;
                // A turn in which a robots.txt of another job is adopted would be no visit.
                var job = jobs.submit(request(web, weight, settings));
                weights.put(job.id(), weight);
            }
            await(
                    () -> weights.keySet().stream().allMatch(id -> ready(jobs.stats(id).ledger())),
                    "all jobs have work");
            var before = visits();
            await(() -> sum(visits()) > sum(before) + 3_000, "some thousand visits");
            var after = visits();
            assertThat(weights.keySet()).allMatch(id -> jobs.stats(id).ledger().queued() > 0);
            var light = gained(before, after, weights, 1);
            var heavy = gained(before, after, weights, 3);
            assertThat((double) heavy / light)
                    .as("%d turns of weight 3, %d of weight 1", heavy, light)
                    .isBetween(2.7, 3.3);
        }
    }

    private Map<JobId, Long> visits() {
        var now = new HashMap<JobId, Long>();
        visits.forEach((job, count) -> now.put(job, count.sum()));
        return now;
    }

    private static long sum(Map<JobId, Long> visits) {
        return visits.values().stream().mapToLong(Long::longValue).sum();
    }

    private static boolean ready(Ledger ledger) {
        return ledger.queued() > 200;
    }

    private static long gained(
            Map<JobId, Long> before,
            Map<JobId, Long> after,
            Map<JobId, Integer> weights,
            int weight) {
        return weights.entrySet().stream()
                .filter(each -> each.getValue() == weight)
                .mapToLong(
                        each ->
                                after.getOrDefault(each.getKey(), 0L)
                                        - before.getOrDefault(each.getKey(), 0L))
                .sum();
    }

    @Test
    void jobsArePausedResumedChangedStoppedAndDeleted() throws Exception {
        var spec = WebSpec.light(23, 20, 400).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec)) {
            JobId paused;
            JobId limited;
            JobId gone;
            try (var jobs = open(web, 16)) {
                jobs.start();
                paused = jobs.submit(request(web, 1, ",\"delay\":\"10ms\"")).id();
                limited =
                        jobs.submit(request(web, 1, ",\"delay\":\"10ms\",\"max-pages\":\"20\""))
                                .id();
                gone = jobs.submit(request(web, 1, ",\"delay\":\"10ms\"")).id();
                await(() -> jobs.stats(paused).ledger().pages() > 5, "it has begun");
                assertThat(jobs.pause(paused).state()).isEqualTo(State.PAUSED);
                await(() -> jobs.find(limited).orElseThrow().state() == State.FINISHED, "a limit");
                assertThat(jobs.find(limited).orElseThrow().reason()).contains("20 pages");
                jobs.delete(gone);
                assertThat(jobs.find(gone)).isEmpty();
                assertThatThrownBy(() -> jobs.pause(gone)).isInstanceOf(NoSuchJobException.class);
                await(() -> !Files.exists(jobs.directory(gone)), "its files are deleted");
                assertThat(jobs.stats(gone).ledger().accepted()).isZero();
                var resting = jobs.stats(paused).ledger().done();
                Thread.sleep(300);
                assertThat(jobs.stats(paused).ledger().done() - resting).isLessThan(64);
            }
            try (var jobs = open(web, 16)) {
                jobs.start();
                assertThat(jobs.find(paused).orElseThrow().state()).isEqualTo(State.PAUSED);
                assertThat(jobs.status(paused)).as("it takes no place among the crawls").isEmpty();
                Thread.sleep(300);
                assertThat(jobs.stats(paused).ledger().leased()).isZero();
                assertThat(jobs.all()).hasSize(2);
                var _ = change(jobs, paused, "{\"scope\":\"any\",\"delay\":\"0\"}", 2);
                var _ = jobs.resume(paused);
                var _ = change(jobs, limited, "{\"scope\":\"any\",\"delay\":\"0\"}", 1);
                var _ = jobs.resume(limited);
                await(() -> allEnded(jobs), "both end");
                for (var id : List.of(paused, limited)) {
                    assertThat(pages(jobs.directory(id)))
                            .containsExactlyInAnyOrderElementsOf(web.truth().pages());
                }
                var next = jobs.submit(request(web, 1, "")).id();
                assertThat(next.number()).isEqualTo(gone.number() + 1);
            }
        }
    }

    @Test
    void aDirectoryOfAJobIsACrawlThatOthersRead() throws Exception {
        var spec = WebSpec.light(24, 10, 60).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec);
                var jobs = open(web, 16)) {
            jobs.start();
            var first = jobs.submit(request(web, 1, ",\"delay\":\"0\"")).id();
            var second = jobs.submit(request(web, 1, ",\"delay\":\"0\",\"max-pages\":\"5\"")).id();
            await(() -> allEnded(jobs), "both end");
            var config = StoredCrawl.open(jobs.directory(second), Settings.CORE).config();
            assertThat(new StoredCrawl(jobs.directory(second), config).stats().ledger())
                    .isEqualTo(jobs.stats(second).ledger());
            assertThat(new StoredCrawl(jobs.directory(first), config).stats().ledger())
                    .isEqualTo(jobs.stats(first).ledger());
            var why =
                    new StoredCrawl(jobs.directory(first), config).explain(web.hub()).orElseThrow();
            assertThat(why.attempts()).hasSize(1);
        }
    }

    @Test
    void aServiceWhoseCookiesFileIsWrongDoesNotStart() {
        var values = new SettingValues().put("cookies-file", data.resolve("none.txt").toString());
        var localJobsSettings = new LocalJobs.LocalJobsSettings(data, 8, 8, false, values);
        assertThatThrownBy(() -> LocalJobs.open(localJobsSettings, jobListener))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("none.txt: there is no such file");
    }

    @Test
    void aServiceWithARetentionDoesNotStart() {
        var values = new SettingValues().put("retention", "90d");
        var localJobsSettings = new LocalJobs.LocalJobsSettings(data, 8, 8, false, values);
        assertThatThrownBy(() -> LocalJobs.open(localJobsSettings, jobListener))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("retention is not available for jobs of a service");
    }

    @Test
    void whatIsTheOperatorsNoJobDecides() throws Exception {
        var localJobsSettings =
                new LocalJobs.LocalJobsSettings(data, 8, 8, false, new SettingValues());
        try (var jobs = LocalJobs.open(localJobsSettings, jobListener)) {
            for (var seed : List.of("http://127.0.0.1/", "http://[::1]:80/", "http://10.1.2.3/")) {
                var wish =
                        new JobRequest(List.of(seed), "{}", 1, Optional.empty(), Optional.empty());
                assertThatThrownBy(() -> jobs.submit(wish))
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("--allow-private");
            }
            for (var setting :
                    List.of(
                            "allow-private",
                            "dns-server",
                            "proxy",
                            "exclude-hosts",
                            "cookies-file",
                            "mongodb",
                            "s3")) {
                var wish =
                        new JobRequest(
                                List.of("http://a.test/"),
                                "{\"%s\":\"x\"}".formatted(setting),
                                1,
                                Optional.empty(),
                                Optional.empty());
                assertThatThrownBy(() -> jobs.submit(wish))
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining(setting);
            }
            assertThat(jobs.all()).isEmpty();
        }
    }
}
