package dev.orbweaver.sinks;

import dev.orbweaver.model.SinkCounts;

import java.io.IOException;

/** A place outside that takes over what a crawl has committed, piece by piece, again and again. */
public interface ExternalSink extends AutoCloseable {

    /** One word for it. */
    String name();

    /**
     * Takes over the next piece. After a failure the same is tried again from what the place itself
     * says it has.
     *
     * @param draining whether the crawl is over, so that nothing more is to be waited for
     * @return false when there was nothing to take over
     */
    boolean step(boolean draining) throws IOException;

    /** How far it is; also for other threads. */
    Progress progress();

    /** What it has done, but for failures, which its follower counts; also for other threads. */
    SinkCounts counts();

    @Override
    void close();

    /**
     * How far a store is.
     *
     * @param done what it has of the total
     * @param total what is committed
     * @param unit what is counted
     * @param activity a number that changes whenever anything moves
     */
    record Progress(long done, long total, String unit, long activity) {

        /** Nothing is known yet. */
        public static Progress none(String unit) {
            return new Progress(0, 0, unit, 0);
        }

        /** What is still missing. */
        public long remaining() {
            return Math.max(0, total - done);
        }
    }
}
