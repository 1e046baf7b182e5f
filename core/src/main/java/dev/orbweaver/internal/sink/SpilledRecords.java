package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.model.Body;

import java.io.IOException;
import java.nio.file.Path;

/** Records too large for memory: they are written through a stream into a temporary file. */
final class SpilledRecords implements RecordOutput, AutoCloseable {

    private final Compression compression;
    private final SpillBuffer out;

    SpilledRecords(Compression compression, Path temporary) {
        this.compression = compression;
        this.out = new SpillBuffer(temporary);
    }

    @Override
    public void add(byte[] head, byte[] blockHead, Body body) throws IOException {
        try (var record = compression.recordStream(out)) {
            record.write(head);
            record.write(blockHead);
            ResponseDigests.copy(body, record);
            record.write(RecordEncoder.RECORD_END);
        }
    }

    @Override
    public long length() {
        return out.length();
    }

    @Override
    public Body records() throws IOException {
        return out.finish();
    }

    @Override
    public int bodyOffset() {
        return PreparedCapture.BODY_INCLUDED;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
