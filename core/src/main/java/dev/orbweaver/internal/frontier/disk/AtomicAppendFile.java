package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file that grows by whole pieces. How much an append that failed has written is unknown; so it
 * is truncated before anything else is written, which may be much later, when the disk has space
 * again.
 */
final class AtomicAppendFile implements Closeable {

    private final Disk disk;
    private final Path path;
    private AppendFile file;
    private long validLength;
    private boolean torn;

    AtomicAppendFile(Disk disk, Path path) throws IOException {
        this.disk = disk;
        this.path = path;
        this.file = disk.append(path);
        this.validLength = file.length();
    }

    /** Without what a failed append may have left. */
    long length() {
        return validLength;
    }

    /** Appends a piece whole, or fails and appends nothing. */
    void append(ByteBuffer piece) throws IOException {
        append(piece, false);
    }

    /** When it succeeds, the piece survives a loss of power too. */
    void appendDurably(ByteBuffer piece) throws IOException {
        append(piece, true);
    }

    private void append(ByteBuffer piece, boolean durably) throws IOException {
        truncateTorn();
        var bytes = piece.remaining();
        torn = true;
        file.append(piece);
        if (durably) {
            file.sync();
        }
        torn = false;
        validLength += bytes;
    }

    private void truncateTorn() throws IOException {
        if (torn) {
            file.close();
            disk.truncate(path, validLength);
            file = disk.append(path);
            torn = false;
        }
    }

    void sync() throws IOException {
        truncateTorn();
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
