package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.CpuRatio;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

class ReadyQueuesTest {

    private final UrlQueue.QueueStorage queueStorage = new UrlQueue.QueueStorage(new MemoryStore());
    private final ReadyQueues lines = new ReadyQueues();
    private int queues;

    private UrlQueue queue(int job) {
        var host = new HostQueue("h" + queues + ".example", Politeness.DEFAULT);
        return new UrlQueue(queues++, host, job, queueStorage);
    }

    @CanIgnoreReturnValue
    private UrlQueue joined(int job) {
        var queue = queue(job);
        lines.enqueue(queue, false);
        return queue;
    }

    private Optional<UrlQueue> next(LeaseDemand leaseDemand) {
        lines.recall(leaseDemand);
        return lines.next(leaseDemand, new ArrayList<>());
    }

    /**
     * Serves this many turns, each queue moving to the end of its list; returns the turns of each
     * job.
     */
    private SortedMap<Integer, Integer> served(int times) {
        var served = new TreeMap<Integer, Integer>();
        for (var i = 0; i < times; i++) {
            var queue = next(LeaseDemand.ofAll()).orElseThrow();
            lines.served(queue.job, false);
            lines.remove(queue);
            lines.enqueue(queue, false);
            served.merge(queue.job, 1, Integer::sum);
        }
        return served;
    }

    @Test
    void aTurnCostsTheSameBesideTenThousandJobsThatWantNone() {
        var cpu = CpuRatio.of(turnsBeside(10), turnsBeside(10_000));
        assertThat(cpu.ratio()).as("%s", cpu).isLessThan(5);
    }

    /** Returns turns of one job beside others that have work. */
    private static CpuRatio.Operation turnsBeside(int others) {
        var test = new ReadyQueuesTest();
        for (var job = 0; job <= others; job++) {
            var _ = test.joined(job);
        }
        var demand = LeaseDemand.of(Map.of(new JobId(0), Integer.MAX_VALUE));
        return times -> {
            for (var i = 0; i < times; i++) {
                var queue = test.next(demand).orElseThrow();
                test.lines.served(queue.job, false);
                test.lines.remove(queue);
                test.lines.enqueue(queue, false);
            }
        };
    }

    @Test
    void aLineIsServedFirstInFirstOutAndAQueueStandsInItOnce() {
        var queues = List.of(joined(0), joined(0), joined(0), joined(0));
        lines.enqueue(queues.getFirst(), false);
        lines.remove(queues.get(1)); // From the middle.
        lines.remove(queues.get(1));
        var order = new ArrayList<UrlQueue>();
        for (var next = next(LeaseDemand.ofAll());
                next.isPresent();
                next = next(LeaseDemand.ofAll())) {
            lines.remove(next.get());
            order.add(next.get());
        }
        assertThat(order).containsExactly(queues.get(0), queues.get(2), queues.get(3));
        assertThat(lines.hasReady()).isFalse();
        lines.enqueue(queues.get(1), false);
        assertThat(next(LeaseDemand.ofAll())).contains(queues.get(1));
    }

    @Test
    void turnsAreDealtByWeight() {
        joined(0);
        joined(1);
        joined(1);
        joined(2);
        lines.setWeight(2, 3);
        assertThat(served(500)).containsEntry(0, 100).containsEntry(1, 100).containsEntry(2, 300);
    }

    @Test
    void aJobThatWasIdleDoesNotMakeUpForIt() {
        joined(0);
        assertThat(served(1000)).containsEntry(0, 1000);
        joined(1);
        assertThat(served(100).get(1)).isBetween(50, 51);
    }

    @Test
    void aForgottenJobIsNotServedAndItsQueuesAreFree() {
        var gone = List.of(joined(0), joined(0));
        var stays = joined(1);
        lines.removeJob(0);
        lines.removeJob(7);
        assertThat(served(3)).containsOnlyKeys(1);
        assertThat(gone).noneMatch(ReadyQueues::contains);
        lines.remove(stays);
        assertThat(next(LeaseDemand.ofAll())).isEmpty();
    }

    @Test
    void aJobThatWantsNoneIsPassedOverAndKeepsASingleTurn() {
        joined(0);
        var other = joined(1);
        var leaseDemand = LeaseDemand.of(Map.of(new JobId(1), 1000));
        for (var turn = 0; turn < 1000; turn++) {
            assertThat(next(leaseDemand)).contains(other);
            lines.served(1, false);
            leaseDemand.countLease(1);
        }
        assertThat(next(leaseDemand)).isEmpty();
        assertThat(served(10).get(0)).isBetween(5, 6);
    }

    @Test
    void aTurnThatCameToNothingIsNotCounted() {
        var first = joined(0);
        joined(1);
        for (var i = 0; i < 100; i++) {
            assertThat(next(LeaseDemand.ofAll())).contains(first); // And nothing is served.
        }
        assertThat(served(10)).containsEntry(0, 5).containsEntry(1, 5);
    }

    @Test
    void aWeightIsAtLeastOne() {
        assertThatThrownBy(() -> lines.setWeight(0, 0)).hasMessageContaining("at least 1, not 0");
    }
}
