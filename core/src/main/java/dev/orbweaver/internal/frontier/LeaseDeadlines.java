package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The deadlines of leases. The entry of a lease that has ended stays until its deadline. */
final class LeaseDeadlines {

    private record Deadline(long token, long at) {}

    private final PriorityQueue<Deadline> queue =
            new PriorityQueue<>(Comparator.comparingLong(Deadline::at));

    void add(long token, long at) {
        queue.add(new Deadline(token, at));
    }

    /** Returns the number of entries, including those of ended leases. */
    int size() {
        return queue.size();
    }

    void clear() {
        queue.clear();
    }

    /**
     * Removes and returns the leases whose deadline has passed. At the deadline itself a lease is
     * still valid.
     */
    List<Long> removeExpired(long now) {
        var tokens = new ArrayList<Long>(0);
        for (var next = queue.peek(); next != null && next.at() < now; next = queue.peek()) {
            tokens.add(queue.remove().token());
        }
        return tokens;
    }
}
