package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file to which blocks are appended atomically. It is unknown how much a failed append has
 * written; so the file is truncated before the next write, which may be much later, when the disk
 * has space again.
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

    /** Returns the length without the remains of a failed append. */
    long length() {
        return validLength;
    }

    /** Appends the whole block, or fails and appends nothing. */
    void append(ByteBuffer piece) throws IOException {
        append(piece, false);
    }

    /** Appends a block and syncs it: on success, it survives a loss of power too. */
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
