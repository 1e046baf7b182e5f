package dev.orbweaver.frontier;

/**
 * Queued URLs that are not in memory, by queue and band, first in, first out. A URL stays where it
 * is when it is taken; the queue counts how many it took.
 */
public interface Shelf {

    /** The shelf of a frontier that keeps everything in memory. */
    Shelf NONE =
            new Shelf() {
                @Override
                public void read(int queue, int band, int position, UrlSlip slip) {
                    throw new IllegalStateException("nothing is shelved");
                }

                @Override
                public void took(int queue, int band, int position) {
                    throw new IllegalStateException("nothing is shelved");
                }
            };

    /**
     * Fills the slip with the URL at a position of a band, of which those before {@code position}
     * were taken before.
     */
    void read(int queue, int band, int position, UrlSlip slip);

    /** The URL at this position was taken: it will not be asked for again. */
    void took(int queue, int band, int position);
}
