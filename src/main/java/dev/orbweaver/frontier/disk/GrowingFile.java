package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.AppendFile;
import dev.orbweaver.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file that grows by whole pieces. Nobody can say how much of a piece an append that failed has
 * left behind; so whatever it was is cut off before anything else is written, which may be much
 * later, when the disk has room again.
 */
final class GrowingFile implements Closeable {

    private final Disk disk;
    private final Path path;
    private AppendFile file;
    private long good;
    private boolean torn;

    GrowingFile(Disk disk, Path path) throws IOException {
        this.disk = disk;
        this.path = path;
        this.file = disk.append(path);
        this.good = file.length();
    }

    /** How long the file is, without what a failed append may have left. */
    long length() {
        return good;
    }

    /** Adds a piece whole, or fails and adds nothing. */
    void append(ByteBuffer piece) throws IOException {
        append(piece, false);
    }

    /** The same; when it succeeds, the piece survives a loss of power too. */
    void appendDurably(ByteBuffer piece) throws IOException {
        append(piece, true);
    }

    private void append(ByteBuffer piece, boolean durably) throws IOException {
        mend();
        var bytes = piece.remaining();
        torn = true;
        file.append(piece);
        if (durably) {
            file.sync();
        }
        torn = false;
        good += bytes;
    }

    private void mend() throws IOException {
        if (torn) {
            file.close();
            disk.truncate(path, good);
            file = disk.append(path);
            torn = false;
        }
    }

    /** Makes the file, as long as it says it is, survive a loss of power. */
    void sync() throws IOException {
        mend();
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
