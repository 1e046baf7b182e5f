package dev.orbweaver.internal.revisit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the pages to visit now: of those that are due first, twice as many as wanted, the most
 * valuable. Its buffers grow to the size of the queue and are kept, so a search allocates only the
 * pages that it returns.
 */
final class DueSearch {

    /** Low bits of a sort key: the position of a candidate. Candidates never exceed the queue. */
    private static final int INDEX_BITS = 18;

    private static final long INDEX = (1L << INDEX_BITS) - 1;

    private final RevisitStore store;
    private final VisitTimes times;
    private final DueQueue queue;
    private final QueuedPages queued;

    /** Pages found of each host. */
    private final Map<Integer, Integer> foundOf = new HashMap<>();

    /** Entries that were taken from the queue and go back. */
    private long[] polled = new long[1 << 8];

    private int polledCount;

    /** Pages found, the values of their visits, and keys that sort them by value, highest first. */
    private int[] pages = new int[1 << 8];

    private double[] values = new double[1 << 8];
    private long[] keys = new long[1 << 8];
    private int found;
    private int requested;

    DueSearch(RevisitStore store, VisitTimes times, DueQueue queue, QueuedPages queued) {
        if (queue.capacity() > INDEX) {
            throw new IllegalArgumentException("a queue of " + queue.capacity());
        }
        this.store = store;
        this.times = times;
        this.queue = queue;
        this.queued = queued;
    }

    /**
     * Returns the pages to visit, the most valuable first, and requested ones before all others.
     *
     * @param room how many pages the budget has room for; requested ones do not count
     * @param perHost pages of a host that may be queued, with those that are
     */
    List<Due> find(int now, int max, int room, int perHost) {
        foundOf.clear();
        if (queued.retry(perHost)) {
            queue.clear();
        }
        collect(now, 2L * max, 2L * room, perHost);
        for (var i = 0; i < polledCount; i++) {
            queue.restore(polled[i]);
        }
        Arrays.sort(keys, 0, found);
        var wanted = (int) Math.min(max, Math.min(found, (long) requested + room));
        var due = new ArrayList<Due>(wanted);
        for (var i = 0; i < wanted; i++) {
            var at = (int) (keys[i] & INDEX);
            var row = store.row(pages[at]);
            due.add(new Due(pages[at], row.first(), row.last(), values[at]));
        }
        return due;
    }

    private void collect(int now, long most, long mostChosen, int perHost) {
        found = 0;
        requested = 0;
        polledCount = 0;
        var filled = false;
        var latest = -1L;
        for (var attempts = 4L * queue.capacity(); attempts > 0; attempts--) {
            if (found >= most) {
                return;
            }
            if (queue.isIncomplete()) {
                if (filled) {
                    return; // Another fill would return the same pages.
                }
                queue.fill(store, queued);
                filled = true;
                polledCount = 0;
            }
            var entry = queue.poll();
            if (entry == DueQueue.NONE) {
                return;
            }
            var page = DueQueue.page(entry);
            var due = DueQueue.due(entry);
            if (store.due(page) != due || entry == latest) {
                continue; // Its due time has changed, or the queue has it twice.
            }
            var row = store.row(page);
            if (queued.of(row.host()) + foundOf.getOrDefault(row.host(), 0) >= perHost) {
                queued.passOver(row.host()); // The queue gets its pages again with the next fill.
                continue;
            }
            polled(entry);
            if (entry < latest) {
                continue; // It was found before the queue was filled again.
            }
            latest = entry;
            if (due != ScheduleTime.REQUESTED && found - requested >= mostChosen) {
                return;
            }
            if (due <= now) {
                add(page, row, times.rank(row, due, now));
                requested += due == ScheduleTime.REQUESTED ? 1 : 0;
            } else if (times.mayBeEarly(row, now)) {
                add(page, row, times.rank(row, due, now));
            } else if (!times.hasEarlyVisits()) {
                return;
            }
        }
    }

    private void polled(long entry) {
        if (polledCount == polled.length) {
            polled = Arrays.copyOf(polled, 2 * polledCount);
        }
        polled[polledCount++] = entry;
    }

    private void add(int page, PageRow row, double value) {
        foundOf.merge(row.host(), 1, Integer::sum);
        if (found == pages.length) {
            pages = Arrays.copyOf(pages, 2 * found);
            values = Arrays.copyOf(values, 2 * found);
            keys = Arrays.copyOf(keys, 2 * found);
        }
        pages[found] = page;
        values[found] = value;
        // Bits of positive numbers are in the order of the numbers; differences of less than 10⁻⁹
        // are decided by the due time.
        var descending = Long.MAX_VALUE - Double.doubleToRawLongBits(Math.max(0, value));
        keys[found] = (descending & ~INDEX) | found;
        found++;
    }
}
