package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

class ConcurrentFrontierTest {

    private static void atOnce(int threads, Runnable work) throws InterruptedException {
        var start = new CountDownLatch(1);
        var running = new ArrayList<Thread>();
        for (var i = 0; i < threads; i++) {
            running.add(
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    start.await();
                                    work.run();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }));
        }
        start.countDown();
        for (var thread : running) {
            thread.join();
        }
    }

    @Test
    void eightAskersAtTheSameMomentGetAHostOnce() throws InterruptedException {
        var politeness =
                new Politeness(
                        Duration.ofSeconds(10),
                        Duration.ZERO,
                        Duration.ZERO,
                        1,
                        Duration.ofMinutes(10));
        try (var frontier = TestFrontier.inMemory(politeness, Fixture.START)) {
            var urls =
                    IntStream.range(0, 200)
                            .mapToObj(i -> Fixture.link("http://a.example/" + i))
                            .toList();
            atOnce(8, () -> frontier.offer(TestFrontier.JOB, urls, Fixture.START));
            assertThat(frontier.stats().ledger().accepted()).isEqualTo(200);
            assertThat(frontier.stats().ledger().duplicate()).isEqualTo(1400);
            for (var round = 0; round < 20; round++) {
                var now = Fixture.START.plusSeconds(10L * round);
                var leases = new ConcurrentLinkedQueue<Lease>();
                atOnce(8, () -> leases.addAll(frontier.lease(5, now)));
                assertThat(leases).hasSize(1);
                var settlement =
                        Settlement.of(
                                leases.element(),
                                new Outcome.Done(true, 1),
                                new HostSignal.Healthy(now));
                assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), now))
                        .isZero();
            }
        }
    }

    /**
     * Event loops report sent requests; a loop that waits for the lock delays all its responses.
     */
    @Test
    void aSentRequestIsReportedWhileAnotherThreadUsesTheFrontier() throws Exception {
        var politeness =
                new Politeness(
                        Duration.ZERO,
                        Duration.ofSeconds(10),
                        Duration.ZERO,
                        2,
                        Duration.ofMinutes(10));
        var frontier = WorkbenchFrontier.inMemory(politeness, Fixture.START);
        var urls = List.of(Fixture.link("http://a.example/1"), Fixture.link("http://a.example/2"));
        var _ = frontier.offer(TestFrontier.JOB, urls, Fixture.START);
        var leases = frontier.lease(2, Fixture.START);
        var url = leases.getFirst().url();
        var address = InetAddress.ofLiteral("192.0.2.1");
        assertThat(frontier.passGates(leases.getFirst(), url, address, Fixture.START)).isEmpty();
        var sent = Fixture.START.plusSeconds(3);
        synchronized (frontier) {
            var loop = Thread.ofPlatform().start(() -> frontier.sent(leases.getFirst(), sent));
            assertThat(loop.join(Duration.ofSeconds(20))).isTrue();
        }
        assertThat(frontier.passGates(leases.getLast(), url, address, sent))
                .as("the delay of the address runs from the report")
                .contains(sent.plusSeconds(10));
    }
}
