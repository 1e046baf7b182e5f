package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A frontier with files so small that they are replaced all the time. */
class SmallFilesTest {

    private static final Instant START = Fixture.START;
    private static final JobId FIRST = new JobId(0);
    private static final JobId SECOND = new JobId(1);
    private static final Politeness FAST =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 3, Duration.ofMinutes(10));

    @TempDir Path directory;

    private static DiskSettings settings(boolean background) {
        var tiny = DiskSettings.DEFAULT.withSmallFiles(3000);
        return new DiskSettings(
                tiny.urls(), tiny.durability(), 3000, 3000, tiny.minTableKeys(), background);
    }

    private static List<Candidate> links(int from, int to, int hosts) {
        var links = new ArrayList<Candidate>();
        for (var i = from; i < to; i++) {
            links.add(Fixture.link("http://h%d.example/page/%d".formatted(i % hosts, i)));
        }
        return links;
    }

    private static void settle(TestFrontier frontier, List<Lease> leases) {
        var settlements =
                leases.stream()
                        .map(
                                lease ->
                                        Settlement.of(
                                                lease,
                                                new Outcome.Done(true, 1),
                                                new HostSignal.NoRequest()))
                        .toList();
        assertThat(frontier.settle(new CommitBatch(settlements, List.of()), START)).isZero();
    }

    /** Flushing, merging in the background and reading through cursors change nothing. */
    @Test
    void itHandsOutWhatOneInMemoryHandsOut() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        try (var memory = TestFrontier.inMemory(FAST, START);
                var disk =
                        TestFrontier.open(new RealDisk(), directory, FAST, settings(true), START)) {
            var both = List.of(memory, disk);
            var urls = 0;
            for (var round = 0; round < 120; round++) {
                var from = urls;
                urls += random.nextInt(120);
                var to = urls;
                var hosts = round % 2 == 0 ? 400 : 5;
                var job = random.nextInt(5) == 0 ? SECOND : FIRST;
                both.forEach(each -> each.offer(job, links(from, to, hosts), START));
                if (round == 70) {
                    both.forEach(each -> each.deleteJob(SECOND, START));
                }
                var most = random.nextInt(120);
                var expected = memory.lease(most, START);
                var found = disk.lease(most, START);
                assertThat(found).as("seed %d, round %d", seed, round).isEqualTo(expected);
                settle(memory, expected);
                settle(disk, found);
            }
            while (memory.ledger().queued() > 0) {
                var expected = memory.lease(200, START);
                var found = disk.lease(200, START);
                assertThat(found).as("seed %d, at the end", seed).isEqualTo(expected);
                settle(memory, expected);
                settle(disk, found);
            }
            assertThat(disk.ledger()).isEqualTo(memory.ledger());
        }
    }

    private static TestFrontier open(SimulatedDisk disk) throws IOException {
        return TestFrontier.open(disk, Path.of("frontier"), FAST, settings(false), START);
    }

    @Test
    void aJobThatWasDeletedStaysDeletedHoweverOftenTheProcessDies() throws IOException {
        var disk = new SimulatedDisk();
        var first = open(disk);
        first.offer(FIRST, links(0, 300, 5), START);
        first.offer(SECOND, links(0, 300, 5), START);
        first.close(); // A snapshot names files of both jobs.
        var second = open(disk);
        second.deleteJob(SECOND, START);
        for (var life = 0; life < 3; life++) {
            disk = disk.afterCrash();
            var frontier = open(disk);
            assertThat(frontier.ledger(SECOND).accepted()).isZero();
            assertThat(frontier.ledger(FIRST).queued()).isEqualTo(300);
        }
        disk = disk.afterCrash();
        var again = open(disk);
        again.offer(SECOND, links(0, 100, 5), START);
        assertThat(again.ledger(SECOND).accepted()).isEqualTo(100);
        disk = disk.afterCrash();
        assertThat(open(disk).ledger(SECOND).accepted()).isEqualTo(100);
        open(disk).close();
        disk = disk.afterCrash();
        var last = open(disk);
        last.offer(SECOND, links(0, 110, 5), START);
        assertThat(last.ledger(SECOND).accepted()).isEqualTo(110);
    }

    @Test
    void filesOfADeletedJobGoWithTheNextSnapshot() throws IOException {
        var disk = new SimulatedDisk();
        var frontier = open(disk);
        frontier.offer(SECOND, links(0, 300, 5), START);
        frontier.close();
        assertThat(disk.list(Path.of("frontier"))).anyMatch(SmallFilesTest::ofTheSecondJob);
        var again = open(disk);
        again.deleteJob(SECOND, START);
        again.close();
        assertThat(disk.list(Path.of("frontier"))).noneMatch(SmallFilesTest::ofTheSecondJob);
    }

    private static boolean ofTheSecondJob(Path file) {
        return file.getFileName().toString().startsWith("seen-1.");
    }

    @Test
    void limitsCountWhatCameInBeforeTheProcessDied() throws IOException {
        var disk = new SimulatedDisk();
        var limits = new IntakeLimits(60, 10_000, 5);
        var first = open(disk);
        first.setIntakeLimits(FIRST, limits);
        first.offer(FIRST, links(0, 250, 5), START); // 50 for each of five hosts.
        disk = disk.afterCrash();
        var second = open(disk);
        second.setIntakeLimits(FIRST, limits);
        second.offer(FIRST, links(1000, 1200, 5), START);
        second.offer(FIRST, links(2000, 2010, 10), START); // Half of them on new hosts.
        assertThat(second.ledger(FIRST).accepted()).isEqualTo(300);
        assertThat(second.ledger(FIRST).refused()).isEqualTo(150 + 10);
        for (var leases = second.lease(100, START);
                !leases.isEmpty();
                leases = second.lease(100, START)) {
            settle(second, leases);
        }
        second.close();
        var third = open(disk);
        third.setIntakeLimits(FIRST, limits);
        third.offer(FIRST, links(3000, 3010, 5), START);
        assertThat(third.ledger(FIRST).accepted()).as("though all were fetched").isEqualTo(300);
    }

    @Test
    void limitsOfMatchingUrlsCountWhatCameInBeforeTheProcessDied() throws IOException {
        var disk = new SimulatedDisk();
        var limits =
                new IntakeLimits(
                        Integer.MAX_VALUE,
                        Long.MAX_VALUE,
                        Integer.MAX_VALUE,
                        List.of(
                                new IntakeLimits.MatchLimit(
                                        "host:h1", url -> url.host().startsWith("h1."), 60)));
        var first = open(disk);
        first.setIntakeLimits(FIRST, limits);
        first.offer(FIRST, links(0, 250, 5), START); // 50 for each of five hosts.
        disk = disk.afterCrash();
        var second = open(disk);
        second.setIntakeLimits(FIRST, limits);
        second.offer(FIRST, links(1000, 1025, 5), START);
        assertThat(second.ledger(FIRST).accepted()).isEqualTo(275);
        second.close(); // Writes a snapshot.
        var third = open(disk);
        third.setIntakeLimits(FIRST, limits);
        third.offer(FIRST, links(2000, 2050, 5), START);
        assertThat(third.ledger(FIRST).accepted()).isEqualTo(275 + 40 + 5);
        assertThat(third.ledger(FIRST).refused()).isEqualTo(5);
        disk = disk.afterCrash(); // The snapshot has the first part, the journal the second.
        var fourth = open(disk);
        fourth.setIntakeLimits(FIRST, limits);
        fourth.offer(FIRST, links(3000, 3005, 5), START);
        assertThat(fourth.ledger(FIRST).accepted()).isEqualTo(320 + 4);
    }
}
