package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * One job's URLs on one host, by rank (see {@link Priority}), and a set of delayed URLs.
 *
 * <p>Each rank is first in, first out, and is served only when those before it are empty. Delayed
 * URLs have their own not-before time.
 *
 * <p>There may be a million of these objects, so an empty one is little more than its fields, and
 * no URL that waits for its turn is an object. The URLs of a rank are in three parts: returned
 * ones, which come first; those in the {@link SegmentStore}; those in the {@link UrlBuffer}. Only
 * ranks that have URLs take memory: most hosts have a few.
 */
final class UrlQueue {

    /**
     * Maximum number of URLs that are retried later before all others of the queue wait with them.
     * A host that fails that often is not requested more, and memory stays bounded.
     */
    static final int DELAYED_MAX = 256;

    /** Its URLs count as withdrawn. */
    private static final byte EXCLUDED = 1;

    /** Its job is not active; its URLs stay queued. */
    private static final byte SUSPENDED = 2;

    /** Fields of a lane, in {@link #lanes}. */
    private static final int RANK = 0;

    private static final int HEAD = 1;
    private static final int TAIL = 2;
    private static final int BUFFERED = 3;
    private static final int IN_SEGMENTS = 4;
    private static final int TAKEN = 5;
    private static final int LANE = 6;
    private static final int[] NO_LANES = {};

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

    /** Why nothing here may be leased: {@link #EXCLUDED}, {@link #SUSPENDED}, both or neither. */
    private byte blocks;

    /** Whether a seed of the job is on this host. */
    boolean seeded;

    private boolean inBuffer;

    /** Number of delayed URLs that were leased before. */
    private int retried;

    /** Ordered by rank. */
    private @Nullable List<QueueEntry> released;

    private @Nullable PriorityQueue<QueueEntry> delayed;

    /**
     * Six numbers for each rank that has URLs, in the order of ranks: the rank, first address, last
     * address and count in the buffer, count in segments, and count of those that were taken but
     * are still in segments.
     */
    private int[] lanes = NO_LANES;

    /** The next queue of the same host, of another job. */
    @Nullable UrlQueue sibling;

    /** Neighbours in the list of the job's ready queues. */
    @Nullable UrlQueue previousReady;

    @Nullable UrlQueue nextReady;

    /** In which of the job's lists it is; see {@link ReadyQueues}. */
    byte readyList;

    /** As what its host is counted for its job. */
    private byte countedState;

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
            if (isRetried(url)) {
                retried++;
            } else {
                queueStorage.waitingSeeds++;
            }
        } else {
            queueStorage.recordBuffer.fill(url);
            var address = queueStorage.urlBuffer.add(queueStorage.recordBuffer, url.url().key());
            append(lane(url.accepted.rank()), address, queueStorage.urlBuffer);
            if (!inBuffer) {
                inBuffer = true;
                queueStorage.bufferedQueues.add(this);
            }
            size++;
        }
        host.onChanged(this);
    }

    /** Returns whether a URL is delayed after a visit, and not because a seed list says so. */
    private static boolean isRetried(QueueEntry url) {
        return url.attempts > 0 || !url.accepted.hop().isSeed();
    }

    private void append(int lane, int address, UrlBuffer buffer) {
        if (lanes[lane + BUFFERED]++ == 0) {
            lanes[lane + HEAD] = address;
        } else {
            buffer.setNext(lanes[lane + TAIL], address);
        }
        lanes[lane + TAIL] = address;
    }

    /** Returns where the lane of a rank begins; adds it if there is none. */
    private int lane(int rank) {
        var at = 0;
        while (at < lanes.length && lanes[at + RANK] < rank) {
            at += LANE;
        }
        if (at == lanes.length || lanes[at + RANK] != rank) {
            var longer = new int[lanes.length + LANE];
            System.arraycopy(lanes, 0, longer, 0, at);
            System.arraycopy(lanes, at, longer, at + LANE, lanes.length - at);
            longer[at + RANK] = rank;
            lanes = longer;
        }
        return at;
    }

    private void removeIfEmpty(int lane) {
        if (lanes[lane + BUFFERED] == 0
                && lanes[lane + IN_SEGMENTS] == 0
                && lanes[lane + TAKEN] == 0) {
            var shorter = lanes.length == LANE ? NO_LANES : new int[lanes.length - LANE];
            System.arraycopy(lanes, 0, shorter, 0, lane);
            System.arraycopy(lanes, lane + LANE, shorter, lane, shorter.length - lane);
            lanes = shorter;
        }
    }

    /** Inserts a URL before all others of its rank. */
    void addFirst(QueueEntry url) {
        url.notBefore = 0;
        addReleased(url, url.accepted.rank());
    }

    /** Appends a URL after the returned ones of its rank, in the order of a snapshot. */
    void addReleased(QueueEntry url) {
        addReleased(url, url.accepted.rank() + 1);
    }

    /**
     * Inserts a URL before the returned ones of a rank. They are no more than there were leases.
     */
    private void addReleased(QueueEntry url, int before) {
        if (released == null) {
            released = new ArrayList<>(2);
        }
        var at = 0;
        while (at < released.size() && released.get(at).accepted.rank() < before) {
            at++;
        }
        released.add(at, url);
        size++;
        host.onChanged(this);
    }

    /** Takes the next URL; the queue must not be empty. */
    QueueEntry take(long now) {
        promote(now);
        if (size == 0) {
            throw new IllegalStateException("queue is empty: host " + host.name + ", job " + job);
        }
        size--;
        host.onChanged(this);
        var lane = firstLane();
        if (released != null
                && (lane == lanes.length
                        || released.getFirst().accepted.rank() <= lanes[lane + RANK])) {
            var url = released.removeFirst();
            released = released.isEmpty() ? null : released;
            return url;
        }
        return takeFrom(lane);
    }

    /** Returns the first lane that has a URL; the end of the lanes if none has. */
    private int firstLane() {
        var lane = 0;
        while (lane < lanes.length
                && lanes[lane + BUFFERED] == 0
                && lanes[lane + IN_SEGMENTS] == 0) {
            lane += LANE;
        }
        return lane;
    }

    /** Returns the rank of the next URL, not counting delayed ones; the last rank if none is. */
    int firstRank() {
        var lane = firstLane();
        var rank = lane == lanes.length ? Priority.LAST_RANK : lanes[lane + RANK];
        return released == null ? rank : Math.min(rank, released.getFirst().accepted.rank());
    }

    private QueueEntry takeFrom(int lane) {
        var rank = lanes[lane + RANK];
        if (lanes[lane + IN_SEGMENTS] > 0) {
            var position = lanes[lane + TAKEN];
            var url = readSegment(rank, position);
            queueStorage.segmentStore().markTaken(id, rank, position);
            lanes[lane + IN_SEGMENTS]--;
            lanes[lane + TAKEN]++;
            return url;
        }
        var address = lanes[lane + HEAD];
        var url = readBuffer(rank, address);
        lanes[lane + BUFFERED]--;
        lanes[lane + HEAD] = queueStorage.urlBuffer.next(address);
        removeIfEmpty(lane);
        return url;
    }

    private QueueEntry readSegment(int rank, int position) {
        queueStorage.segmentStore().read(id, rank, position, queueStorage.recordBuffer);
        return queueStorage.recordBuffer.url(
                job,
                rank,
                queueStorage.frontierStore.url(queueStorage.recordBuffer.textAsString()));
    }

    private QueueEntry readBuffer(int rank, int address) {
        var key = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
        return queueStorage.recordBuffer.url(job, rank, key);
    }

    /** Moves URLs whose not-before time has passed to the end of their ranks. */
    private void promote(long now) {
        if (delayed == null) {
            return;
        }
        for (var next = delayed.peek();
                next != null && next.notBefore <= now;
                next = delayed.peek()) {
            var url = delayed.remove();
            if (isRetried(url)) {
                retried--;
            } else {
                queueStorage.waitingSeeds--;
            }
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
        if (blocks != 0) {
            return Long.MAX_VALUE;
        }
        if (size > 0 && retried < DELAYED_MAX) {
            return 0;
        }
        return waiting == 0 ? Long.MAX_VALUE : delayed().element().notBefore;
    }

    /** Returns whether it has URLs that may be leased, now or later. */
    boolean mayLease() {
        return blocks == 0 && stored() > 0;
    }

    boolean isExcluded() {
        return (blocks & EXCLUDED) != 0;
    }

    void setExcluded(boolean excluded) {
        block(EXCLUDED, excluded);
    }

    boolean isSuspended() {
        return (blocks & SUSPENDED) != 0;
    }

    void setSuspended(boolean suspended) {
        block(SUSPENDED, suspended);
    }

    private void block(byte reason, boolean blocked) {
        blocks = (byte) (blocked ? blocks | reason : blocks & ~reason);
        host.onChanged(this);
    }

    int waiting() {
        return isExcluded() ? 0 : stored();
    }

    int stored() {
        return size + (delayed == null ? 0 : delayed.size());
    }

    /**
     * Counts its host in a state for its job, and no longer in the state before.
     *
     * @param hostsIn the hosts of the job by state
     */
    @SuppressWarnings("EnumOrdinal") // Each change of a host updates two counts.
    void countAs(HostView.State state, int[] hostsIn) {
        hostsIn[countedState]--;
        hostsIn[state.ordinal()]++;
        countedState = (byte) state.ordinal();
    }

    void setClockBack(long by) {
        if (delayed != null) {
            delayed.forEach(url -> url.notBefore -= by);
        }
    }

    /** Passes the buffer's URLs, to be flushed to a segment. */
    void flushTo(Workbench.FlushTarget out) throws IOException {
        for (var lane = 0; lane < lanes.length; lane += LANE) {
            var address = lanes[lane + HEAD];
            for (var left = lanes[lane + BUFFERED]; left > 0; left--) {
                var _ = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
                out.add(id, lanes[lane + RANK], queueStorage.recordBuffer);
                address = queueStorage.urlBuffer.next(address);
            }
        }
    }

    /** Records that the passed URLs are in a segment now. */
    void bufferFlushed() {
        inBuffer = false;
        for (var lane = 0; lane < lanes.length; lane += LANE) {
            lanes[lane + IN_SEGMENTS] += lanes[lane + BUFFERED];
            lanes[lane + BUFFERED] = 0;
        }
    }

    /** Removes all URLs, because the queue's host is released. */
    void clear() {
        if (inBuffer) {
            inBuffer = false;
            queueStorage.bufferedQueues.remove(this);
        }
        forgetWaiting();
        lanes = NO_LANES;
        released = null;
        delayed = null;
        retried = 0;
        size = 0;
        host.onChanged(this);
    }

    /** Does not count its delayed URLs any more, because they are about to be removed. */
    void forgetWaiting() {
        queueStorage.waitingSeeds -= delayed == null ? 0 : delayed.size() - retried;
    }

    void moveTo(UrlBuffer other) {
        for (var lane = 0; lane < lanes.length; lane += LANE) {
            var address = lanes[lane + HEAD];
            var left = lanes[lane + BUFFERED];
            lanes[lane + BUFFERED] = 0;
            for (; left > 0; left--) {
                var key = queueStorage.urlBuffer.read(address, queueStorage.recordBuffer);
                address = queueStorage.urlBuffer.next(address);
                append(lane, other.add(queueStorage.recordBuffer, key), other);
            }
        }
        inBuffer = lanes.length > 0;
    }

    /**
     * Records that a compaction removed {@code count} URLs of a rank, all of which had been taken.
     */
    void removeTaken(int rank, int count) {
        var lane = lane(rank);
        lanes[lane + TAKEN] -= count;
        removeIfEmpty(lane);
    }

    /** Passes the ranks that have URLs in segments. */
    void forEachRankInSegments(RankListener action) {
        for (var lane = 0; lane < lanes.length; lane += LANE) {
            if (lanes[lane + IN_SEGMENTS] > 0 || lanes[lane + TAKEN] > 0) {
                action.onRank(lanes[lane + RANK], lanes[lane + IN_SEGMENTS], lanes[lane + TAKEN]);
            }
        }
    }

    /** Receives how many URLs of a rank wait in segments, and how many were taken from them. */
    interface RankListener {
        void onRank(int rank, int waiting, int taken);
    }

    void restoreSegmentCounts(int rank, int waiting, int alreadyTaken) {
        var lane = lane(rank);
        lanes[lane + IN_SEGMENTS] += waiting;
        lanes[lane + TAKEN] += alreadyTaken;
        size += waiting;
        host.onChanged(this);
    }

    /** Passes the URLs kept as objects, for a snapshot: returned ones, then delayed ones. */
    void forEachInMemory(Consumer<QueueEntry> action) {
        if (released != null) {
            released.forEach(action);
        }
        if (delayed != null) {
            delayed.stream().sorted(BY_TURN).forEach(action);
        }
    }

    /** Passes every URL, in the order of turns. */
    void forEachInOrder(Consumer<QueueEntry> action) {
        var first = new ArrayDeque<QueueEntry>(released == null ? List.of() : released);
        for (var lane = 0; lane < lanes.length; lane += LANE) {
            var rank = lanes[lane + RANK];
            while (!first.isEmpty() && first.getFirst().accepted.rank() <= rank) {
                action.accept(first.removeFirst());
            }
            for (var i = 0; i < lanes[lane + IN_SEGMENTS]; i++) {
                action.accept(readSegment(rank, lanes[lane + TAKEN] + i));
            }
            var address = lanes[lane + HEAD];
            for (var left = lanes[lane + BUFFERED]; left > 0; left--) {
                action.accept(readBuffer(rank, address));
                address = queueStorage.urlBuffer.next(address);
            }
        }
        first.forEach(action);
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

    static final class QueueStorage {

        private static final long COMPACT_FROM = 16L << 20;

        final FrontierStore frontierStore;
        final UrlRecordBuffer recordBuffer = new UrlRecordBuffer();
        UrlBuffer urlBuffer = new UrlBuffer();

        /** Queues that added URLs to the buffer since it was last emptied. */
        List<UrlQueue> bufferedQueues = new ArrayList<>();

        long nextDelayed;

        /** Delayed URLs of all queues that were not leased yet. */
        long waitingSeeds;

        private long compactAt = COMPACT_FROM;

        QueueStorage(FrontierStore frontierStore) {
            this.frontierStore = frontierStore;
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
            var packed = new UrlBuffer();
            old.forEach(queue -> queue.moveTo(packed));
            bufferedQueues = new ArrayList<>(old.stream().filter(queue -> queue.inBuffer).toList());
            urlBuffer = packed;
            compactAt = Math.max(COMPACT_FROM, 2 * packed.bytes());
        }
    }
}
