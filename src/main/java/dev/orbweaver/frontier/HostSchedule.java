package dev.orbweaver.frontier;

import dev.orbweaver.frontier.HostQueue.State;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SequencedSet;

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

    private final SequencedSet<HostQueue> ready = new LinkedHashSet<>();
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(Comparator.comparingLong(Turn::dueAt));
    private final int[] hostsIn = new int[State.values().length];

    /** Puts a host where it belongs now that something about it has changed. */
    void place(HostQueue host, long now) {
        var state = stateOf(host, now);
        var due = host.due();
        var asBefore =
                switch (state) {
                    case IDLE, BUSY -> false;
                    case READY -> host.state == state;
                    case WAITING, RESTING -> host.state == state && host.dueAt == due;
                };
        if (asBefore) {
            return; // It keeps its place.
        }
        enter(host, state);
        switch (state) {
            case IDLE, BUSY -> {}
            case READY -> ready.addLast(host);
            case WAITING, RESTING -> {
                host.dueAt = due;
                turns.add(new Turn(due, host));
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
        if (host.state == State.READY) {
            ready.remove(host);
        }
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
        if (ready.isEmpty()) {
            return Optional.empty();
        }
        var host = ready.getFirst();
        enter(host, State.IDLE);
        return Optional.of(host);
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
