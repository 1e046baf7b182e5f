package dev.orbweaver.internal.sink;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Reuses record encoders: each holds up to a megabyte of direct memory and is slow to create. An
 * encoder compresses quickly, unless the last one was acquired a while ago: then there is time.
 */
final class RecordEncoderPool implements AutoCloseable {

    /** At this interval thorough compression of a page takes a tenth of one core. */
    private static final long RELAXED_NANOS = 5_000_000;

    private final Compression compression;

    /** Approximate when several threads acquire at once. */
    private volatile long lastAcquiredNanos = System.nanoTime();

    private final ConcurrentLinkedQueue<RecordEncoder> idle = new ConcurrentLinkedQueue<>();

    RecordEncoderPool(Compression compression) {
        this.compression = compression;
    }

    /** Returns an encoder without content. */
    RecordEncoder acquire() {
        var polled = idle.poll();
        var recordEncoder = polled == null ? new RecordEncoder(compression) : polled;
        var now = System.nanoTime();
        recordEncoder.reset(now - lastAcquiredNanos < RELAXED_NANOS);
        lastAcquiredNanos = now;
        return recordEncoder;
    }

    void release(RecordEncoder recordEncoder) {
        idle.add(recordEncoder);
    }

    @Override
    public void close() {
        for (var recordEncoder = idle.poll(); recordEncoder != null; recordEncoder = idle.poll()) {
            recordEncoder.close();
        }
    }
}
