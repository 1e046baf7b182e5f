package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Which leases run out next. A lease that has ended meanwhile is found out when its time comes. */
final class LeaseDeadlines {

    private record Deadline(long token, long at) {}

    private final PriorityQueue<Deadline> queue =
            new PriorityQueue<>(Comparator.comparingLong(Deadline::at));

    void add(long token, long at) {
        queue.add(new Deadline(token, at));
    }

    /** How many are kept, ended leases included. */
    int size() {
        return queue.size();
    }

    void clear() {
        queue.clear();
    }

    /**
     * Takes out the leases whose deadline has passed: at the deadline itself a lease still holds.
     */
    List<Long> removeExpired(long now) {
        var tokens = new ArrayList<Long>(0);
        for (var next = queue.peek(); next != null && next.at() < now; next = queue.peek()) {
            tokens.add(queue.remove().token());
        }
        return tokens;
    }
}
