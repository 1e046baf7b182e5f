package dev.orbweaver.frontier;

import dev.orbweaver.frontier.HostQueue.State;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Which host is next: a line of those that are ready, first in, first out, and a heap of those that
 * wait, by when they are due. A host that changes its mind leaves its old entry behind; entries are
 * checked against the host when they come up.
 */
@SuppressWarnings(
        "EnumOrdinal") // Counts by state, in an array because every change of a host touches two of
// them.
final class HostSchedule {

    private record Turn(long dueAt, HostQueue host) {
        boolean stale() {
            return (host.state != State.WAITING && host.state != State.RESTING)
                    || host.dueAt != dueAt;
        }
    }

    private final int perHost;
    private final ArrayDeque<HostQueue> ready = new ArrayDeque<>();
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(Comparator.comparingLong(Turn::dueAt));
    private final int[] hostsIn = new int[State.values().length];

    HostSchedule(int perHost) {
        this.perHost = perHost;
    }

    /** Puts a host where it belongs now that something about it has changed. */
    void place(HostQueue host, long now) {
        if (host.state == State.READY) {
            return;
        }
        if (!host.hasWork()) {
            enter(host, host.leased > 0 ? State.BUSY : State.IDLE);
        } else if (host.leased >= host.capacity(perHost)) {
            enter(host, State.BUSY);
        } else if (host.due() <= now) {
            enter(host, State.READY);
            ready.addLast(host);
        } else {
            await(host);
        }
    }

    private void await(HostQueue host) {
        var due = host.due();
        var state = host.plainlyWaiting() ? State.WAITING : State.RESTING;
        if (host.state == state && host.dueAt == due) {
            return;
        }
        enter(host, state);
        host.dueAt = due;
        turns.add(new Turn(due, host));
    }

    private void enter(HostQueue host, State state) {
        if (!host.known) {
            host.known = true;
            hostsIn[State.IDLE.ordinal()]++;
        }
        hostsIn[host.state.ordinal()]--;
        hostsIn[state.ordinal()]++;
        host.state = state;
    }

    /** Moves the hosts whose time has come into the line. */
    void wakeDue(long now) {
        for (var turn = nextTurn();
                turn.isPresent() && turn.get().dueAt <= now;
                turn = nextTurn()) {
            turns.remove();
            var host = turn.get().host;
            enter(host, State.IDLE);
            place(host, now);
        }
    }

    private Optional<Turn> nextTurn() {
        while (true) {
            var turn = turns.peek();
            if (turn == null || !turn.stale()) {
                return Optional.ofNullable(turn);
            }
            turns.remove();
        }
    }

    /** The first host in the line, taken out of it. */
    Optional<HostQueue> nextReady() {
        var host = ready.pollFirst();
        if (host == null) {
            return Optional.empty();
        }
        enter(host, State.IDLE);
        return Optional.of(host);
    }

    /** Takes a host out of the line because somebody else is about to visit it. */
    void leaveLine(HostQueue host) {
        if (host.state == State.READY) {
            ready.remove(host);
            enter(host, State.IDLE);
        }
    }

    Optional<HostQueue> nextWaiting() {
        return nextTurn().map(Turn::host);
    }

    boolean anyReady() {
        return !ready.isEmpty();
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
