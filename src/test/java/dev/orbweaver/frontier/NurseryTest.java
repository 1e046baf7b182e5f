package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class NurseryTest {

    private static final Politeness FAST =
            new Politeness(
                    Duration.ZERO, Duration.ZERO, Duration.ZERO, 100, Duration.ofMinutes(10));

    @Test
    void whatIsPutInIsThereAndLinked() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var nursery = new Nursery();
        var slip = new UrlSlip();
        var addresses = new ArrayList<Integer>();
        for (var i = 0; i < 3000; i++) {
            fill(slip, new Random(seed + i));
            var address = nursery.add(slip, new Fingerprint(random.nextLong(), (short) i));
            assertThat(nursery.next(address)).isEqualTo(Nursery.NOWHERE);
            if (i > 0) {
                nursery.link(addresses.getLast(), address);
            }
            addresses.add(address);
        }
        var again = new Random(seed);
        var expected = new UrlSlip();
        var address = (int) addresses.getFirst();
        for (var i = 0; i < 3000; i++) {
            fill(expected, new Random(seed + i));
            assertThat(nursery.read(address, slip))
                    .isEqualTo(new Fingerprint(again.nextLong(), (short) i));
            assertThat(words(slip)).as("seed %d", seed).isEqualTo(words(expected));
            address = nursery.next(address);
        }
        assertThat(address).isEqualTo(Nursery.NOWHERE);
    }

    private static void fill(UrlSlip slip, Random random) {
        slip.length = random.nextInt(2000);
        slip.ensure(slip.length);
        for (var i = 0; i < slip.length; i++) {
            slip.text[i] = (byte) random.nextInt(128);
        }
        slip.hop = random.nextInt(8);
        slip.depth = random.nextInt() >>> 1;
        slip.hops = random.nextInt(3);
        slip.parent = random.nextLong();
        slip.foundAt = random.nextLong();
        slip.respelled = random.nextBoolean();
        slip.attempts = random.nextInt(2);
        slip.lost = random.nextInt(2);
    }

    private static String words(UrlSlip slip) {
        return "%s %d %d %d %d %d %b %d %d"
                .formatted(
                        slip.textAsString(),
                        slip.hop,
                        slip.depth,
                        slip.hops,
                        slip.parent,
                        slip.foundAt,
                        slip.respelled,
                        slip.attempts,
                        slip.lost);
    }

    @Test
    void aFrontierInMemoryFreesTheRoomOfUrlsThatAreGone() {
        var bench = new Workbench(FAST);
        try (var frontier = new WorkbenchFrontier(FAST, bench, EventLog.NONE, Scene.START)) {
            var long4K = "x".repeat(4000);
            var waiting = new ArrayList<String>();
            for (var i = 0; i < 12_000; i++) {
                var url = "http://h%d.example/%d/%s".formatted(i % 3, i, long4K);
                frontier.offer(JobId.ONLY, List.of(Scene.link(url)), Scene.START);
                waiting.add(url);
                if (i >= 300) { // Some always wait: they must survive every packing.
                    var lease = frontier.lease(1, Scene.START).getFirst();
                    assertThat(waiting.remove(lease.url().text())).isTrue();
                    var done = new Outcome.Done(true, 1);
                    var settlement = Settlement.of(lease, done, new HostSignal.Untouched());
                    assertThat(
                                    frontier.settle(
                                            new Batch(List.of(settlement), List.of()), Scene.START))
                            .isZero();
                }
                assertThat(bench.nurseryBytes()).isLessThan(17L << 20);
            }
            for (var leases = frontier.lease(100, Scene.START);
                    !leases.isEmpty();
                    leases = frontier.lease(100, Scene.START)) {
                leases.forEach(lease -> assertThat(waiting.remove(lease.url().text())).isTrue());
                var settlements =
                        leases.stream()
                                .map(
                                        lease ->
                                                Settlement.of(
                                                        lease,
                                                        new Outcome.Done(true, 1),
                                                        new HostSignal.Untouched()))
                                .toList();
                assertThat(frontier.settle(new Batch(settlements, List.of()), Scene.START))
                        .isZero();
            }
            assertThat(waiting).isEmpty();
        }
    }

    @Test
    void aHostThatFailsAndFailsIsNotAskedForEverMoreUrls() {
        var bench = new Workbench(FAST);
        try (var frontier = new WorkbenchFrontier(FAST, bench, EventLog.NONE, Scene.START)) {
            var links = new ArrayList<Candidate>();
            for (var i = 0; i < 1000; i++) {
                links.add(Scene.link("http://a.example/" + i));
            }
            frontier.offer(JobId.ONLY, links, Scene.START);
            var hour = Scene.START.plusSeconds(3600);
            var failed = 0;
            for (var leases = frontier.lease(1, Scene.START);
                    !leases.isEmpty();
                    leases = frontier.lease(1, Scene.START)) {
                var retry = new Outcome.Retry(hour, FailureCause.TIMEOUT);
                var settlement =
                        Settlement.of(leases.getFirst(), retry, new HostSignal.Untouched());
                assertThat(frontier.settle(new Batch(List.of(settlement), List.of()), Scene.START))
                        .isZero();
                failed++;
            }
            assertThat(failed).isEqualTo(UrlQueue.DELAYED_MAX);
            assertThat(frontier.outlook(Scene.START).nextDue()).contains(hour);
            assertThat(frontier.lease(1, hour)).hasSize(1);
        }
    }
}
