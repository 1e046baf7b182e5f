package dev.orbweaver.sinks;

import dev.orbweaver.model.SinkCounts;

import java.io.IOException;

/** An external store that follows the commits of a crawl. */
public interface ExternalSink extends AutoCloseable {

    String name();

    /**
     * Stores the next part of the crawl; after a failure, continues from the position in the store.
     *
     * @param draining whether the crawl has ended, so that there is nothing more to wait for
     * @return false if there was nothing to store
     */
    boolean step(boolean draining) throws IOException;

    /** Returns the progress. Thread-safe. */
    Progress progress();

    /** Returns the counts without failures, which its runner counts. Thread-safe. */
    SinkCounts counts();

    @Override
    void close();

    /**
     * The progress of a sink.
     *
     * @param done how much of the total it has stored
     * @param total how much is committed
     * @param unit the unit of both
     * @param activity a number that changes with every progress
     */
    record Progress(long done, long total, String unit, long activity) {

        public static Progress none(String unit) {
            return new Progress(0, 0, unit, 0);
        }

        public long remaining() {
            return Math.max(0, total - done);
        }
    }
}
