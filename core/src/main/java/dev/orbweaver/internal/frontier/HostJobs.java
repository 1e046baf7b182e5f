package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * The jobs of a host on which several jobs have or had URLs: which of them have work, and whose
 * turn it is.
 *
 * <p>The host's own turns are shared by weight, independently of those elsewhere. If a job's turns
 * on all hosts were counted together, jobs that share a slow host would all be far behind a job
 * with many fast hosts, and their weights would have no effect on the slow host.
 *
 * <p>Like {@link HostTurn} it is neither in the log nor in a snapshot. Queues of jobs that are not
 * active stay here, but cost nothing: every loop is over the queues with work.
 */
final class HostJobs {

    private static final class Member {
        private final UrlQueue queue;
        private final FairTurns.Turn turn;
        private int leased;
        private int @Nullable [] hostsIn;

        private Member(UrlQueue queue, int weight, int leased) {
            this.queue = queue;
            this.turn = new FairTurns.Turn(queue.job, weight);
            this.leased = leased;
        }
    }

    private final Map<Integer, Member> members = new HashMap<>();

    /** Queues with URLs that may be leased. */
    private final Set<Member> working = new LinkedHashSet<>();

    /** Queues with such URLs or with requests in flight: their settings count. */
    private final Set<Member> counting = new LinkedHashSet<>();

    /** Queues that have begun or stopped counting since the last call of {@link #countAs}. */
    private List<Member> changed = List.of();

    /** The state as which the host is counted for the jobs with work. */
    private State countedState = State.IDLE;

    private final FairTurns turns = new FairTurns();

    /** The queue that represents the host while it is ready, if one was chosen. */
    @Nullable UrlQueue chosen;

    /** Whether the host is ready and waits until a job is chosen. */
    boolean awaitsChoice;

    /** Whether other jobs have work here than when the settings of the host were last merged. */
    boolean settingsOutdated;

    /** Creates the jobs of a host that had one queue so far. */
    HostJobs(UrlQueue only) {
        this.chosen = ReadyQueues.contains(only) ? only : null;
    }

    void add(UrlQueue queue, int weight, int leased) {
        var member = new Member(queue, weight, leased);
        members.put(queue.job, member);
        update(queue);
        updateCounting(member);
    }

    void remove(UrlQueue queue) {
        var member = members.remove(queue.job);
        if (member != null) {
            working.remove(member);
            counting.remove(member);
            changed = new ArrayList<>(changed);
            changed.remove(member);
            turns.remove(member.turn);
        }
    }

    @Nullable UrlQueue queueOf(int job) {
        var member = members.get(job);
        return member == null ? null : member.queue;
    }

    /** Updates what is known of a queue after a change of it. */
    void update(UrlQueue queue) {
        var member = members.get(queue.job);
        if (member == null) {
            return; // It is being added.
        }
        if (!queue.mayLease()) {
            if (working.remove(member)) {
                turns.leave(member.turn);
                updateCounting(member);
            }
        } else if (working.add(member)) {
            turns.enter(member.turn);
            updateCounting(member);
        }
    }

    void countLease(int job, int count) {
        var member = members.get(job);
        if (member != null) {
            member.leased += count;
            updateCounting(member);
        }
    }

    private void updateCounting(Member member) {
        if (member.leased > 0 || working.contains(member)) {
            if (counting.add(member)) {
                settingsOutdated = true;
                addChanged(member);
            }
        } else if (counting.remove(member)) {
            // If no queue is left, the settings stay as they are until one has work again.
            settingsOutdated |= !counting.isEmpty();
            addChanged(member);
        }
    }

    private void addChanged(Member member) {
        changed = changed.isEmpty() ? new ArrayList<>(2) : changed;
        changed.add(member);
    }

    /**
     * Counts the host in a state for the jobs that have work or requests in flight, and as idle for
     * the others.
     *
     * @param hostsIn returns the hosts of a job by state
     */
    void countAs(State state, IntFunction<int[]> hostsIn) {
        for (var member : changed) {
            count(member, counting.contains(member) ? state : State.IDLE, hostsIn);
        }
        changed = List.of();
        if (countedState != state) {
            countedState = state;
            for (var member : counting) {
                count(member, state, hostsIn);
            }
        }
    }

    private static void count(Member member, State state, IntFunction<int[]> hostsIn) {
        if (member.hostsIn == null) {
            member.hostsIn = hostsIn.apply(member.queue.job);
        }
        member.queue.countAs(state, member.hostsIn);
    }

    boolean hasWork() {
        return !working.isEmpty();
    }

    /** Returns whether several jobs have work here. */
    boolean isContended() {
        return working.size() > 1;
    }

    /** Returns the queue of the only job that has work. */
    UrlQueue onlyWorking() {
        return working.iterator().next().queue;
    }

    /** Passes the queues with work or requests in flight. */
    void forEachCounting(Consumer<UrlQueue> action) {
        for (var member : counting) {
            action.accept(member.queue);
        }
    }

    /** Returns when there is a URL to lease; {@link Long#MAX_VALUE} if there is none. */
    long workAvailableAt() {
        var from = Long.MAX_VALUE;
        for (var member : working) {
            from = Math.min(from, member.queue.workAvailableAt());
            if (from == 0) {
                break;
            }
        }
        return from;
    }

    /**
     * Returns the queue whose turn it is among those that have a URL now and whose jobs want it.
     */
    Optional<UrlQueue> choose(LeaseDemand leaseDemand, long now) {
        Predicate<FairTurns.Turn> wants =
                turn -> {
                    var member = members.get(turn.job);
                    return member != null
                            && member.queue.workAvailableAt() <= now
                            && leaseDemand.wants(turn.job);
                };
        turns.recall(wants);
        return turns.next(wants).map(turn -> queueOf(turn.job));
    }

    void setWeight(int job, int weight) {
        var member = members.get(job);
        if (member != null) {
            turns.setWeight(member.turn, weight);
        }
    }

    void served(UrlQueue queue) {
        var member = members.get(queue.job);
        if (member != null) {
            turns.served(member.turn);
        }
    }
}
