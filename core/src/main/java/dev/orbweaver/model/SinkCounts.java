package dev.orbweaver.model;

import java.util.OptionalDouble;

/**
 * What one sink has done since its crawl was opened.
 *
 * @param flushes completed writes: batches of a database, states in a bucket, WARC commits
 * @param items what those held
 * @param capacity how much they could have held; 0 where that has no limit
 * @param rawBytes what came in to be stored compressed; 0 where nothing is
 * @param storedBytes what is stored of it
 * @param failures writes that failed and were begun again
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

    /** How full its flushes were, 1 being as full as they can be. */
    public OptionalDouble fillRatio() {
        return capacity == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) items / capacity);
    }

    /** Bytes stored for each byte that came in. */
    public OptionalDouble compressionRatio() {
        return rawBytes == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) storedBytes / rawBytes);
    }
}
