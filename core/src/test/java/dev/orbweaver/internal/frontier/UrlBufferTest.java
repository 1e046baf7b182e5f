package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class UrlBufferTest {

    private static final Politeness FAST =
            new Politeness(
                    Duration.ZERO, Duration.ZERO, Duration.ZERO, 100, Duration.ofMinutes(10));

    @Test
    void whatIsPutInIsThereAndLinked() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var urlBuffer = new UrlBuffer();
        var slip = new UrlRecordBuffer();
        var addresses = new ArrayList<Integer>();
        for (var i = 0; i < 3000; i++) {
            fill(slip, new Random(seed + i));
            var address = urlBuffer.add(slip, new Fingerprint(random.nextLong(), (short) i));
            assertThat(urlBuffer.next(address)).isEqualTo(UrlBuffer.NO_ADDRESS);
            if (i > 0) {
                urlBuffer.setNext(addresses.getLast(), address);
            }
            addresses.add(address);
        }
        var again = new Random(seed);
        var expected = new UrlRecordBuffer();
        var address = (int) addresses.getFirst();
        for (var i = 0; i < 3000; i++) {
            fill(expected, new Random(seed + i));
            assertThat(urlBuffer.read(address, slip))
                    .isEqualTo(new Fingerprint(again.nextLong(), (short) i));
            assertThat(words(slip)).as("seed %d", seed).isEqualTo(words(expected));
            address = urlBuffer.next(address);
        }
        assertThat(address).isEqualTo(UrlBuffer.NO_ADDRESS);
    }

    private static void fill(UrlRecordBuffer slip, Random random) {
        slip.length = random.nextInt(2000);
        slip.ensureCapacity(slip.length);
        for (var i = 0; i < slip.length; i++) {
            slip.text[i] = (byte) random.nextInt(128);
        }
        slip.hopOrdinal = random.nextInt(8);
        slip.depth = random.nextInt() >>> 1;
        slip.hops = random.nextInt(3);
        slip.parent = random.nextLong();
        slip.foundAt = random.nextLong();
        slip.equivalentRedirect = random.nextBoolean();
        slip.attempts = random.nextInt(2);
        slip.expiredLeases = random.nextInt(2);
    }

    private static String words(UrlRecordBuffer slip) {
        return "%s %d %d %d %d %d %b %d %d"
                .formatted(
                        slip.textAsString(),
                        slip.hopOrdinal,
                        slip.depth,
                        slip.hops,
                        slip.parent,
                        slip.foundAt,
                        slip.equivalentRedirect,
                        slip.attempts,
                        slip.expiredLeases);
    }

    @Slow
    @Test
    void aFrontierInMemoryFreesTheRoomOfUrlsThatAreGone() {
        var bench = new Workbench(FAST);
        try (var frontier = new WorkbenchFrontier(FAST, bench, EventLog.NONE, Fixture.START)) {
            var long4K = "x".repeat(4000);
            var waiting = new ArrayList<String>();
            for (var i = 0; i < 12_000; i++) {
                var url = "http://h%d.example/%d/%s".formatted(i % 3, i, long4K);
                TestFrontier.durable(
                        frontier.offer(
                                TestFrontier.JOB, List.of(Fixture.link(url)), Fixture.START));
                waiting.add(url);
                if (i >= 300) { // Some always wait: they must survive every compaction.
                    var lease = frontier.lease(1, Fixture.START).getFirst();
                    assertThat(waiting.remove(lease.url().text())).isTrue();
                    var done = new Outcome.Done(true, 1);
                    var settlement = Settlement.of(lease, done, new HostSignal.NoRequest());
                    TestFrontier.durable(
                            frontier.settle(
                                    new CommitBatch(List.of(settlement), List.of()),
                                    Fixture.START));
                }
                assertThat(bench.bufferBytes()).isLessThan(17L << 20);
            }
            for (var leases = frontier.lease(100, Fixture.START);
                    !leases.isEmpty();
                    leases = frontier.lease(100, Fixture.START)) {
                leases.forEach(lease -> assertThat(waiting.remove(lease.url().text())).isTrue());
                var settlements =
                        leases.stream()
                                .map(
                                        lease ->
                                                Settlement.of(
                                                        lease,
                                                        new Outcome.Done(true, 1),
                                                        new HostSignal.NoRequest()))
                                .toList();
                TestFrontier.durable(
                        frontier.settle(new CommitBatch(settlements, List.of()), Fixture.START));
            }
            assertThat(waiting).isEmpty();
        }
    }

    @Test
    void aHostThatFailsAndFailsIsNotAskedForEverMoreUrls() {
        var bench = new Workbench(FAST);
        try (var frontier = new WorkbenchFrontier(FAST, bench, EventLog.NONE, Fixture.START)) {
            var links = new ArrayList<Candidate>();
            for (var i = 0; i < 1000; i++) {
                links.add(Fixture.link("http://a.example/" + i));
            }
            TestFrontier.durable(frontier.offer(TestFrontier.JOB, links, Fixture.START));
            var hour = Fixture.START.plusSeconds(3600);
            var failed = 0;
            for (var leases = frontier.lease(1, Fixture.START);
                    !leases.isEmpty();
                    leases = frontier.lease(1, Fixture.START)) {
                var retry = new Outcome.Retry(hour, FailureCause.TIMEOUT);
                var settlement =
                        Settlement.of(leases.getFirst(), retry, new HostSignal.NoRequest());
                TestFrontier.durable(
                        frontier.settle(
                                new CommitBatch(List.of(settlement), List.of()), Fixture.START));
                failed++;
            }
            assertThat(failed).isEqualTo(UrlQueue.DELAYED_MAX);
            assertThat(frontier.nextWork(Fixture.START).nextDue()).contains(hour);
            assertThat(frontier.lease(1, hour)).hasSize(1);
        }
    }
}
