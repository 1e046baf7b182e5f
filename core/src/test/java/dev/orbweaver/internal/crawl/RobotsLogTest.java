package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.disk.LogCapture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

class RobotsLogTest {

    private static final Path DIRECTORY = Path.of("/crawl");
    private static final Path FILE = DIRECTORY.resolve(DirectoryLayout.ROBOTS_LOG);
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final LogCapture warnings = new LogCapture(RobotsLog.class);

    @AfterEach
    void stopCapturing() {
        warnings.close();
    }

    @Test
    void anEntryIsReadBackUnchanged() throws IOException {
        var answer =
                new RobotsEntry(
                        "https://a.test:8443",
                        NOW,
                        NOW.plusSeconds(5),
                        NOW.plus(RobotsEntry.FRESH_FOR),
                        3,
                        Duration.ofMillis(1500),
                        "status 503",
                        "user-agent: *\ndisallow: /ü".getBytes(UTF_8));
        try (var log = open(disk)) {
            log.save(answer);
            assertSame(log.find(answer.origin()).orElseThrow(), answer);
        }
        try (var log = open(disk)) {
            assertSame(log.find(answer.origin()).orElseThrow(), answer);
            assertThat(log.delays())
                    .isEqualTo(Map.of("https://a.test:8443", Duration.ofMillis(1500)));
            assertThat(log.find("https://a.test")).isEmpty();
        }
        assertSame(RobotsLog.lookUp(disk, DIRECTORY, answer.origin()).orElseThrow(), answer);
        assertThat(RobotsLog.lookUp(disk, DIRECTORY, "https://a.test")).isEmpty();
        assertThat(RobotsLog.lookUp(disk, Path.of("/elsewhere"), "https://a.test")).isEmpty();
    }

    @Test
    void theLastEntryOfAnOriginWins() throws IOException {
        try (var log = open(disk)) {
            log.save(entry(1, 10));
            log.save(entry(2, 20));
            log.save(entry(1, 30));
            assertThat(log.find(origin(1)).orElseThrow().text()).hasSize(30);
            assertThat(log.find(origin(2)).orElseThrow().text()).hasSize(20);
        }
        assertThat(RobotsLog.lookUp(disk, DIRECTORY, origin(1)).orElseThrow().text()).hasSize(30);
        try (var log = open(disk)) {
            assertThat(log.find(origin(1)).orElseThrow().text()).hasSize(30);
        }
    }

    @Test
    void cutAnywhereItKnowsWhatPrecedesTheCut() throws IOException {
        var ends = new long[6];
        try (var log = open(disk)) {
            for (var i = 0; i < ends.length; i++) {
                log.save(entry(i, 40));
                ends[i] = disk.length(FILE);
            }
        }
        var whole = disk.read(FILE);
        for (var cut = 0; cut <= whole.length; cut++) {
            var damaged = new SimulatedDisk();
            damaged.put(FILE, Arrays.copyOf(whole, cut));
            var said = warnings.messages().size();
            try (var log = open(damaged)) {
                var atAnEnd = cut == 0 || cut == 8 || Arrays.binarySearch(ends, cut) >= 0;
                assertThat(warnings.messages()).hasSize(said + (atAnEnd ? 0 : 1));
                for (var i = 0; i < ends.length; i++) {
                    assertThat(log.find(origin(i)).isPresent())
                            .as("entry %s of a log truncated at %s", i, cut)
                            .isEqualTo(ends[i] <= cut);
                }
                log.save(entry(77, 5));
                assertThat(log.find(origin(77))).isPresent();
            }
        }
    }

    @Test
    void aFlippedBitNeverYieldsADifferentEntry() throws IOException {
        try (var log = open(disk)) {
            for (var i = 0; i < 4; i++) {
                log.save(entry(i, 30));
            }
        }
        var whole = disk.read(FILE);
        for (var at = 8; at < whole.length; at++) {
            var damaged = new SimulatedDisk();
            var bytes = whole.clone();
            bytes[at] ^= (byte) (1 << at % 8);
            damaged.put(FILE, bytes);
            try (var log = open(damaged)) {
                for (var i = 0; i < 4; i++) {
                    var found = log.find(origin(i));
                    if (found.isPresent()) {
                        assertSame(found.get(), entry(i, 30));
                    }
                }
            }
        }
    }

    @Test
    void anotherProgramsFileIsRefusedByName() {
        disk.put(FILE, "something else".getBytes(UTF_8));
        assertThatThrownBy(() -> open(disk)).hasMessageContaining("robots.log");
    }

    @Test
    void aCrashAtAnyOperationLosesAtMostTheEntryBeingWritten() throws IOException {
        for (var crash = 1; crash < 400; crash++) {
            var dying = new SimulatedDisk();
            dying.crashAt(crash);
            var kept = new HashMap<String, Integer>();
            var writing = "";
            try (var log = RobotsLog.open(dying, DIRECTORY, 600, 100)) {
                for (var i = 0; i < 60; i++) {
                    writing = origin(i % 7);
                    log.save(entry(i % 7, 10 + i));
                    kept.put(writing, 10 + i);
                }
                writing = "";
            } catch (SimulatedDisk.Crash e) {
                // Expected; the next process opens what is left.
            }
            try (var log = open(dying.afterCrash())) {
                for (var entry : kept.entrySet()) {
                    var length = log.find(entry.getKey()).orElseThrow().text().length;
                    assertThat(length)
                            .as("%s after a crash at operation %s", entry.getKey(), crash)
                            .isGreaterThanOrEqualTo(entry.getValue());
                    if (!entry.getKey().equals(writing)) {
                        assertThat(length).isEqualTo(entry.getValue());
                    }
                }
            }
        }
    }

    @Test
    void aFullDiskLosesOnlyTheEntryBeingWritten() throws IOException {
        for (var failing = 1; failing < 200; failing++) {
            var full = new SimulatedDisk();
            var kept = new HashMap<String, Integer>();
            try (var log = RobotsLog.open(full, DIRECTORY, 600, 100)) {
                full.failAt(full.operations() + failing);
                for (var i = 0; i < 60; i++) {
                    try {
                        log.save(entry(i % 7, 10 + i));
                        kept.put(origin(i % 7), 10 + i);
                    } catch (IOException e) {
                        assertThat(log.find(origin(i % 7)).map(it -> it.text().length))
                                .isEqualTo(Optional.ofNullable(kept.get(origin(i % 7))));
                    }
                }
                for (var entry : kept.entrySet()) {
                    assertThat(log.find(entry.getKey()).orElseThrow().text())
                            .as("%s, failure at %s", entry.getKey(), failing)
                            .hasSize(entry.getValue());
                }
            }
            try (var log = open(full)) {
                for (var entry : kept.entrySet()) {
                    assertThat(log.find(entry.getKey()).orElseThrow().text())
                            .hasSize(entry.getValue());
                }
            }
        }
    }

    @Test
    void theFileIsAtMostTwiceTheLiveBytes() throws IOException {
        try (var log = RobotsLog.open(disk, DIRECTORY, 10_000, 1000)) {
            for (var i = 0; i < 20_000; i++) {
                log.save(entry(i % 20, 100));
                assertThat(disk.length(FILE)).isLessThan(10_500);
            }
            for (var i = 0; i < 20; i++) {
                assertThat(log.find(origin(i))).isPresent();
            }
        }
    }

    @Test
    void expiredEntriesAreDroppedByARewrite() throws IOException {
        var old = NOW.minus(Duration.ofDays(40));
        try (var log = RobotsLog.open(disk, DIRECTORY, 2_000, 1000)) {
            log.save(
                    new RobotsEntry(
                            "http://old.test",
                            old,
                            old,
                            old.plus(RobotsEntry.FRESH_FOR),
                            0,
                            Duration.ZERO,
                            "status 200",
                            new byte[0]));
            assertThat(log.find("http://old.test")).isPresent();
            for (var i = 0; i < 100; i++) {
                log.save(entry(i % 2, 100));
            }
            assertThat(log.find("http://old.test")).isEmpty();
        }
    }

    @Test
    void withTooManyOriginsTheOlderHalfIsForgotten() throws IOException {
        try (var log = RobotsLog.open(disk, DIRECTORY, 1 << 20, 100)) {
            for (var i = 0; i < 1000; i++) {
                log.save(entry(i, 5));
            }
            var found = 0;
            for (var i = 0; i < 1000; i++) {
                found += log.find(origin(i)).isPresent() ? 1 : 0;
            }
            assertThat(found).isBetween(50, 100);
            assertThat(log.find(origin(999))).isPresent();
        }
    }

    @Test
    void theIndexFindsWhatAMapFinds() {
        var seed = Long.getLong("orbweaver.seed", 7);
        var random = new Random(seed);
        var index = new OriginIndex(1 << 20);
        var map = new HashMap<Long, Long>();
        var lengths = new HashMap<Long, Integer>();
        for (var i = 0; i < 50_000; i++) {
            var key = random.nextLong(20_000) << 40; // Few bits differ, so slots collide.
            var length = random.nextInt(1000);
            index.put(key, i, length);
            map.put(key, (long) i);
            lengths.put(key, length);
        }
        map.forEach((key, at) -> assertThat(index.find(key)).as("seed %s", seed).isEqualTo(at));
        assertThat(index.size()).as("seed %s", seed).isEqualTo(map.size());
        assertThat(index.liveBytes())
                .as("seed %s", seed)
                .isEqualTo(lengths.values().stream().mapToLong(it -> it).sum());
        assertThat(index.find(-1)).isEqualTo(-1);
    }

    private static RobotsLog open(SimulatedDisk disk) throws IOException {
        return RobotsLog.open(disk, DIRECTORY);
    }

    private static String origin(int number) {
        return "http://h" + number + ".test";
    }

    private static RobotsEntry entry(int number, int length) {
        var text = new byte[length];
        new Random(number).nextBytes(text);
        return new RobotsEntry(
                origin(number),
                NOW,
                NOW,
                NOW.plus(RobotsEntry.FRESH_FOR),
                0,
                Duration.ZERO,
                "status 200",
                text);
    }

    private static void assertSame(RobotsEntry found, RobotsEntry kept) {
        assertThat(found).usingRecursiveComparison().isEqualTo(kept);
    }
}
