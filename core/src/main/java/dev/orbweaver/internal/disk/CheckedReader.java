package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file once from its start up to a length and computes its checksum while reading. */
public final class CheckedReader implements Closeable {

    private static final int BUFFER = 256 << 10;

    private final FileChannel file;
    private final long end;
    private final Findings findings;
    private final RunningChecksum checksum = new RunningChecksum(0);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).limit(0);
    private long filled;

    public CheckedReader(FileChannel file, long end, Findings findings) {
        this.file = file;
        this.end = end;
        this.findings = findings;
    }

    public long position() {
        return filled - buffer.remaining();
    }

    /** Returns the next bytes: at least one, unless the end was reached. */
    public ByteBuffer bytes() throws IOException {
        if (!buffer.hasRemaining()) {
            fill();
        }
        return buffer;
    }

    public boolean atEnd() throws IOException {
        return !bytes().hasRemaining();
    }

    /** Returns the next byte, or -1 at the end. */
    public int read() throws IOException {
        return atEnd() ? -1 : buffer.get() & 0xFF;
    }

    private void fill() throws IOException {
        buffer.clear().limit((int) Math.min(BUFFER, end - filled));
        while (buffer.hasRemaining()) {
            if (file.read(buffer, filled + buffer.position()) < 0) {
                break; // The file was truncated; the checksum will not match.
            }
        }
        filled += buffer.flip().remaining();
        checksum.update(buffer.duplicate());
        findings.checked(buffer.remaining());
    }

    public void skipTo(long place) throws IOException {
        while (position() < place && !atEnd()) {
            var step = (int) Math.min(buffer.remaining(), place - position());
            buffer.position(buffer.position() + step);
        }
    }

    /** Reads to the end and returns the checksum of everything. */
    public int checksum() throws IOException {
        skipTo(end);
        return checksum.value();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
