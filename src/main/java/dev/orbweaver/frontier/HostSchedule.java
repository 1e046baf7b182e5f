package dev.orbweaver.frontier;

import dev.orbweaver.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Which host is next, and for which job: for each job a line of its queues whose hosts are ready,
 * first in, first out, and a heap of the hosts that wait, by when they are due. A host that changes
 * its mind leaves its old entry in the heap behind; entries are checked against the host when they
 * come up.
 *
 * <p>A million hosts may become due in the same moment. So only some are moved into the lines at a
 * time, a few more than are asked for: nobody waits for the whole move, and as every call moves
 * some, nobody is left behind by those who join a line directly.
 */
@SuppressWarnings("EnumOrdinal") // Counts by state; every change of a host touches two of them.
final class HostSchedule {

    private static final int WOKEN_MIN = 64;

    private record Turn(long dueAt, HostQueue host) {
        boolean stale() {
            return (host.state != State.WAITING && host.state != State.RESTING)
                    || host.dueAt != dueAt;
        }
    }

    private final JobLines lines = new JobLines();
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(Comparator.comparingLong(Turn::dueAt));
    private final int[] hostsIn = new int[State.values().length];

    /** Puts a host where it belongs now that something about it has changed. */
    void place(HostQueue host, long now) {
        var state = stateOf(host, now);
        var due = host.due();
        var asBefore =
                switch (state) {
                    case IDLE, BUSY, READY -> false;
                    case WAITING, RESTING -> host.state == state && host.dueAt == due;
                };
        if (asBefore) {
            return; // It keeps its place.
        }
        enter(host, state);
        switch (state) {
            case IDLE, BUSY -> {}
            case READY -> join(host, now);
            case WAITING, RESTING -> {
                host.dueAt = due;
                turns.add(new Turn(due, host));
            }
        }
    }

    private void join(HostQueue host, long now) {
        for (var queue = host.first; queue != null; queue = queue.sibling) {
            if (queue.workFrom() <= now) {
                lines.join(queue);
            } else {
                lines.leave(queue);
            }
        }
    }

    private static State stateOf(HostQueue host, long now) {
        if (!host.hasWork()) {
            return host.leased > 0 ? State.BUSY : State.IDLE;
        }
        if (host.full()) {
            return State.BUSY;
        }
        if (host.due() <= now) {
            return State.READY;
        }
        return host.plainlyWaiting() ? State.WAITING : State.RESTING;
    }

    private void enter(HostQueue host, State state) {
        if (host.state == State.READY && state != State.READY) {
            for (var queue = host.first; queue != null; queue = queue.sibling) {
                lines.leave(queue);
            }
        }
        if (!host.known) {
            host.known = true;
            hostsIn[State.IDLE.ordinal()]++;
        }
        hostsIn[host.state.ordinal()]--;
        hostsIn[state.ordinal()]++;
        host.state = state;
    }

    /** Moves hosts whose time has come into the lines, some more than are {@code wanted}. */
    void wakeDue(int wanted, long now) {
        var left = Math.max(WOKEN_MIN, 2 * wanted);
        for (var turn = nextTurn();
                turn != null && turn.dueAt <= now && left > 0;
                turn = nextTurn()) {
            turns.remove();
            var host = turn.host;
            enter(host, State.IDLE);
            place(host, now);
            left--;
        }
    }

    private @Nullable Turn nextTurn() {
        while (true) {
            var turn = turns.peek();
            if (turn == null || !turn.stale()) {
                return turn;
            }
            turns.remove();
        }
    }

    /** The queue whose turn it is among the jobs that want one; its host leaves the line. */
    Optional<UrlQueue> nextReady(Demand demand) {
        var queue = lines.next(demand);
        queue.ifPresent(first -> enter(first.host, State.IDLE));
        return queue;
    }

    /** A job was given what its turn was for; a turn that came to nothing is not counted. */
    void served(int job) {
        lines.served(job);
    }

    /** A job's share of the turns, when all have work, is as its weight to those of the others. */
    void weigh(int job, int weight) {
        lines.weigh(job, weight);
    }

    void forget(int job) {
        lines.forget(job);
    }

    /** Takes a host out of every line and every count. */
    void remove(HostQueue host) {
        enter(host, State.IDLE);
        hostsIn[State.IDLE.ordinal()]--;
        host.known = false;
        if (turns.size() > WOKEN_MIN + 4 * hosts().total()) {
            turns.removeIf(Turn::stale); // Mostly turns of hosts that are gone.
        }
    }

    Optional<HostQueue> nextWaiting() {
        return Optional.ofNullable(nextTurn()).map(Turn::host);
    }

    boolean anyReady(long now) {
        var next = nextTurn();
        return lines.anyReady() || (next != null && next.dueAt <= now);
    }

    int plainlyWaiting() {
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
