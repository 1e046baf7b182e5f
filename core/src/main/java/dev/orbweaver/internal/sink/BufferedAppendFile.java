package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Buffers small appends. On ext4, writing a page at a time reached 1.3 GB a second on one core; a
 * megabyte at a time, 5.
 *
 * <p>Closing discards unflushed bytes: after a failure, nothing may be written that is rolled back.
 */
final class BufferedAppendFile implements AppendFile {

    private static final int BUFFER_BYTES = 1 << 20;

    private final ChecksummedFile file;
    private final ByteBuffer buffer;

    /**
     * @param stage the buffer, used only by this file while it is open
     */
    BufferedAppendFile(ChecksummedFile file, ByteBuffer stage) {
        this.file = file;
        this.buffer = stage.clear();
    }

    /** Allocates direct memory, which is not copied when it is written. */
    static ByteBuffer newBuffer() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES);
    }

    /** Returns the length including buffered bytes. */
    @Override
    public long length() {
        return file.length() + buffer.position();
    }

    /** Returns the length and checksum; valid only after a flush. */
    CommittedLength committedLength(String name) {
        if (buffer.position() > 0) {
            throw new IllegalStateException(name + " has unflushed bytes");
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
