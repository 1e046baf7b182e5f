package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Buffers small appends: a page at a time, the system took 1.3 GB a second of one core on ext4; a
 * megabyte at a time, 5.
 *
 * <p>Closing drops what was not flushed: after a failure nothing must be written that is taken
 * back.
 */
final class BufferedAppendFile implements AppendFile {

    private static final int BUFFER_BYTES = 1 << 20;

    private final ChecksummedFile file;
    private final ByteBuffer buffer;

    /**
     * @param stage used by this file alone while it is open
     */
    BufferedAppendFile(ChecksummedFile file, ByteBuffer stage) {
        this.file = file;
        this.buffer = stage.clear();
    }

    /** Direct memory, which is not copied when it is written. */
    static ByteBuffer newBuffer() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES);
    }

    /** With what is buffered. */
    @Override
    public long length() {
        return file.length() + buffer.position();
    }

    /** Valid once everything was flushed. */
    CommittedLength committedLength(String name) {
        if (buffer.position() > 0) {
            throw new IllegalStateException(name + " has bytes that were not flushed");
        }
        return new CommittedLength(name, file.length(), file.checksum());
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > buffer.remaining()) {
            flush();
        }
        if (bytes.remaining() > buffer.capacity()) {
            file.append(bytes);
        } else {
            buffer.put(bytes);
        }
    }

    @Override
    public void append(Path source) throws IOException {
        flush();
        file.append(source);
    }

    void flush() throws IOException {
        if (buffer.position() > 0) {
            file.append(buffer.flip());
            buffer.clear();
        }
    }

    @Override
    public void sync() throws IOException {
        flush();
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
