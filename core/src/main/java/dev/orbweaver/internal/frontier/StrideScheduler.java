package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps a list of ready queues for each job, and decides which list is served next.
 *
 * <p>Turns are shared by stride scheduling (Waldspurger and Weihl, 1995): a job that is served
 * advances by a stride of one over its weight, and the job that has advanced least is next. A job
 * that had no work for a while starts level with the others and does not catch up. A job that wants
 * no turn at present keeps a single one.
 */
final class StrideScheduler {

    private static final int WEIGHT_DEFAULT = 1;
    private static final long STRIDE = 1L << 32;

    private static final class ReadyList {
        private @Nullable UrlQueue first;
        private @Nullable UrlQueue last;
        private int weight = WEIGHT_DEFAULT;
        private long pass;

        private long stride() {
            return STRIDE / weight;
        }
    }

    private final Map<Integer, ReadyList> readyLists = new TreeMap<>();
    private long virtualTime;

    /** Appends a queue to its job's list, unless it is already in it. */
    void enqueue(UrlQueue queue) {
        if (queue.inReadyList) {
            return;
        }
        var readyList = readyList(queue.job);
        if (readyList.first == null) {
            readyList.first = queue;
            readyList.pass = Math.max(readyList.pass, virtualTime);
        } else {
            queue.previousReady = readyList.last;
            tail(readyList).nextReady = queue;
        }
        readyList.last = queue;
        queue.inReadyList = true;
    }

    private static UrlQueue tail(ReadyList readyList) {
        if (readyList.last == null) {
            throw new IllegalStateException("a nonempty list must have a last element");
        }
        return readyList.last;
    }

    void remove(UrlQueue queue) {
        if (!queue.inReadyList) {
            return;
        }
        var readyList = readyList(queue.job);
        if (queue.previousReady == null) {
            readyList.first = queue.nextReady;
        } else {
            queue.previousReady.nextReady = queue.nextReady;
        }
        if (queue.nextReady == null) {
            readyList.last = queue.previousReady;
        } else {
            queue.nextReady.previousReady = queue.previousReady;
        }
        queue.previousReady = null;
        queue.nextReady = null;
        queue.inReadyList = false;
    }

    /**
     * Returns the first queue of the next job among those that want a turn; it stays in the list.
     */
    Optional<UrlQueue> next(LeaseDemand leaseDemand) {
        ReadyList next = null;
        for (var each : readyLists.entrySet()) {
            var readyList = each.getValue();
            if (readyList.first == null) {
                continue;
            }
            if (!leaseDemand.wants(each.getKey())) {
                readyList.pass = Math.max(readyList.pass, virtualTime - readyList.stride());
            } else if (next == null || readyList.pass < next.pass) {
                next = readyList;
            }
        }
        if (next == null) {
            return Optional.empty();
        }
        virtualTime = next.pass;
        return Optional.ofNullable(next.first);
    }

    void advance(int job) {
        var readyList = readyList(job);
        readyList.pass += readyList.stride();
    }

    boolean hasReady() {
        for (var readyList : readyLists.values()) {
            if (readyList.first != null) {
                return true;
            }
        }
        return false;
    }

    void setWeight(int job, int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("a job's weight must be at least 1, not " + weight);
        }
        readyList(job).weight = weight;
    }

    void removeJob(int job) {
        var readyList = readyLists.remove(job);
        for (var queue = readyList == null ? null : readyList.first; queue != null; ) {
            var next = queue.nextReady;
            queue.previousReady = null;
            queue.nextReady = null;
            queue.inReadyList = false;
            queue = next;
        }
    }

    private ReadyList readyList(int job) {
        return readyLists.computeIfAbsent(job, _ -> new ReadyList());
    }
}
