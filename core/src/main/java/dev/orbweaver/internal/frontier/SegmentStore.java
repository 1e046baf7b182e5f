package dev.orbweaver.internal.frontier;

/**
 * Queued URLs that are not in memory, by queue and band, first in, first out. A URL stays in its
 * segment when it is taken; the queue counts how many it took.
 */
public interface SegmentStore {

    SegmentStore NONE =
            new SegmentStore() {
                @Override
                public void read(int queue, int band, int position, UrlRecordBuffer slip) {
                    throw new IllegalStateException("nothing is flushed");
                }

                @Override
                public void markTaken(int queue, int band, int position) {
                    throw new IllegalStateException("nothing is flushed");
                }
            };

    /** Reads the URL at a position of a band; those before {@code position} were taken before. */
    void read(int queue, int band, int position, UrlRecordBuffer slip);

    /** The URL at this position was taken: it will not be read again. */
    void markTaken(int queue, int band, int position);
}
