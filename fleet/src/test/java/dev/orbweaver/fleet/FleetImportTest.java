package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.fleet.redis.SharedJobCache;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.crawl.SharedRobotsStore;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Crawls of other programs that are imported into a real Redis, and what workers make of them. */
@Slow
class FleetImportTest {

    private final Instant now = Instant.now();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private RedisProcess redis;
    private FleetSettings settings;

    @BeforeEach
    void start() throws IOException {
        redis = RedisProcess.start(Files.createDirectories(directory.resolve("redis")));
        settings =
                FleetSettings.of(redis.uri(), "test", "w1")
                        .withShards(16)
                        .withMaxStatsAge(Duration.ZERO);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private static CrawlConfig config() throws Exception {
        return CrawlConfig.read(
                new SettingValues()
                        .put(Settings.SEED_LISTS, "true")
                        .put("delay", "1h")
                        .put("min-free-disk", "0")
                        .put("contact", "test@example.org"));
    }

    private FleetImport open() throws Exception {
        return FleetImport.open(settings, config(), directory.resolve("lists"), "once");
    }

    private void addList(String... lines) throws Exception {
        addListOf("frontier", lines);
    }

    private void addListOf(String label, String... lines) throws Exception {
        var _ =
                SeedList.addCopy(
                        Files.createDirectories(directory.resolve("lists")),
                        label,
                        out -> {
                            for (var line : lines) {
                                out.line(line);
                            }
                        });
    }

    private JobId job() throws IOException {
        try (var fleet = Fleet.open(settings)) {
            return fleet.findByIdempotencyKey("once").orElseThrow();
        }
    }

    @Test
    void theFirstRequestKeepsTheDelayAfterTheLastFetchOfTheOtherProgram() throws Exception {
        addList(
                "http://recent.example/",
                "http://old.example/",
                "http://planned.example/",
                "http://unknown.example/",
                "http://slow.example/");
        try (var target = open()) {
            target.load(_ -> {});
            assertThat(
                            target.saveRobots(
                                    "http://slow.example",
                                    "User-agent: *\nCrawl-delay: 7560".getBytes(UTF_8),
                                    now.plus(Duration.ofHours(5)),
                                    now))
                    .isTrue();
            target.saveLastRequests(
                    Map.of(
                            "recent.example", now.minus(Duration.ofMinutes(10)),
                            "old.example", now.minus(Duration.ofMinutes(70)),
                            "slow.example", now.minus(Duration.ofMinutes(70)),
                            "planned.example", now.plus(Duration.ofDays(3_000)),
                            "no-urls.example", now),
                    now);
            target.finish();
        }
        try (var fleet = Fleet.open(settings)) {
            assertThat(fleet.job(job()).orElseThrow().state()).isEqualTo(FleetJob.State.QUEUED);
            var hosts = fleet.hosts(now);
            assertThat(hosts.ready() + hosts.waiting() + hosts.resting() + hosts.busy())
                    .isEqualTo(5);
            assertThat(hosts.idle()).as("a host without URLs").isZero();
        }
        assertThat(hostsDueAfter(1)).containsExactlyInAnyOrder("old.example", "unknown.example");
        assertThat(hostsDueAfter(52)).containsExactly("recent.example");
        assertThat(hostsDueAfter(58)).containsExactly("slow.example");
        assertThat(hostsDueAfter(65)).containsExactly("planned.example");
    }

    /** Leases all that is due; the leases of earlier calls are never returned. */
    private List<String> hostsDueAfter(int minutes) throws Exception {
        var time = now.plus(Duration.ofMinutes(minutes));
        var frontier = RedisFrontier.open(settings, config().politeness(), time);
        var job = frontier.job(job());
        job.setActive(true);
        var hosts = job.lease(10, time).stream().map(lease -> lease.url().host()).toList();
        frontier.abandon(); // Like a killed worker, it keeps its hosts until their lease ends.
        return hosts;
    }

    @Test
    void robotsFilesAreSharedWithTheWorkersAsLongAsTheyAreValid() throws Exception {
        addList("http://a.example/");
        var random = new byte[6_000];
        new Random(1).nextBytes(random);
        try (var target = open()) {
            target.load(_ -> {});
            var until = now.plus(Duration.ofHours(5));
            assertThat(
                            target.saveRobots(
                                    "http://a.example",
                                    "User-agent: *\nDisallow: /private".getBytes(UTF_8),
                                    until,
                                    now))
                    .isTrue();
            assertThat(
                            target.saveRobots(
                                    "http://long.example",
                                    ("#" + HexFormat.of().formatHex(random)).getBytes(UTF_8),
                                    until,
                                    now))
                    .as("a file that the workers do not share")
                    .isFalse();
            target.finish();
        }
        try (var cache = SharedJobCache.open(settings, InstantSource.system())) {
            var job = job();
            var pool =
                    new SharedRobotsStore.Pool() {
                        @Override
                        public Optional<byte[]> find(String origin) throws IOException {
                            return cache.get(job, SharedJobCache.Topic.ROBOTS, origin);
                        }

                        @Override
                        public void put(String origin, byte[] entry, Duration lifetime) {}
                    };
            var store = new SharedRobotsStore(RobotsStore.NO_STORE, pool, InstantSource.fixed(now));
            var entry = store.find("http://a.example").orElseThrow();
            assertThat(new String(entry.text(), UTF_8)).contains("/private");
            assertThat(entry.nextAttempt())
                    .isEqualTo(now.plus(Duration.ofHours(5)).truncatedTo(ChronoUnit.MILLIS));
            assertThat(store.find("http://long.example")).isEmpty();
        }
    }

    @Test
    void excludedDomainsAreThoseOfEveryWorkerAndTheirUrlsAreWithdrawn() throws Exception {
        addList("http://www.excluded.example/", "http://other.example/");
        try (var target = open()) {
            target.load(_ -> {});
            target.exclude(Set.of(HostPattern.of(".excluded.example")));
            target.exclude(Set.of(HostPattern.of(".excluded.example")));
            target.finish();
        }
        try (var fleet = Fleet.open(settings);
                var first = join("w1");
                var second = join("w2")) {
            for (var worker : List.of(first.worker(), second.worker())) {
                var file = worker.directory().job(job()).resolve(DirectoryLayout.EXCLUDED_HOSTS);
                Eventually.until(
                        worker.name() + " has the excluded hosts", () -> Files.exists(file));
                assertThat(ExclusionList.read(file))
                        .containsExactly(HostPattern.of(".excluded.example"));
            }
            Eventually.until(
                    "the URL is withdrawn",
                    () -> fleet.ledger(job(), Instant.now()).withdrawn() == 1);
        }
    }

    @Test
    void removedUrlsAreWithdrawnBeforeTheyAreFetched() throws Exception {
        addList("http://a.example/", "http://b.example/\tnot-before=2100-01-01T00:00:00Z");
        try (var target = open()) {
            target.load(_ -> {});
            target.finish();
        }
        try (var fleet = Fleet.open(settings)) {
            var url = config().urls().parse("http://a.example/").orElseThrow();
            assertThat(fleet.removeSeeds(job(), List.of(url))).isTrue();
            assertThat(fleet.removeSeeds(new JobId(1), List.of(url))).isFalse();
            assertThatThrownBy(() -> fleet.removeSeeds(job(), Collections.nCopies(1_000_000, url)))
                    .hasMessageContaining("1 URLs were removed from this crawl before; with")
                    .hasMessageContaining("so no URL was removed");
            try (var _ = join("w1")) {
                Eventually.until(
                        "the URL is withdrawn",
                        () -> fleet.ledger(job(), Instant.now()).withdrawn() == 1);
            }
            assertThat(fleet.ledger(job(), Instant.now()).queued()).isEqualTo(1);
        }
    }

    private record RunningWorker(FleetWorker worker, Thread thread) implements AutoCloseable {

        /** Ends its thread first, which may be starting a crawl. */
        @Override
        public void close() throws IOException {
            worker.stop();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            worker.close();
        }
    }

    private RunningWorker join(String name) throws IOException {
        var worker =
                FleetWorker.join(
                        new WorkerSettings(
                                settings.withWorker(name), directory.resolve(name), 6, false));
        var thread =
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
        return new RunningWorker(worker, thread);
    }

    @Test
    void noUrlIsClaimedBeforeTheImportIsComplete() throws Exception {
        addList("http://a.example/", "http://b.example/\tvisited");
        try (var fleet = Fleet.open(settings);
                var _ = join("w1")) {
            JobId job;
            try (var target = open()) {
                target.load(_ -> {});
                assertThat(target.ledger().queued()).isEqualTo(1);
                assertThat(target.ledger().done()).isEqualTo(1);
                job = job();
                assertThat(fleet.pause(job)).isFalse();
                assertThat(fleet.stop(job)).isFalse();
                assertThatThrownBy(
                                () ->
                                        fleet.addSeeds(
                                                job,
                                                new Fleet.SeedFile(
                                                        "x.list", directory.resolve("none"))))
                        .hasMessageContaining("is being imported; add seeds when");
            }
            assertThat(hostsDueAfter(1)).isEmpty();
            assertThat(fleet.job(job).orElseThrow().state()).isEqualTo(FleetJob.State.IMPORTING);
            // Killed before it was finished: the next run imports nothing twice.
            try (var target = open()) {
                target.load(_ -> {});
                assertThat(target.ledger().offered()).isEqualTo(2);
                target.finish();
            }
            Eventually.until(
                    "a worker crawls the job",
                    () -> fleet.job(job).orElseThrow().state() != FleetJob.State.QUEUED);
            assertThat(fleet.ledger(job, Instant.now()).offered()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"frontier", "captures-archive"})
    void aFullRedisEndsTheImportWithASentence(String label) throws Exception {
        redis.close();
        redis =
                RedisProcess.start(
                        Files.createDirectories(directory.resolve("small")), "--maxmemory", "3mb");
        settings =
                FleetSettings.of(redis.uri(), "test", "w1")
                        .withShards(16)
                        .withMaxStatsAge(Duration.ZERO);
        var lines = new String[60_000];
        for (var i = 0; i < lines.length; i++) {
            lines[i] = "http://h%d.example/%d".formatted(i % 100, i);
        }
        addListOf(label, lines);
        assertThatThrownBy(
                        () -> {
                            try (var target = open()) {
                                target.load(_ -> {});
                            }
                        })
                .hasMessageContaining("Redis is full")
                .hasMessageContaining("run the command again to continue the import");
    }
}
