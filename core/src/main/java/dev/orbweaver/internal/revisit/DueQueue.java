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
        return size == 0 && horizon < RevisitSchedule.NEVER;
    }

    void add(int page, int due) {
        if (due < 0 || due == RevisitSchedule.NEVER || due > horizon) {
            return;
        }
        if (size == heap.length) {
            clear();
            return;
        }
        push(((long) due << 32) | page);
    }

    private void clear() {
        size = 0;
        horizon = -1;
    }

    /** Reads all due times and keeps the earliest. */
    void fill(RevisitStore store) {
        size = 0;
        horizon = RevisitSchedule.NEVER;
        var latest = Long.MAX_VALUE;
        for (var page = 0; page < store.count(); page++) {
            var due = store.due(page);
            if (due < 0 || due == RevisitSchedule.NEVER) {
                continue;
            }
            var entry = ((long) due << 32) | page;
            if (entry >= latest) {
                continue;
            }
            heap[size++] = entry;
            if (size == heap.length) {
                Arrays.sort(heap);
                size = filled;
                latest = heap[filled - 1];
                // Those due in the same second may be missing.
                horizon = due(latest) - 1;
            }
        }
        Arrays.sort(heap, 0, size);
        if (horizon < RevisitSchedule.NEVER && size > filled) {
            size = filled;
            horizon = due(heap[filled - 1]) - 1;
        }
    }

    long poll() {
        if (size == 0) {
            return NONE;
        }
        var first = heap[0];
        var moved = heap[--size];
        var at = 0;
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
        return first;
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
