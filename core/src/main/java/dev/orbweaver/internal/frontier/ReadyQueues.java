package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ready queues of each job, and which job is served next ({@link FairTurns}).
 *
 * <p>A job has two lists, first in, first out: queues of hosts that it has to itself, and queues of
 * hosts that it shares with other jobs and whose turn is its own. Its turns alternate between them,
 * because the other jobs wait for a shared host until it is served, and must not wait for all hosts
 * of this job.
 */
final class ReadyQueues {

    private static final int WEIGHT_DEFAULT = 1;

    /** Maximum number of queues that one joining queue is compared with. */
    private static final int TIES_MAX = 64;

    private static final byte NONE = 0;
    private static final byte OWN = 1;
    private static final byte SHARED = 2;

    private static final class QueueList {
        private @Nullable UrlQueue first;
        private @Nullable UrlQueue last;

        /**
         * Appends a queue. If its host became due at the same moment as the last ones, it is
         * inserted by rank among them.
         */
        private void add(UrlQueue queue) {
            var previous = last;
            var rank = queue.firstRank();
            for (var left = TIES_MAX;
                    left > 0 && previous != null && comesBefore(queue, rank, previous);
                    left--) {
                previous = previous.previousReady;
            }
            insertAfter(previous, queue);
        }

        /** Returns whether a queue's host was due at the same moment, with a better URL. */
        private static boolean comesBefore(UrlQueue queue, int rank, UrlQueue other) {
            return queue.host.turn.dueAt == other.host.turn.dueAt && rank < other.firstRank();
        }

        private void insertAfter(@Nullable UrlQueue previous, UrlQueue queue) {
            var next = previous == null ? first : previous.nextReady;
            queue.previousReady = previous;
            queue.nextReady = next;
            if (previous == null) {
                first = queue;
            } else {
                previous.nextReady = queue;
            }
            if (next == null) {
                last = queue;
            } else {
                next.previousReady = queue;
            }
        }

        private void remove(UrlQueue queue) {
            if (queue.previousReady == null) {
                first = queue.nextReady;
            } else {
                queue.previousReady.nextReady = queue.nextReady;
            }
            if (queue.nextReady == null) {
                last = queue.previousReady;
            } else {
                queue.nextReady.previousReady = queue.previousReady;
            }
            queue.previousReady = null;
            queue.nextReady = null;
        }
    }

    private static final class ReadyJob {
        private final FairTurns.Turn turn;
        private final QueueList own = new QueueList();
        private final QueueList shared = new QueueList();
        private boolean servesSharedNext = true;

        private ReadyJob(int job) {
            this.turn = new FairTurns.Turn(job, WEIGHT_DEFAULT);
        }

        private @Nullable UrlQueue first() {
            var wanted = servesSharedNext ? shared.first : own.first;
            var other = servesSharedNext ? own.first : shared.first;
            return wanted == null ? other : wanted;
        }

        private QueueList listOf(UrlQueue queue) {
            return queue.readyList == SHARED ? shared : own;
        }
    }

    private final Map<Integer, ReadyJob> jobs = new HashMap<>();
    private final FairTurns turns = new FairTurns();

    /**
     * Appends a queue to its job's list, unless it is already in it.
     *
     * @param shared whether other jobs wait for the same host
     */
    void enqueue(UrlQueue queue, boolean shared) {
        var list = shared ? SHARED : OWN;
        if (queue.readyList == list) {
            return;
        }
        remove(queue);
        var job = job(queue.job);
        queue.readyList = list;
        job.listOf(queue).add(queue);
        turns.enter(job.turn);
    }

    static boolean contains(UrlQueue queue) {
        return queue.readyList != NONE;
    }

    static boolean isShared(UrlQueue queue) {
        return queue.readyList == SHARED;
    }

    void remove(UrlQueue queue) {
        if (!contains(queue)) {
            return;
        }
        var job = job(queue.job);
        job.listOf(queue).remove(queue);
        queue.readyList = NONE;
        if (job.first() == null) {
            turns.leave(job.turn);
        }
    }

    /** Considers the jobs again that wanted no turn the last time and want one now. */
    void recall(LeaseDemand leaseDemand) {
        if (leaseDemand.isOfFewerJobs(turns.declined())) {
            turns.recall(leaseDemand.wantingJobs());
        } else {
            turns.recall(turn -> leaseDemand.wants(turn.job));
        }
    }

    /**
     * Returns the first queue of the next job among those that want a turn; it stays in the list.
     *
     * @param unwanted receives the shared queues of jobs whose turn it was and that want none:
     *     their hosts are for other jobs then
     */
    Optional<UrlQueue> next(LeaseDemand leaseDemand, List<UrlQueue> unwanted) {
        return turns.next(
                        turn -> {
                            var wants = leaseDemand.wants(turn.job);
                            if (!wants) {
                                for (var queue = job(turn.job).shared.first;
                                        queue != null;
                                        queue = queue.nextReady) {
                                    unwanted.add(queue);
                                }
                            }
                            return wants;
                        })
                .map(turn -> job(turn.job).first());
    }

    /**
     * Counts a turn of a job.
     *
     * @param shared whether it was on a host that it shares with others
     */
    void served(int job, boolean shared) {
        var served = job(job);
        served.servesSharedNext = !shared;
        turns.served(served.turn);
    }

    boolean hasReady() {
        return turns.hasWork();
    }

    void setWeight(int job, int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("a job's weight must be at least 1, not " + weight);
        }
        turns.setWeight(job(job).turn, weight);
    }

    void removeJob(int job) {
        var gone = jobs.remove(job);
        if (gone == null) {
            return;
        }
        turns.remove(gone.turn);
        for (var list : List.of(gone.own, gone.shared)) {
            for (var queue : queues(list)) {
                list.remove(queue);
                queue.readyList = NONE;
            }
        }
    }

    private static List<UrlQueue> queues(QueueList list) {
        var all = new ArrayList<UrlQueue>();
        for (var queue = list.first; queue != null; queue = queue.nextReady) {
            all.add(queue);
        }
        return all;
    }

    private ReadyJob job(int job) {
        return jobs.computeIfAbsent(job, ReadyJob::new);
    }
}
