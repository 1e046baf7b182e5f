package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.UrlRecordBuffer;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Merges several adjacent segments into one, without taken URLs and without URLs of removed queues.
 *
 * <p>It reads only immutable data, the segments and the counts at the time of its plan, so it may
 * run while the frontier works. URLs that are taken in the meantime are in the new segment too; the
 * queue's count records that they were taken.
 */
final class SegmentMerge {

    /** How many segments of about the same size are merged into one. */
    static final int FAN = 8;

    /**
     * How many large segments are merged into one. A merge of tens of millions of URLs takes
     * seconds, and a dozen more large segments make no lease measurably slower.
     */
    private static final int FAN_OF_LARGE = 16;

    private static final int LARGE_TIER = 2;

    /**
     * A segment is rewritten if at most this fraction of it is left and the saving is large enough.
     */
    private static final int REWRITE_RATIO = 2;

    private static final long MIN_URLS_TO_REWRITE = 100_000;

    /** Receives the queues from which URLs were omitted. */
    interface DropListener {
        void onDropped(int queue, int rank, int count);
    }

    private final List<Segment> segments;
    private final int from;
    private final int to;
    private final long number;
    private final TakenUrls taken;
    private final long remainingAtStart;
    private int[] droppedKeys = new int[64];
    private int[] droppedCounts = new int[64];
    private int dropped;
    private long urls;
    private volatile boolean cancelled;

    private SegmentMerge(List<Segment> segments, int from, int to, long number, TakenUrls taken) {
        this.segments = List.copyOf(segments);
        this.from = from;
        this.to = to;
        this.number = number;
        this.taken = taken;
        this.remainingAtStart = remaining();
    }

    /**
     * Returns which adjacent segments to merge now, as first and end (exclusive); empty if none.
     */
    static int[] plan(List<Segment> segments) {
        for (var i = 0; i < segments.size(); i++) {
            var segment = segments.get(i);
            if (segment.remaining == 0
                    || (segment.urls >= MIN_URLS_TO_REWRITE
                            && segment.remaining * REWRITE_RATIO < segment.urls)) {
                return new int[] {i, i + 1};
            }
        }
        // Sizes decrease from old to new; the newest segments of the same size or smaller are
        // adjacent.
        var to = segments.size();
        for (var first = to - 1; first >= 0; first--) {
            var largest = tier(segments.get(first));
            var alike = first;
            while (alike > 0 && tier(segments.get(alike - 1)) <= largest) {
                alike--;
            }
            var fan = largest < LARGE_TIER ? FAN : FAN_OF_LARGE;
            if (to - alike >= fan && first - alike + 1 >= fan) {
                return new int[] {alike, to};
            }
            first = alike;
        }
        return new int[] {};
    }

    private static int tier(Segment segment) {
        return (Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, segment.urls >> 15))) / 3;
    }

    static SegmentMerge of(DiskSegmentStore diskSegmentStore, int[] range, TakenUrls taken) {
        return new SegmentMerge(
                diskSegmentStore.segments(),
                range[0],
                range[1],
                diskSegmentStore.nextNumber(),
                taken);
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    long number() {
        return number;
    }

    long urls() {
        return urls;
    }

    long takenSince() {
        return remainingAtStart - remaining();
    }

    private long remaining() {
        return segments.subList(from, to).stream().mapToLong(segment -> segment.remaining).sum();
    }

    void forEachDropped(DropListener action) {
        for (var i = 0; i < dropped; i++) {
            action.onDropped(
                    Segment.queueOf(droppedKeys[i]),
                    Segment.rankOf(droppedKeys[i]),
                    droppedCounts[i]);
        }
    }

    /** Makes {@link #run} end soon, without a result. */
    void cancel() {
        cancelled = true;
    }

    /** Writes the new segment. Returns false if it was cancelled. */
    boolean run(DiskSegmentStore diskSegmentStore) throws IOException {
        var file = Segment.file(diskSegmentStore.directory(), number);
        var entry = new int[to - from];
        var urlRecord = new UrlRecordBuffer();
        try (var reader = new UrlBlockReader();
                var writer = new SegmentWriter(diskSegmentStore.disk(), file)) {
            for (var key = lowestKey(entry); key >= 0 && !cancelled; key = lowestKey(entry)) {
                copy(key, entry, writer, reader, urlRecord);
            }
            if (cancelled) {
                return false;
            }
            writer.finish();
            urls = writer.urls();
        }
        return true;
    }

    private int lowestKey(int[] entry) {
        var lowestKey = -1;
        for (var i = 0; i < entry.length; i++) {
            var segment = segments.get(from + i);
            if (entry[i] < segment.entries
                    && (lowestKey < 0 || segment.key(entry[i]) < lowestKey)) {
                lowestKey = segment.key(entry[i]);
            }
        }
        return lowestKey;
    }

    private void copy(
            int key,
            int[] entry,
            SegmentWriter writer,
            UrlBlockReader reader,
            UrlRecordBuffer urlRecord)
            throws IOException {
        var alreadyTaken = taken.count(key);
        var gone = taken.isRemoved(Segment.queueOf(key));
        var skip =
                gone ? Integer.MAX_VALUE : alreadyTaken - countInOlderSegments(key, alreadyTaken);
        var left = Math.max(0, skip);
        var skipped = 0;
        for (var i = 0; i < entry.length; i++) {
            var segment = segments.get(from + i);
            if (entry[i] < segment.entries && segment.key(entry[i]) == key) {
                var count = segment.count(entry[i]);
                var here = Math.min(left, count);
                copy(segment, entry[i], here, key, writer, reader, urlRecord);
                left -= here;
                skipped += here;
                entry[i]++;
            }
        }
        if (skipped > 0 && !gone) {
            recordDropped(key, skipped);
        }
    }

    /** Returns how many URLs of a key are in segments older than the merged ones. */
    private int countInOlderSegments(int key, int alreadyTaken) {
        var older = 0;
        for (var i = 0; alreadyTaken > 0 && i < from; i++) {
            var there = segments.get(i).find(key);
            older += there < 0 ? 0 : segments.get(i).count(there);
        }
        return older;
    }

    private static void copy(
            Segment segment,
            int entry,
            int skip,
            int key,
            SegmentWriter writer,
            UrlBlockReader reader,
            UrlRecordBuffer urlRecord)
            throws IOException {
        var count = segment.count(entry);
        var run = segment.offset(entry);
        for (var position = 0; position < count; ) {
            var inRun = segment.urlsInBlock(run);
            var whole = position >= skip && writer.copy(key, segment.bytes(), run);
            if (!whole && position + inRun > skip) {
                try {
                    reader.open(segment.bytes(), run);
                } catch (IOException e) {
                    throw segment.damaged(e);
                }
                UrlBlockReader.clear(urlRecord);
                for (var i = position; reader.hasNext(); i++) {
                    reader.next(urlRecord);
                    if (i >= skip) {
                        writer.add(Segment.queueOf(key), Segment.rankOf(key), urlRecord);
                    }
                }
            }
            position += inRun;
            run = segment.nextBlock(run);
        }
    }

    private void recordDropped(int key, int count) {
        if (dropped == droppedKeys.length) {
            droppedKeys = Arrays.copyOf(droppedKeys, dropped * 2);
            droppedCounts = Arrays.copyOf(droppedCounts, dropped * 2);
        }
        droppedKeys[dropped] = key;
        droppedCounts[dropped++] = count;
    }
}
