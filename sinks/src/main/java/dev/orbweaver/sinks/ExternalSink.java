package dev.orbweaver.sinks;

import dev.orbweaver.model.SinkCounts;

import java.io.IOException;

/** An external store that follows what a crawl commits. */
public interface ExternalSink extends AutoCloseable {

    String name();

    /**
     * Takes over the next piece, after a failure again from the position in the store.
     *
     * @param draining whether the crawl is over, so that nothing more is to be waited for
     * @return false when there was nothing to take over
     */
    boolean step(boolean draining) throws IOException;

    /** Thread-safe. */
    Progress progress();

    /** Without failures, which its runner counts. Thread-safe. */
    SinkCounts counts();

    @Override
    void close();

    /**
     * How far a sink is.
     *
     * @param done what it has of the total
     * @param total what is committed
     * @param unit what is counted
     * @param activity a number that changes whenever anything moves
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
