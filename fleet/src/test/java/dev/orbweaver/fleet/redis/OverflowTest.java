package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Queues whose tails are in files, and workers and servers that die while moving or loading them.
 */
@Slow
class OverflowTest {

    private static final int URLS = 60;
    private static final Duration KEPT = Duration.ofHours(1);

    /** Nothing is moved automatically; the files of all shards are checked at every turn. */
    private static final Overflow.OverflowTimings BY_HAND =
            new Overflow.OverflowTimings(
                    Duration.ofDays(9),
                    Integer.MAX_VALUE,
                    Duration.ofSeconds(10),
                    Duration.ofMillis(1),
                    KEPT);

    private static final class SimulatedCrash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @TempDir Path directory;

    private RedisProcess redis;
    private FleetSettings settings;

    @BeforeEach
    void start() throws IOException {
        redis =
                RedisProcess.start(
                        directory.resolve("redis"),
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "always");
        settings =
                FleetFixtures.settings(redis.uri())
                        .withShards(1)
                        .withUrlsPerHost(4)
                        .withOverflowStore(
                                new OverflowStore.InFiles(directory.resolve("tails"), 0));
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private RedisFrontier join(String worker, Consumer<Overflow.Step> witness, Instant now) {
        try {
            return RedisFrontier.open(
                    settings.withWorker(worker), FrontierFixtures.PLAIN, BY_HAND, witness, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Candidate> links(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> Fixture.link("http://h" + i % 3 + ".example/" + i))
                .toList();
    }

    private static List<String> texts(int to) {
        return links(0, to).stream().map(link -> link.url().text()).toList();
    }

    /** Leases everything from a frontier, each page a second after the one before it. */
    private static List<String> drain(RedisFrontier frontier, Instant from) {
        var order = new ArrayList<String>();
        var now = from;
        while (!frontier.nextWork(now).isExhausted()) {
            for (var lease : frontier.lease(100, now)) {
                order.add(lease.url().text());
                var page =
                        Settlement.of(
                                lease, new Outcome.Done(true, 1), new HostSignal.Healthy(now));
                durable(frontier.settle(new CommitBatch(List.of(page), List.of()), now));
            }
            now = now.plusSeconds(1);
            assertThat(now).as("%s", order).isBefore(from.plus(Duration.ofHours(1)));
        }
        return order;
    }

    private List<Path> files() throws IOException {
        var shard = directory.resolve("tails").resolve(settings.fleet()).resolve("0");
        if (!Files.exists(shard)) {
            return List.of();
        }
        try (var files = Files.list(shard)) {
            return files.toList();
        }
    }

    /** Some URLs are in files, some are not, and some are in two consecutive ranges. */
    private static void fill(RedisFrontier frontier) throws IOException {
        durable(frontier.offer(TestFrontier.JOB, links(0, 30), Fixture.START));
        frontier.spillAll();
        durable(frontier.offer(TestFrontier.JOB, links(30, 45), Fixture.START));
        frontier.spillAll();
        durable(frontier.offer(TestFrontier.JOB, links(45, URLS), Fixture.START));
        assertThat(frontier.spilledUrls(TestFrontier.JOB)).isEqualTo(45);
    }

    @ParameterizedTest
    @EnumSource
    void aWorkerThatDiesAtAnyStepLosesNothingAndDoublesNothing(Overflow.Step last)
            throws IOException {
        var dead =
                join(
                        "w1",
                        step -> {
                            if (step == last) {
                                throw new SimulatedCrash();
                            }
                        },
                        Fixture.START);
        try (var first = join("w0", _ -> {}, Fixture.START)) {
            fill(first);
        }
        var now = Fixture.START;
        var taken = new ArrayList<String>();
        try {
            now = live(dead, taken);
        } catch (SimulatedCrash | FrontierFailedException e) {
            assertThat(e instanceof SimulatedCrash || e.getCause() instanceof SimulatedCrash)
                    .isTrue();
            now = now.plus(KEPT); // It died without releasing.
        }
        now = now.plus(settings.hostLease()).plusSeconds(10);
        try (var other = join("w2", _ -> {}, now)) {
            taken.addAll(drain(other, now));
            assertThat(taken)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(texts(URLS));
            assertThat(other.ledger().done()).isEqualTo(URLS);
            assertThat(other.ledger().queued()).isZero();
            assertThat(other.spilledUrls(TestFrontier.JOB)).isZero();
            now = now.plus(Duration.ofHours(2));
            var _ = other.lease(1, now); // Finds files that nothing refers to, or has found them.
            now = now.plus(KEPT).plusSeconds(1);
            var _ = other.lease(1, now);
            assertThat(files()).isEmpty();
        }
    }

    /** Every step in turn, from a queue to a file and back, up to a file that is swept. */
    private static Instant live(RedisFrontier frontier, List<String> taken) throws IOException {
        frontier.spillAll();
        var now = Fixture.START.plusSeconds(1);
        taken.addAll(drain(frontier, now));
        now = now.plus(KEPT).plus(KEPT);
        assertThat(frontier.lease(1, now)).isEmpty();
        return now;
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"FORGOTTEN", "DELETED"})
    void whatRedisForgetsOfAStepIsLostToNobody(Overflow.Step last) throws IOException {
        var mark = new AtomicLong();
        try (var first = join("w0", _ -> {}, Fixture.START)) {
            fill(first);
        }
        var forgetful =
                join(
                        "w1",
                        step -> {
                            if (step == last && mark.get() == 0) {
                                mark.set(written());
                            }
                        },
                        Fixture.START);
        forgetful.spillAll();
        assertThat(forgetful.lease(100, Fixture.START)).hasSize(3);
        assertThat(mark.get()).isPositive();
        redis.truncateLog(mark.get());
        var now = Fixture.START.plus(settings.hostLease()).plusSeconds(1);
        try (var other = join("w2", _ -> {}, now)) {
            assertThat(other.lease(1, now)).isEmpty(); // Nothing for a while after the restart.
            now = now.plus(settings.hostLease()).plusSeconds(1);
            assertThat(drain(other, now)).containsExactlyInAnyOrderElementsOf(texts(URLS));
            assertThat(other.ledger().balances()).isTrue();
        }
    }

    private long written() {
        try {
            return redis.logBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aFileIsKeptUntilRedisCannotForgetAnyMoreThatItIsDoneWith() throws IOException {
        try (var frontier = join("w1", _ -> {}, Fixture.START)) {
            durable(frontier.offer(TestFrontier.JOB, links(0, 30), Fixture.START));
            frontier.spillAll();
            var mark = redis.logBytes();
            assertThat(drain(frontier, Fixture.START)).hasSize(30);
            var soon = Fixture.START.plus(KEPT).minusSeconds(60);
            assertThat(frontier.lease(1, soon)).isEmpty();
            assertThat(files()).isNotEmpty();
            redis.truncateLog(mark);
        }
        var now = Fixture.START.plus(KEPT);
        try (var other = join("w2", _ -> {}, now)) {
            assertThat(other.lease(1, now)).isEmpty();
            now = now.plus(settings.hostLease());
            assertThat(drain(other, now)).containsExactlyInAnyOrderElementsOf(texts(30));
        }
    }

    @Test
    void aLateWriterFindsItsFileForgottenAndPutsNothingIntoIt() throws IOException {
        var late =
                join(
                        "w1",
                        step -> {
                            if (step == Overflow.Step.WRITTEN) {
                                sweepTwice(Fixture.START.plus(KEPT));
                            }
                        },
                        Fixture.START);
        durable(late.offer(TestFrontier.JOB, links(0, 9), Fixture.START));
        late.spillAll();
        assertThat(late.spilledUrls(TestFrontier.JOB)).isZero();
        assertThat(files()).isEmpty();
        var now = Fixture.START.plus(Duration.ofHours(3));
        assertThat(drain(late, now)).hasSize(9);
    }

    private void sweepTwice(Instant from) {
        try (var other = join("w2", _ -> {}, from)) {
            var _ = other.nextWork(from);
            var _ = other.nextWork(from.plus(KEPT).plusSeconds(1));
        }
    }

    @Test
    void whatIsClaimedWhileItIsWrittenStaysWithItsHolder() throws IOException {
        var taken = new ArrayList<String>();
        try (var other = join("w2", _ -> {}, Fixture.START)) {
            var slow =
                    join(
                            "w1",
                            step -> {
                                if (step == Overflow.Step.WRITTEN && taken.isEmpty()) {
                                    other.lease(9, Fixture.START)
                                            .forEach(lease -> taken.add(lease.url().text()));
                                }
                            },
                            Fixture.START);
            durable(slow.offer(TestFrontier.JOB, links(0, 30), Fixture.START));
            slow.spillAll();
            assertThat(taken).hasSize(3);
            slow.close();
        }
        var now = Fixture.START.plusSeconds(5);
        try (var last = join("w3", _ -> {}, now)) {
            assertThat(drain(last, now)).containsExactlyInAnyOrderElementsOf(texts(30));
        }
    }

    @Test
    void aQueueStaysInItsOrderHoweverOftenItIsMoved() throws IOException {
        try (var frontier = join("w1", _ -> {}, Fixture.START)) {
            var all = new ArrayList<String>();
            var now = Fixture.START;
            for (var i = 0; i < 40; i++) {
                var text = "http://a.example/" + i;
                all.add(text);
                durable(frontier.offer(TestFrontier.JOB, List.of(Fixture.link(text)), now));
                frontier.spillAll();
            }
            var elements =
                    redis.command("LLEN", Shards.base(settings.fleet(), 0) + ":q:0:b:a.example")
                            .strip();
            assertThat(Integer.parseInt(elements.substring(1))).isBetween(1, 6);
            assertThat(drain(frontier, now)).containsExactlyElementsOf(all);
        }
    }

    @Test
    void theFilesOfADeletedJobAreSwept() throws IOException {
        try (var frontier = join("w1", _ -> {}, Fixture.START)) {
            durable(frontier.offer(new JobId(1), links(0, 30), Fixture.START));
            durable(frontier.offer(new JobId(2), links(0, 30), Fixture.START));
            frontier.spillAll();
            durable(frontier.deleteJob(new JobId(1), Fixture.START));
            var now = Fixture.START.plus(KEPT).plusSeconds(1);
            assertThat(drain(frontier, Fixture.START))
                    .containsExactlyInAnyOrderElementsOf(texts(30));
            assertThat(frontier.lease(1, now.plus(KEPT))).isEmpty();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void aFileThatCannotBeReadHoldsUpNobodyElse() throws IOException {
        try (var frontier = join("w1", _ -> {}, Fixture.START)) {
            durable(frontier.offer(TestFrontier.JOB, links(0, 9), Fixture.START));
            frontier.spillAll();
            durable(
                    frontier.offer(
                            TestFrontier.JOB,
                            List.of(Fixture.link("http://other.example/")),
                            Fixture.START));
            var away = new ArrayList<Path>();
            for (var file : files()) {
                away.add(Files.move(file, directory.resolve(file.getFileName())));
            }
            assertThat(frontier.lease(100, Fixture.START))
                    .extracting(lease -> lease.url().host())
                    .containsExactly("other.example");
            assertThat(frontier.nextWork(Fixture.START.plusSeconds(1)).isExhausted()).isFalse();
            var shard = directory.resolve("tails").resolve(settings.fleet()).resolve("0");
            for (var file : away) {
                Files.move(file, shard.resolve(file.getFileName()));
            }
            assertThat(frontier.lease(100, Fixture.START.plusSeconds(11))).hasSize(3);
        }
    }

    @Test
    void aFlippedBitIsNoticedAndNoWrongUrlHandedOut() throws IOException {
        try (var frontier = join("w1", _ -> {}, Fixture.START)) {
            durable(frontier.offer(TestFrontier.JOB, links(0, 1), Fixture.START));
            frontier.spillAll();
            var file = files().getFirst();
            var bytes = Files.readAllBytes(file);
            bytes[bytes.length - 1] ^= 1;
            Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
            assertThat(frontier.lease(100, Fixture.START)).isEmpty();
            assertThat(frontier.ledger().queued()).isEqualTo(1);
        }
    }

    @Test
    void moreThanRedisHasRoomForIsNeitherRefusedNorLost() throws IOException {
        try (var load = new OverflowLoad(directory.resolve("load"), 20, 8, 300, _ -> {})) {
            var result = load.run(200_000, 3_000);
            assertThat(result.lost()).as("%s", result).isZero();
            assertThat(result.doubled()).as("%s", result).isZero();
            assertThat(result.refused()).as("%s", result).isZero();
            assertThat(result.evicted()).as("%s", result).isZero();
            assertThat(result.peakBytes()).as("%s", result).isLessThan(20 << 20);
            assertThat(result.cold()).as("%s", result).isPositive();
        }
    }

    @Test
    void aRedisThatIsFullIsRelievedByWhoeverIsRefused() throws IOException {
        try (var small = RedisProcess.start(directory.resolve("small"))) {
            var plain = FleetFixtures.settings(small.uri()).withShards(4);
            var filler =
                    FleetFixtures.join(
                            plain.withWorker("w0"), FrontierFixtures.PLAIN, Fixture.START);
            durable(
                    filler.offer(
                            TestFrontier.JOB,
                            IntStream.range(0, 20_000)
                                    .mapToObj(
                                            i ->
                                                    Fixture.link(
                                                            "http://h" + i % 80 + ".example/" + i))
                                    .toList(),
                            Fixture.START));
            var used = RedisConnection.field(small.command("INFO", "memory"), "used_memory");
            var less = Long.toString(Long.parseLong(used) - 300_000);
            assertThat(small.command("CONFIG", "SET", "maxmemory", less)).contains("OK");
            var place = new OverflowStore.InFiles(directory.resolve("tails"), 1L << 40);
            try (var frontier =
                    FleetFixtures.join(
                            plain.withOverflowStore(place),
                            FrontierFixtures.PLAIN,
                            Fixture.START)) {
                var more = List.of(Fixture.link("http://more.example/"));
                assertThat(frontier.offer(TestFrontier.JOB, more, Fixture.START))
                        .isInstanceOf(CommitStatus.Pending.class);
                var tries = 0;
                while (!frontier.flush().isStored()) { // It frees memory when there is none.
                    assertThat(tries++).isLessThan(20);
                }
                assertThat(small.command("CONFIG", "SET", "maxmemory", "0")).contains("OK");
                assertThat(frontier.spilledUrls(TestFrontier.JOB)).isPositive();
                assertThat(frontier.explain(TestFrontier.JOB, more.getFirst().url()))
                        .isInstanceOf(UrlState.Queued.class);
                assertThat(frontier.ledger().accepted()).isEqualTo(20_001);
                assertThat(frontier.ledger().queued()).isEqualTo(20_001);
                filler.close();
            }
        }
    }
}
