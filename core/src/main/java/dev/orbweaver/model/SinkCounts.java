package dev.orbweaver.model;

import java.util.OptionalDouble;

/**
 * The counters of one sink since its crawl was opened.
 *
 * @param flushes completed writes: batches of a database, checkpoints in a bucket, WARC commits
 * @param items the number of items in those writes
 * @param capacity the number of items that those writes could have had; 0 for no limit
 * @param rawBytes input bytes that are stored compressed; 0 if nothing is compressed
 * @param storedBytes the size of those bytes after compression
 * @param failures writes that failed and were retried
 */
public record SinkCounts(
        long flushes, long items, long capacity, long rawBytes, long storedBytes, long failures) {

    public static final SinkCounts NONE = new SinkCounts(0, 0, 0, 0, 0, 0);

    public SinkCounts plus(SinkCounts other) {
        return new SinkCounts(
                flushes + other.flushes,
                items + other.items,
                capacity + other.capacity,
                rawBytes + other.rawBytes,
                storedBytes + other.storedBytes,
                failures + other.failures);
    }

    /** Returns how full its flushes were; 1 is the maximum. */
    public OptionalDouble fillRatio() {
        return capacity == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) items / capacity);
    }

    /** Returns stored bytes per input byte. */
    public OptionalDouble compressionRatio() {
        return rawBytes == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) storedBytes / rawBytes);
    }
}
