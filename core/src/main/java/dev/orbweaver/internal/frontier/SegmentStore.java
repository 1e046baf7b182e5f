package dev.orbweaver.internal.frontier;

/**
 * Stores queued URLs that are not in memory, by queue and rank, first in, first out. A taken URL
 * stays in its segment; the queue counts how many it has taken.
 */
public interface SegmentStore {

    SegmentStore NONE =
            new SegmentStore() {
                @Override
                public void read(int queue, int rank, int position, UrlRecordBuffer urlRecord) {
                    throw new IllegalStateException("a frontier in memory has no segments");
                }

                @Override
                public void markTaken(int queue, int rank, int position) {
                    throw new IllegalStateException("a frontier in memory has no segments");
                }
            };

    /** Reads the URL at a position of a rank; those before {@code position} were already taken. */
    void read(int queue, int rank, int position, UrlRecordBuffer urlRecord);

    /** Records that the URL at this position was taken: it will not be read again. */
    void markTaken(int queue, int rank, int position);
}
