package dev.orbweaver.internal.frontier;

/**
 * Queued URLs that are not in memory, by queue and band, first in, first out. A URL stays where it
 * is when it is taken; the queue counts how many it took.
 */
public interface SegmentStore {

    /** The segments of a frontier that keeps everything in memory. */
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

    /**
     * Fills the slip with the URL at a position of a band, of which those before {@code position}
     * were taken before.
     */
    void read(int queue, int band, int position, UrlRecordBuffer slip);

    /** The URL at this position was taken: it will not be asked for again. */
    void markTaken(int queue, int band, int position);
}
