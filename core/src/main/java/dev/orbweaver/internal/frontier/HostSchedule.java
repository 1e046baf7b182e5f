package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Schedules hosts: which host is next, and for which job.
 *
 * <p>Each job has lists of its queues whose hosts are ready, first in, first out; among hosts that
 * are due at the same moment, the one with the better URL is first. A heap has the waiting hosts,
 * ordered by when they are due. If a host's due time changes, its old entry stays in the heap;
 * entries are compared with the host when they are polled.
 *
 * <p>A ready host on which several jobs have work is in the list of one of them: that whose turn it
 * is on this host ({@link HostJobs}) among those that want a lease. It is chosen when leases are
 * wanted, and again if the job wants none when its turn comes.
 *
 * <p>A million hosts may become due at the same moment. So each call moves only some of them into
 * the lists, a few more than it needs. No call waits for the whole move, and because every call
 * moves some, hosts that join a list directly do not starve the others.
 */
@SuppressWarnings("EnumOrdinal") // Counts by state; each change of a host updates two.
final class HostSchedule {

    private static final int WOKEN_MIN = 64;
    private static final int STATES = State.values().length;

    private record WaitEntry(long dueAt, HostQueue host) {
        boolean isStale() {
            return !host.turn.isWaiting() || host.turn.dueAt != dueAt;
        }
    }

    private final EffectivePoliteness effectivePoliteness;
    private final ReadyQueues readyQueues = new ReadyQueues();

    /** Ready hosts of several jobs for which no job was chosen yet. */
    private final ArrayDeque<HostQueue> undecided = new ArrayDeque<>();

    /** Ready hosts of several jobs none of which wanted a lease. */
    private final ArrayDeque<HostQueue> unwanted = new ArrayDeque<>();

    /** The number of hosts in these two; entries of other hosts are outdated. */
    private int awaitingChoice;

    private final PriorityQueue<WaitEntry> waiting =
            new PriorityQueue<>(Comparator.comparingLong(WaitEntry::dueAt));
    private final int[] hostsIn = new int[STATES];

    /** Hosts with work of each job, by state. */
    private final Map<Integer, int[]> jobHostsIn = new HashMap<>();

    HostSchedule(EffectivePoliteness effectivePoliteness) {
        this.effectivePoliteness = effectivePoliteness;
    }

    /** Updates the position of a host after a change. */
    void reschedule(HostQueue host, long now) {
        if (host.turn.jobs != null && host.turn.jobs.settingsOutdated) {
            effectivePoliteness.apply(host);
        }
        var state = stateOf(host, now);
        var due = host.due();
        var asBefore =
                switch (state) {
                    case IDLE, BUSY, READY -> false;
                    case WAITING, RESTING -> host.turn.state == state && host.turn.dueAt == due;
                };
        if (!asBefore) { // Otherwise it keeps its position.
            if (state == State.READY && host.turn.state != State.READY) {
                host.turn.dueAt = due > 0 ? due : now;
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
        countForJobs(host, state);
    }

    private void enqueueReady(HostQueue host, long now) {
        var jobs = host.turn.jobs;
        if (jobs == null) {
            if (host.firstQueue != null) {
                readyQueues.enqueue(host.firstQueue, false);
            }
        } else if (!jobs.isContended()) {
            place(jobs, jobs.onlyWorking(), false);
        } else if (jobs.chosen == null
                || !ReadyQueues.isShared(jobs.chosen)
                || jobs.chosen.workAvailableAt() > now) {
            awaitChoice(host, jobs);
        }
    }

    private void place(HostJobs jobs, UrlQueue queue, boolean shared) {
        if (jobs.chosen != queue) {
            displace(jobs);
        }
        setAwaitsChoice(jobs, false);
        jobs.chosen = queue;
        readyQueues.enqueue(queue, shared);
    }

    private void displace(HostJobs jobs) {
        if (jobs.chosen != null) {
            readyQueues.remove(jobs.chosen);
            jobs.chosen = null;
        }
    }

    private void awaitChoice(HostQueue host, HostJobs jobs) {
        displace(jobs);
        if (!jobs.awaitsChoice) {
            setAwaitsChoice(jobs, true);
            undecided.add(host);
        }
    }

    private void setAwaitsChoice(HostJobs jobs, boolean awaits) {
        if (jobs.awaitsChoice != awaits) {
            jobs.awaitsChoice = awaits;
            awaitingChoice += awaits ? 1 : -1;
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
            leaveReady(host);
        }
        if (!host.turn.inSchedule) {
            host.turn.inSchedule = true;
            hostsIn[State.IDLE.ordinal()]++;
        }
        hostsIn[host.turn.state.ordinal()]--;
        hostsIn[state.ordinal()]++;
        host.turn.state = state;
    }

    private void leaveReady(HostQueue host) {
        var jobs = host.turn.jobs;
        if (jobs != null) {
            displace(jobs);
            setAwaitsChoice(jobs, false);
        } else if (host.firstQueue != null) {
            readyQueues.remove(host.firstQueue);
        }
    }

    private void countForJobs(HostQueue host, State state) {
        var jobs = host.turn.jobs;
        if (jobs != null) {
            jobs.countAs(state, this::hostsIn);
        } else if (host.firstQueue != null) {
            host.firstQueue.countAs(state, hostsIn(host.firstQueue.job));
        }
    }

    private int[] hostsIn(int job) {
        return jobHostsIn.computeIfAbsent(job, _ -> new int[STATES]);
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

    /** Considers jobs and hosts again that were passed over because no lease was wanted. */
    void recall(LeaseDemand leaseDemand, int wanted) {
        readyQueues.recall(leaseDemand);
        for (var left = Math.min(unwanted.size(), Math.max(WOKEN_MIN, 2 * wanted));
                left > 0;
                left--) {
            undecided.add(unwanted.remove());
        }
    }

    /**
     * Returns the next queue among the jobs that want a turn, and removes its host from the list.
     */
    Optional<UrlQueue> nextReady(LeaseDemand leaseDemand, long now) {
        while (true) {
            while (!undecided.isEmpty()) {
                choose(undecided.remove(), leaseDemand, now);
            }
            var declined = new ArrayList<UrlQueue>(0);
            var queue = readyQueues.next(leaseDemand, declined);
            if (declined.isEmpty()) {
                queue.ifPresent(first -> setState(first.host, State.IDLE));
                return queue;
            }
            for (var other : declined) {
                var jobs = other.host.turn.jobs;
                if (jobs != null) {
                    awaitChoice(other.host, jobs);
                }
            }
        }
    }

    private void choose(HostQueue host, LeaseDemand leaseDemand, long now) {
        var jobs = host.turn.jobs;
        if (jobs == null || !jobs.awaitsChoice) {
            return; // An outdated entry.
        }
        jobs.choose(leaseDemand, now)
                .ifPresentOrElse(queue -> place(jobs, queue, true), () -> unwanted.add(host));
    }

    /** Counts a turn; a turn without a lease is not counted. */
    void countTurn(UrlQueue queue) {
        var jobs = queue.host.turn.jobs;
        readyQueues.served(queue.job, jobs != null);
        if (jobs != null) {
            jobs.served(queue);
        }
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
        jobHostsIn.remove(job);
    }

    void remove(HostQueue host) {
        setState(host, State.IDLE);
        host.queues().forEach(queue -> queue.countAs(State.IDLE, hostsIn(queue.job)));
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
        return readyQueues.hasReady() || awaitingChoice > 0 || (next != null && next.dueAt <= now);
    }

    int delayedHosts() {
        return hostsIn[State.WAITING.ordinal()];
    }

    FrontierStats.Hosts hosts() {
        return hosts(hostsIn[State.IDLE.ordinal()], hostsIn);
    }

    /**
     * Returns the hosts of a job by state.
     *
     * @param total on how many hosts the job has or had URLs
     */
    FrontierStats.Hosts hosts(int job, int total) {
        var counts = jobHostsIn.getOrDefault(job, new int[STATES]);
        var working = 0;
        for (var state : State.values()) {
            working += state == State.IDLE ? 0 : counts[state.ordinal()];
        }
        return hosts(total - working, counts);
    }

    private static FrontierStats.Hosts hosts(int idle, int[] counts) {
        return new FrontierStats.Hosts(
                idle,
                counts[State.WAITING.ordinal()],
                counts[State.READY.ordinal()],
                counts[State.BUSY.ordinal()],
                counts[State.RESTING.ordinal()]);
    }
}
