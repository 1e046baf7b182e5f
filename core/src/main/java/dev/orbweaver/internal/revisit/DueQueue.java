package dev.orbweaver.internal.revisit;

import java.util.Arrays;

/**
 * The pages that become due next, in memory, so that not every search reads all due times.
 *
 * <p>A heap of due times and pages, which has all pages that are due up to a horizon. A page whose
 * due time changes is added again; the caller ignores entries whose due time is not the page's. It
 * is filled again from the due times of all pages when it is empty or has too many entries.
 */
final class DueQueue {

    static final long NONE = Long.MAX_VALUE;

    private static final int ROUNDS_MAX = 64;

    private final int filled;
    private final long[] heap;
    private int size;
    private int horizon = -1;

    /**
     * @param filled number of pages after a fill; twice as many can be added until the next one
     */
    DueQueue(int filled) {
        this.filled = filled;
        this.heap = new long[3 * filled];
    }

    static int due(long entry) {
        return (int) (entry >>> 32);
    }

    static int page(long entry) {
        return (int) entry;
    }

    /** Whether there may be due pages that are not in the queue. */
    boolean isIncomplete() {
        return size == 0 && horizon < ScheduleTime.NEVER;
    }

    void add(int page, int due) {
        if (due < 0 || due == ScheduleTime.NEVER || due > horizon) {
            return;
        }
        if (size == heap.length) {
            clear();
            return;
        }
        push(((long) due << 32) | page);
    }

    /** Forgets all pages, so that the next search fills the queue again. */
    void clear() {
        size = 0;
        horizon = -1;
    }

    int capacity() {
        return heap.length;
    }

    /** Reads all due times and keeps the earliest, without those of hosts that are passed over. */
    void fill(RevisitStore store, QueuedPages queued) {
        size = 0;
        horizon = ScheduleTime.NEVER;
        var latest = Long.MAX_VALUE;
        for (var page = 0; page < store.count(); page++) {
            var due = store.due(page);
            var entry = ((long) due << 32) | page;
            if (due < 0
                    || due == ScheduleTime.NEVER
                    || entry >= latest
                    || (queued.anyPassedOver() && queued.isPassedOver(store.row(page).host()))) {
                continue;
            }
            heap[size++] = entry;
            if (size == heap.length) {
                latest = keepSmallest();
            }
        }
        if (horizon < ScheduleTime.NEVER && size > filled) {
            var _ = keepSmallest();
        }
        for (var at = size / 2 - 1; at >= 0; at--) {
            sink(at, heap[at]);
        }
    }

    /** Keeps as many entries as a fill has, and returns the latest of them. */
    private long keepSmallest() {
        var latest = moveSmallest();
        size = filled;
        // Those due in the same second may be missing.
        horizon = due(latest) - 1;
        return latest;
    }

    /**
     * Moves the smallest entries to the front, in no order (Hoare's FIND). Entries are distinct.
     *
     * @return the largest of those in front
     */
    private long moveSmallest() {
        var wanted = filled - 1;
        var low = 0;
        var high = size - 1;
        for (var round = 0; low < high; round++) {
            if (round == ROUNDS_MAX) { // Bad pivots, which an order of due times may lead to.
                Arrays.sort(heap, low, high + 1);
                break;
            }
            var pivot = median(heap[low], heap[(low + high) >>> 1], heap[high]);
            var i = low;
            var j = high;
            while (i <= j) {
                while (heap[i] < pivot) {
                    i++;
                }
                while (heap[j] > pivot) {
                    j--;
                }
                if (i <= j) {
                    var moved = heap[i];
                    heap[i++] = heap[j];
                    heap[j--] = moved;
                }
            }
            if (wanted <= j) {
                high = j;
            } else if (wanted >= i) {
                low = i;
            } else {
                break;
            }
        }
        return heap[wanted];
    }

    private static long median(long a, long b, long c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }

    long poll() {
        if (size == 0) {
            return NONE;
        }
        var first = heap[0];
        size--;
        sink(0, heap[size]);
        return first;
    }

    /** Puts an entry at a position of the heap or below it. */
    private void sink(int position, long moved) {
        var at = position;
        while (true) {
            var child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= moved) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moved;
    }

    /** Adds an entry that was polled. */
    void restore(long entry) {
        if (size < heap.length) {
            push(entry);
        } else {
            clear();
        }
    }

    private void push(long entry) {
        var at = size++;
        while (at > 0) {
            var parent = (at - 1) / 2;
            if (heap[parent] <= entry) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = entry;
    }
}
