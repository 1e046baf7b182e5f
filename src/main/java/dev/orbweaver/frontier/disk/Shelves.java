package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Shelf;
import dev.orbweaver.frontier.UrlSlip;
import dev.orbweaver.frontier.Workbench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The shelf of a frontier on disk: segments, oldest first. What a queue has in a band is what the
 * segments have of it, one behind the other, so position 70 may be the tenth URL of the second
 * segment.
 *
 * <p>Nothing is written when a URL is taken: the queue counts, and the count is in the journal. To
 * find a position without walking there each time, a small table remembers where some bands were
 * last read; it is no more than a guess that saves time.
 */
final class Shelves implements Shelf, AutoCloseable {

    private static final int CURSORS = 1 << 14;

    private final Disk disk;
    private final Path folder;
    private final RunReader reader = new RunReader();
    private List<Segment> segments = new ArrayList<>();
    private long lastNumber;

    private final int[] cursorKey = new int[CURSORS];
    private final int[] cursorSegment = new int[CURSORS];
    private final long[] cursorRun = new long[CURSORS];

    /** The position of the first URL of the run, and of the first URL behind the segment. */
    private final int[] cursorStart = new int[CURSORS];

    private final int[] cursorEnd = new int[CURSORS];

    Shelves(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
        forgetCursors();
    }

    private void forgetCursors() {
        Arrays.fill(cursorKey, -1);
    }

    /** Puts a segment that a snapshot names behind those that are there. */
    void add(long number, long remaining) throws IOException {
        add(number);
        segments.getLast().remaining = remaining;
    }

    private void add(long number) throws IOException {
        segments.add(Segment.open(disk, folder, number));
        lastNumber = Math.max(lastNumber, number);
    }

    /** Puts a new segment behind those that are there. */
    void shelved(long number) {
        try {
            add(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** The segments, oldest first. */
    List<Segment> segments() {
        return segments;
    }

    long nextNumber() {
        return ++lastNumber;
    }

    @Override
    public void read(int queue, int band, int position, UrlSlip slip) {
        var cursor = locate(Segment.key(queue, band), position);
        var segment = segments.get(cursorSegment[cursor]);
        try {
            reader.open(segment.bytes(), cursorRun[cursor]);
            RunReader.clear(slip);
            for (var i = cursorStart[cursor]; i <= position; i++) {
                reader.next(slip);
            }
        } catch (IOException e) {
            var damaged = segment.damaged(e);
            throw new UncheckedIOException(damaged.getMessage(), damaged);
        }
    }

    @Override
    public void took(int queue, int band, int position) {
        var cursor = locate(Segment.key(queue, band), position);
        segments.get(cursorSegment[cursor]).remaining--;
    }

    /** Brings the cursor of a queue and band to the run that holds a position. */
    private int locate(int key, int position) {
        var cursor = (key * 0x9E3779B9) >>> (Integer.SIZE - 14);
        if (cursorKey[cursor] != key || cursorStart[cursor] > position) {
            cursorKey[cursor] = key;
            enter(cursor, 0, 0);
        }
        while (cursorEnd[cursor] <= position) {
            enter(cursor, cursorSegment[cursor] + 1, cursorEnd[cursor]);
        }
        try {
            walk(cursor, position);
        } catch (IOException e) {
            cursorKey[cursor] = -1;
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return cursor;
    }

    /** Moves a cursor on, within its segment, to the run that holds a position. */
    private void walk(int cursor, int position) throws IOException {
        var segment = segments.get(cursorSegment[cursor]);
        var urls = segment.urlsOfRun(cursorRun[cursor]);
        while (cursorStart[cursor] + urls <= position) {
            cursorStart[cursor] += urls;
            cursorRun[cursor] = segment.behindRun(cursorRun[cursor]);
            urls = segment.urlsOfRun(cursorRun[cursor]);
        }
    }

    /** Puts a cursor at the first segment from {@code from} on that has anything of its key. */
    private void enter(int cursor, int from, int start) {
        for (var i = from; i < segments.size(); i++) {
            var entry = segments.get(i).find(cursorKey[cursor]);
            if (entry >= 0) {
                cursorSegment[cursor] = i;
                cursorRun[cursor] = segments.get(i).offset(entry);
                cursorStart[cursor] = start;
                cursorEnd[cursor] = start + segments.get(i).count(entry);
                return;
            }
        }
        throw new IllegalStateException(
                "no segment has URL " + start + " of queue and band " + cursorKey[cursor]);
    }

    /** Writes the nursery to a new segment, which is not on the shelf yet. */
    long write(Workbench bench) throws IOException {
        var number = nextNumber();
        try (var writer = new SegmentWriter(disk, Segment.file(folder, number))) {
            bench.handOverNursery(writer::add);
            writer.finish();
            disk.syncFolder(folder);
        } catch (IOException | RuntimeException e) {
            discard(number);
            throw e;
        }
        return number;
    }

    /** Deletes what there is of a segment that could not be finished: it only takes room. */
    void discard(long number) throws IOException {
        disk.delete(Segment.file(folder, number));
        disk.delete(Segment.indexOf(Segment.file(folder, number)));
    }

    /** Puts what a merge made in the place of what it was made from. */
    void install(Merge merge, Workbench bench) throws IOException {
        var old = segments.subList(merge.from(), merge.to());
        var rest = new ArrayList<>(segments.subList(0, merge.from()));
        if (merge.urls() > 0) {
            var merged = Segment.open(disk, folder, merge.number());
            merged.remaining = merged.urls - merge.takenSince();
            rest.add(merged);
        }
        rest.addAll(segments.subList(merge.to(), segments.size()));
        merge.forEachDropped(bench::unshelved);
        old.forEach(Segment::close);
        segments = rest;
        forgetCursors();
    }

    Disk disk() {
        return disk;
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() {
        segments.forEach(Segment::close);
        segments = new ArrayList<>();
        reader.close();
    }
}
