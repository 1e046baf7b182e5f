package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk whose process dies at a chosen change: that change is half done if possible, and no later
 * change is made. Reads still work, as they would for the next process.
 */
public final class CrashingDisk implements Disk {

    private final Disk disk;
    private int changesLeft;

    /** Thrown at the moment of the crash and by every later change. */
    public static final class CrashedException extends IOException {
        private static final long serialVersionUID = 1;
    }

    public CrashingDisk(Disk disk, int changesLeft) {
        this.disk = disk;
        this.changesLeft = changesLeft;
    }

    /** Returns whether the crash has happened. */
    public boolean hasCrashed() {
        return changesLeft < 0;
    }

    private void change() throws CrashedException {
        if (changesLeft <= 0) {
            changesLeft = -1;
            throw new CrashedException();
        }
        changesLeft--;
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        change();
        disk.createDirectory(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        return new CrashingFile(disk.append(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        return disk.map(file);
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        change();
        return disk.allocate(file, length);
    }

    @Override
    public MappedFile reopen(Path file) throws IOException {
        return disk.reopen(file);
    }

    @Override
    public boolean exists(Path file) {
        return disk.exists(file);
    }

    @Override
    public long length(Path file) throws IOException {
        return disk.length(file);
    }

    @Override
    public void truncate(Path file, long length) throws IOException {
        change();
        disk.truncate(file, length);
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        change();
        disk.moveAtomically(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        if (disk.exists(file)) {
            change();
            disk.delete(file);
        }
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        disk.syncDirectory(directory);
    }

    private final class CrashingFile implements AppendFile {

        private final AppendFile file;

        CrashingFile(AppendFile file) {
            this.file = file;
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            if (changesLeft == 0) {
                file.append(bytes.slice(bytes.position(), bytes.remaining() / 2));
            }
            change();
            file.append(bytes);
        }

        @Override
        public void append(Path other) throws IOException {
            change();
            file.append(other);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
