package dev.orbweaver.internal.seeds;

import java.io.IOException;

/** Reads the seed lists of a crawl into its frontier while the crawl runs. */
public interface SeedReader extends AutoCloseable {

    /**
     * How far the lists have been read.
     *
     * @param bytes the length of all lists
     */
    record Progress(long bytesRead, long bytes, long lines, long malformed) {

        /** Progress of a crawl without lists. */
        public static final Progress NONE = new Progress(0, 0, 0, 0);

        public boolean isComplete() {
            return bytesRead >= bytes;
        }
    }

    /**
     * Reads the lists of captures of other archives to their end. A crawl must do so before its
     * first request: a link that it finds earlier would be queued although it was captured.
     */
    void readCaptures() throws IOException, InterruptedException;

    void start();

    /** Returns whether there are lines to read; a crawl does not end before. */
    boolean isPending();

    Progress progress();

    /** Stops after the batch in progress. */
    @Override
    void close() throws IOException;
}
