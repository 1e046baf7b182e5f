package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
