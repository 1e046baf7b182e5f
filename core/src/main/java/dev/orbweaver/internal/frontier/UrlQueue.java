package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * One job's URLs on one host, in four bands and a set of delayed URLs.
 *
 * <p>Each band is first in, first out, and is served only when those before it are empty. Delayed
 * URLs have their own not-before time.
 *
 * <p>There may be a million of these objects, so an empty one is little more than its fields, and
 * no URL that waits for its turn is an object. A band has three parts: returned URLs, which come
 * first; those in the {@link SegmentStore}; those in the {@link UrlBuffer}.
 */
final class UrlQueue {

    static final int BANDS = 4;

    /**
     * Maximum number of delayed URLs before all others of the queue wait with them. A host that
     * fails that often is not requested more, and memory stays bounded.
     */
    static final int DELAYED_MAX = 256;

    private static final int HEADS = 0;
    private static final int TAILS = BANDS;
    private static final int COUNTS = 2 * BANDS;

    private static final Comparator<QueueEntry> BY_TURN =
            Comparator.<QueueEntry>comparingLong(url -> url.notBefore)
                    .thenComparingLong(url -> url.delayOrder);

    final int id;
    final HostQueue host;
    final int job;
    private final QueueStorage queueStorage;

    /** Total number of URLs of the job ever queued on this host. */
    int accepted;

    /** Number of URLs without a not-before time. */
    int size;

    /** Whether nothing here may be leased: its URLs count as withdrawn. */
    boolean excluded;

    private ArrayDeque<QueueEntry> @Nullable [] released;
    private @Nullable PriorityQueue<QueueEntry> delayed;

    /** In the buffer: first address, last address and count of each band. */
    private int @Nullable [] buffered;

    /** The next queue of the same host, of another job. */
    @Nullable UrlQueue sibling;

    /** Neighbours in the list of the job's ready queues. */
    @Nullable UrlQueue previousReady;

    @Nullable UrlQueue nextReady;
    boolean inReadyList;

    UrlQueue(int id, HostQueue host, int job, QueueStorage queueStorage) {
        this.id = id;
        this.host = host;
        this.job = job;
        this.queueStorage = queueStorage;
    }

    void add(QueueEntry url) {
        if (url.notBefore > 0) {
            url.delayOrder = queueStorage.nextDelayed++;
            delayed().add(url);
        } else {
            queueStorage.recordBuffer.fill(url);
            append(
                    url.accepted.band(),
                    queueStorage.urlBuffer.add(queueStorage.recordBuffer, url.url().key()));
            size++;
        }
    }

    private void append(int band, int address) {
        var lines = buffered();
        if (lines[COUNTS + band]++ == 0) {
            lines[HEADS + band] = address;
        } else {
            queueStorage.urlBuffer.setNext(lines[TAILS + band], address);
        }
        lines[TAILS + band] = address;
    }

    /** Inserts a URL before all others of its band. */
    void addFirst(QueueEntry url) {
        url.notBefore = 0;
        released(url.accepted.band()).addFirst(url);
        size++;
    }

    /** Appends a URL after the returned ones of its band, in the order of a snapshot. */
    void addReleased(QueueEntry url) {
        released(url.accepted.band()).addLast(url);
        size++;
    }

    /** Takes the next URL; the queue must not be empty. */
    QueueEntry take(long now) {
        promote(now);
        for (var band = 0; band < BANDS; band++) {
            var url = takeFrom(band);
            if (url != null) {
                size--;
                return url;
            }
        }
        throw new IllegalStateException("queue is empty: host " + host.name + ", job " + job);
    }

    private @Nullable QueueEntry takeFrom(int band) {
        if (released != null && released[band] != null && !released[band].isEmpty()) {
            return released[band].removeFirst();
        }
        if (waitingInSegments(band) > 0) {
            var position = taken(band);
            var url = readSegment(band, position);
            queueStorage.segmentStore().markTaken(id, band, position);
            queueStorage.waitingCounts.add(id, band, -1);
            queueStorage.takenCounts.add(id, band, 1);
            return url;
        }
        if (buffered != null && buffered[COUNTS + band] > 0) {
            var address = buffered[HEADS + band];
            var url = readBuffer(band, address);
            buffered[COUNTS + band]--;
            buffered[HEADS + band] = queueStorage.urlBuffer.next(address);
            return url;
        }
        return null;
    }

    private QueueEntry readSegment(int band, int position) {
        queueStorage.segmentStore().read(id, band, position, queueStorage.recordBuffer);
        return queueStorage.recordBuffer.url(
                job,
                band,
                queueStorage.frontierStore.url(queueStorage.recordBuffer.textAsString()));
    }

    private QueueEntry readBuffer(int band, int address) {
        var key = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
        return queueStorage.recordBuffer.url(job, band, key);
    }

    /** Moves URLs whose not-before time has passed to the end of their bands. */
    private void promote(long now) {
        if (delayed == null) {
            return;
        }
        for (var next = delayed.peek();
                next != null && next.notBefore <= now;
                next = delayed.peek()) {
            var url = delayed.remove();
            url.notBefore = 0;
            add(url);
        }
        if (delayed.isEmpty()) {
            delayed = null;
        }
    }

    /** Returns when there is a URL to lease; {@link Long#MAX_VALUE} if there is none at all. */
    long workAvailableAt() {
        var waiting = delayed == null ? 0 : delayed.size();
        if (size > 0 && waiting < DELAYED_MAX && !excluded) {
            return 0;
        }
        return waiting == 0 || excluded ? Long.MAX_VALUE : delayed().element().notBefore;
    }

    int waiting() {
        return excluded ? 0 : stored();
    }

    int stored() {
        return size + (delayed == null ? 0 : delayed.size());
    }

    void setClockBack(long by) {
        if (delayed != null) {
            delayed.forEach(url -> url.notBefore -= by);
        }
    }

    /** Passes the buffer's URLs, to be flushed to a segment. */
    void flushTo(Workbench.FlushTarget out) throws IOException {
        var lines = buffered;
        if (lines == null) {
            return;
        }
        for (var band = 0; band < BANDS; band++) {
            var address = lines[HEADS + band];
            for (var left = lines[COUNTS + band]; left > 0; left--) {
                var _ = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
                out.add(id, band, queueStorage.recordBuffer);
                address = queueStorage.urlBuffer.next(address);
            }
        }
    }

    /** Records that the passed URLs are in a segment now. */
    void bufferFlushed() {
        var lines = buffered;
        for (var band = 0; lines != null && band < BANDS; band++) {
            queueStorage.waitingCounts.add(id, band, lines[COUNTS + band]);
        }
        buffered = null;
        if (lines != null) {
            queueStorage.recycle(lines);
        }
    }

    /** Removes all URLs, because the queue's host is released. */
    void clear() {
        if (buffered != null) {
            buffered = null;
            queueStorage.bufferedQueues.remove(this);
        }
        released = null;
        delayed = null;
        size = 0;
    }

    void moveTo(UrlBuffer other) {
        var lines = buffered;
        if (lines == null) {
            return;
        }
        buffered = null;
        for (var band = 0; band < BANDS; band++) {
            var address = lines[HEADS + band];
            for (var left = lines[COUNTS + band]; left > 0; left--) {
                var key = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
                address = queueStorage.urlBuffer.next(address);
                var moved = other.add(queueStorage.recordBuffer, key);
                var mine = buffered();
                if (mine[COUNTS + band]++ == 0) {
                    mine[HEADS + band] = moved;
                } else {
                    other.setNext(mine[TAILS + band], moved);
                }
                mine[TAILS + band] = moved;
            }
        }
    }

    /**
     * Records that a compaction removed {@code count} URLs of a band, all of which had been taken.
     */
    void removeTaken(int band, int count) {
        queueStorage.takenCounts.add(id, band, -count);
    }

    int taken(int band) {
        return queueStorage.takenCounts.get(id, band);
    }

    int waitingInSegments(int band) {
        return queueStorage.waitingCounts.get(id, band);
    }

    void restoreSegmentCounts(int band, int waiting, int alreadyTaken) {
        queueStorage.waitingCounts.add(id, band, waiting);
        queueStorage.takenCounts.add(id, band, alreadyTaken);
        size += waiting;
    }

    /** Passes the URLs kept as objects, for a snapshot: returned ones, then delayed ones. */
    void forEachInMemory(Consumer<QueueEntry> action) {
        if (released != null) {
            for (var line : released) {
                if (line != null) {
                    line.forEach(action);
                }
            }
        }
        if (delayed != null) {
            delayed.stream().sorted(BY_TURN).forEach(action);
        }
    }

    /** Passes every URL, in the order of turns. */
    void forEachInOrder(Consumer<QueueEntry> action) {
        for (var band = 0; band < BANDS; band++) {
            if (released != null && released[band] != null) {
                released[band].forEach(action);
            }
            for (var i = 0; i < waitingInSegments(band); i++) {
                action.accept(readSegment(band, taken(band) + i));
            }
            if (buffered != null) {
                var address = buffered[HEADS + band];
                for (var left = buffered[COUNTS + band]; left > 0; left--) {
                    action.accept(readBuffer(band, address));
                    address = queueStorage.urlBuffer.next(address);
                }
            }
        }
        if (delayed != null) {
            delayed.stream().sorted(BY_TURN).forEach(action);
        }
    }

    private PriorityQueue<QueueEntry> delayed() {
        if (delayed == null) {
            delayed = new PriorityQueue<>(4, BY_TURN);
        }
        return delayed;
    }

    private int[] buffered() {
        if (buffered == null) {
            buffered = queueStorage.takeBandLists();
            queueStorage.bufferedQueues.add(this);
        }
        return buffered;
    }

    @SuppressWarnings({
        "unchecked",
        "rawtypes"
    }) // Java cannot create an array of generics otherwise.
    private ArrayDeque<QueueEntry> released(int band) {
        if (released == null) {
            released = new ArrayDeque[BANDS];
        }
        if (released[band] == null) {
            released[band] = new ArrayDeque<>(2);
        }
        return released[band];
    }

    static final class QueueStorage {

        private static final long COMPACT_FROM = 16L << 20;

        final FrontierStore frontierStore;
        final UrlRecordBuffer recordBuffer = new UrlRecordBuffer();
        UrlBuffer urlBuffer = new UrlBuffer();

        /** Number of waiting URLs in segments, by queue and band. */
        final IntGrid waitingCounts = new IntGrid();

        /** Number of taken URLs that are still in segments, by queue and band. */
        final IntGrid takenCounts = new IntGrid();

        /** Queues that added URLs to the buffer since it was last emptied. */
        List<UrlQueue> bufferedQueues = new ArrayList<>();

        long nextDelayed;
        private long compactAt = COMPACT_FROM;

        QueueStorage(FrontierStore frontierStore) {
            this.frontierStore = frontierStore;
        }

        /** Arrays of flushed queues, for reuse; at most as many as there are queues. */
        private final ArrayDeque<int[]> spareBandLists = new ArrayDeque<>();

        int[] takeBandLists() {
            var spare = spareBandLists.pollLast();
            return spare == null ? new int[3 * BANDS] : spare;
        }

        void recycle(int[] lines) {
            Arrays.fill(lines, 0);
            spareBandLists.addLast(lines);
        }

        SegmentStore segmentStore() {
            return frontierStore.segmentStore();
        }

        /** Frees the space of taken URLs in the buffer, if nothing is ever flushed. */
        void compactBuffer() {
            if (!frontierStore.segmentStore().equals(SegmentStore.NONE)
                    || urlBuffer.bytes() < compactAt) {
                return;
            }
            var old = bufferedQueues;
            bufferedQueues = new ArrayList<>();
            var packed = new UrlBuffer();
            old.forEach(queue -> queue.moveTo(packed));
            urlBuffer = packed;
            compactAt = Math.max(COMPACT_FROM, 2 * packed.bytes());
        }
    }
}
