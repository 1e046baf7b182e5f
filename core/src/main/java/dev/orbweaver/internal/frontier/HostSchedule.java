package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Schedules hosts: which host is next, and for which job.
 *
 * <p>Each job has a list of its queues whose hosts are ready, first in, first out. A heap has the
 * waiting hosts, ordered by when they are due. If a host's due time changes, its old entry stays in
 * the heap; entries are compared with the host when they are polled.
 *
 * <p>A million hosts may become due at the same moment. So each call moves only some of them into
 * the lists, a few more than it needs. No call waits for the whole move, and because every call
 * moves some, hosts that join a list directly do not starve the others.
 */
@SuppressWarnings("EnumOrdinal") // Counts by state; each change of a host updates two.
final class HostSchedule {

    private static final int WOKEN_MIN = 64;

    private record WaitEntry(long dueAt, HostQueue host) {
        boolean isStale() {
            return !host.turn.isWaiting() || host.turn.dueAt != dueAt;
        }
    }

    private final StrideScheduler readyQueues = new StrideScheduler();
    private final PriorityQueue<WaitEntry> waiting =
            new PriorityQueue<>(Comparator.comparingLong(WaitEntry::dueAt));
    private final int[] hostsIn = new int[State.values().length];

    /** Updates the position of a host after a change. */
    void reschedule(HostQueue host, long now) {
        var state = stateOf(host, now);
        var due = host.due();
        var asBefore =
                switch (state) {
                    case IDLE, BUSY, READY -> false;
                    case WAITING, RESTING -> host.turn.state == state && host.turn.dueAt == due;
                };
        if (asBefore) {
            return; // It keeps its position.
        }
        setState(host, state);
        switch (state) {
            case IDLE, BUSY -> {}
            case READY -> enqueueReady(host, now);
            case WAITING, RESTING -> {
                host.turn.dueAt = due;
                waiting.add(new WaitEntry(due, host));
            }
        }
    }

    private void enqueueReady(HostQueue host, long now) {
        for (var queue = host.firstQueue; queue != null; queue = queue.sibling) {
            if (queue.workAvailableAt() <= now) {
                readyQueues.enqueue(queue);
            } else {
                readyQueues.remove(queue);
            }
        }
    }

    private static State stateOf(HostQueue host, long now) {
        if (!host.hasWork()) {
            return host.leased > 0 ? State.BUSY : State.IDLE;
        }
        if (host.isFull()) {
            return State.BUSY;
        }
        if (host.due() <= now) {
            return State.READY;
        }
        return host.isWaitingForDelayOnly() ? State.WAITING : State.RESTING;
    }

    private void setState(HostQueue host, State state) {
        if (host.turn.state == State.READY && state != State.READY) {
            for (var queue = host.firstQueue; queue != null; queue = queue.sibling) {
                readyQueues.remove(queue);
            }
        }
        if (!host.turn.inSchedule) {
            host.turn.inSchedule = true;
            hostsIn[State.IDLE.ordinal()]++;
        }
        hostsIn[host.turn.state.ordinal()]--;
        hostsIn[state.ordinal()]++;
        host.turn.state = state;
    }

    /** Moves hosts that are due into the lists, a few more than {@code wanted}. */
    void wakeDue(int wanted, long now) {
        var left = Math.max(WOKEN_MIN, 2 * wanted);
        for (var waitEntry = nextEntry();
                waitEntry != null && waitEntry.dueAt <= now && left > 0;
                waitEntry = nextEntry()) {
            waiting.remove();
            var host = waitEntry.host;
            setState(host, State.IDLE);
            reschedule(host, now);
            left--;
        }
    }

    private @Nullable WaitEntry nextEntry() {
        while (true) {
            var waitEntry = waiting.peek();
            if (waitEntry == null || !waitEntry.isStale()) {
                return waitEntry;
            }
            waiting.remove();
        }
    }

    /**
     * Returns the next queue among the jobs that want a turn, and removes its host from the list.
     */
    Optional<UrlQueue> nextReady(LeaseDemand leaseDemand) {
        var queue = readyQueues.next(leaseDemand);
        queue.ifPresent(first -> setState(first.host, State.IDLE));
        return queue;
    }

    /** Counts a turn; a turn without a lease is not counted. */
    void countTurn(int job) {
        readyQueues.advance(job);
    }

    /**
     * Sets a job's weight: its share of the turns, relative to the weights of all jobs that have
     * work.
     */
    void setWeight(int job, int weight) {
        readyQueues.setWeight(job, weight);
    }

    void removeJob(int job) {
        readyQueues.removeJob(job);
    }

    void remove(HostQueue host) {
        setState(host, State.IDLE);
        hostsIn[State.IDLE.ordinal()]--;
        host.turn.inSchedule = false;
        if (waiting.size() > WOKEN_MIN + 4 * hosts().total()) {
            waiting.removeIf(WaitEntry::isStale); // Mostly entries of removed hosts.
        }
    }

    Optional<HostQueue> nextWaiting() {
        return Optional.ofNullable(nextEntry()).map(WaitEntry::host);
    }

    boolean hasReady(long now) {
        var next = nextEntry();
        return readyQueues.hasReady() || (next != null && next.dueAt <= now);
    }

    int delayedHosts() {
        return hostsIn[State.WAITING.ordinal()];
    }

    FrontierStats.Hosts hosts() {
        return new FrontierStats.Hosts(
                hostsIn[State.IDLE.ordinal()],
                hostsIn[State.WAITING.ordinal()],
                hostsIn[State.READY.ordinal()],
                hostsIn[State.BUSY.ordinal()],
                hostsIn[State.RESTING.ordinal()]);
    }
}
