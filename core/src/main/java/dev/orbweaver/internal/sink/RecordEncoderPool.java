package dev.orbweaver.internal.sink;

import java.util.concurrent.ConcurrentLinkedQueue;

/** Reuses record encoders: each holds up to a megabyte of direct memory and is slow to create. */
final class RecordEncoderPool implements AutoCloseable {

    private final Compression compression;
    private final ConcurrentLinkedQueue<RecordEncoder> idle = new ConcurrentLinkedQueue<>();

    RecordEncoderPool(Compression compression) {
        this.compression = compression;
    }

    RecordEncoder acquire() {
        var recordEncoder = idle.poll();
        return recordEncoder == null ? new RecordEncoder(compression) : recordEncoder;
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
