package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.SegmentStore;
import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.Workbench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The segments of a frontier on disk, oldest first. The URLs of a queue and rank continue from
 * segment to segment, so position 70 may be the tenth URL of the second segment.
 *
 * <p>Nothing is written when a URL is taken: the queue counts, and the count is in the journal. To
 * find a position without a scan each time, a small table caches where some ranks were last read; a
 * wrong entry only costs time.
 */
final class DiskSegmentStore implements SegmentStore, AutoCloseable {

    private static final int CURSORS = 1 << 14;

    private final Disk disk;
    private final Path directory;
    private final UrlBlockReader reader = new UrlBlockReader();
    private List<Segment> segments = new ArrayList<>();
    private long lastNumber;

    private final int[] cursorKey = new int[CURSORS];
    private final int[] cursorSegment = new int[CURSORS];
    private final long[] cursorBlock = new long[CURSORS];

    /** The position of the first URL of the run, and of the first URL after the segment. */
    private final int[] cursorStart = new int[CURSORS];

    private final int[] cursorEnd = new int[CURSORS];

    DiskSegmentStore(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        resetCursors();
    }

    private void resetCursors() {
        Arrays.fill(cursorKey, -1);
    }

    /** Adds a segment that a snapshot names. */
    void add(long number, long remaining) throws IOException {
        add(number);
        segments.getLast().remaining = remaining;
    }

    private void add(long number) throws IOException {
        segments.add(Segment.open(disk, directory, number));
        lastNumber = Math.max(lastNumber, number);
    }

    /** Adds a new segment. */
    void append(long number) {
        try {
            add(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Oldest first. */
    List<Segment> segments() {
        return segments;
    }

    long nextNumber() {
        return ++lastNumber;
    }

    @Override
    public void read(int queue, int rank, int position, UrlRecordBuffer urlRecord) {
        var cursor = locate(Segment.key(queue, rank), position);
        var segment = segments.get(cursorSegment[cursor]);
        try {
            reader.open(segment.bytes(), cursorBlock[cursor]);
            UrlBlockReader.clear(urlRecord);
            for (var i = cursorStart[cursor]; i <= position; i++) {
                reader.next(urlRecord);
            }
        } catch (IOException e) {
            var damaged = segment.damaged(e);
            throw new UncheckedIOException(damaged.getMessage(), damaged);
        }
    }

    @Override
    public void markTaken(int queue, int rank, int position) {
        var cursor = locate(Segment.key(queue, rank), position);
        segments.get(cursorSegment[cursor]).remaining--;
    }

    /** Moves the cursor of a queue and rank to the run that contains a position. */
    private int locate(int key, int position) {
        var cursor = (key * 0x9E3779B9) >>> (Integer.SIZE - 14);
        if (cursorKey[cursor] != key || cursorStart[cursor] > position) {
            cursorKey[cursor] = key;
            seekSegment(cursor, 0, 0);
        }
        while (cursorEnd[cursor] <= position) {
            seekSegment(cursor, cursorSegment[cursor] + 1, cursorEnd[cursor]);
        }
        try {
            seekBlock(cursor, position);
        } catch (IOException e) {
            cursorKey[cursor] = -1;
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return cursor;
    }

    /** Moves a cursor forward, within its segment, to the run that contains a position. */
    private void seekBlock(int cursor, int position) throws IOException {
        var segment = segments.get(cursorSegment[cursor]);
        var urls = segment.urlsInBlock(cursorBlock[cursor]);
        while (cursorStart[cursor] + urls <= position) {
            cursorStart[cursor] += urls;
            cursorBlock[cursor] = segment.nextBlock(cursorBlock[cursor]);
            urls = segment.urlsInBlock(cursorBlock[cursor]);
        }
    }

    /** Moves a cursor to the first segment, starting at {@code from}, that has URLs of its key. */
    private void seekSegment(int cursor, int from, int start) {
        for (var i = from; i < segments.size(); i++) {
            var entry = segments.get(i).find(cursorKey[cursor]);
            if (entry >= 0) {
                cursorSegment[cursor] = i;
                cursorBlock[cursor] = segments.get(i).offset(entry);
                cursorStart[cursor] = start;
                cursorEnd[cursor] = start + segments.get(i).count(entry);
                return;
            }
        }
        throw new IllegalStateException(
                "no segment has URL " + start + " of queue and rank " + cursorKey[cursor]);
    }

    /** Writes the buffer to a new segment, which is not in the store yet. */
    long writeBuffer(Workbench bench) throws IOException {
        var number = nextNumber();
        try (var writer = new SegmentWriter(disk, Segment.file(directory, number))) {
            bench.flushBuffer(writer::add);
            writer.finish();
            disk.syncDirectory(directory);
        } catch (IOException | RuntimeException e) {
            discard(number);
            throw e;
        }
        return number;
    }

    /** Deletes the files of an unfinished segment to free their space. */
    void discard(long number) throws IOException {
        disk.delete(Segment.file(directory, number));
        disk.delete(Segment.indexOf(Segment.file(directory, number)));
    }

    /** Replaces the sources of a merge with its result. */
    void install(SegmentMerge segmentMerge, Workbench bench) throws IOException {
        var old = segments.subList(segmentMerge.from(), segmentMerge.to());
        var rest = new ArrayList<>(segments.subList(0, segmentMerge.from()));
        if (segmentMerge.urls() > 0) {
            var merged = Segment.open(disk, directory, segmentMerge.number());
            merged.remaining = merged.urls - segmentMerge.takenSince();
            rest.add(merged);
        }
        rest.addAll(segments.subList(segmentMerge.to(), segments.size()));
        segmentMerge.forEachDropped(bench::removeTaken);
        old.forEach(Segment::close);
        segments = rest;
        resetCursors();
    }

    Disk disk() {
        return disk;
    }

    Path directory() {
        return directory;
    }

    @Override
    public void close() {
        segments.forEach(Segment::close);
        segments = new ArrayList<>();
        reader.close();
    }
}
