package dev.orbweaver.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk whose process dies at a certain change to it: that change is half made where it can be,
 * and no other is made any more. Reading goes on, as it would for the next process.
 */
public final class MortalDisk implements Disk {

    private final Disk disk;
    private int changesLeft;

    /** What is thrown at the moment of death and ever after. */
    public static final class Died extends IOException {
        private static final long serialVersionUID = 1;
    }

    public MortalDisk(Disk disk, int changesLeft) {
        this.disk = disk;
        this.changesLeft = changesLeft;
    }

    /** Whether it came to that. */
    public boolean died() {
        return changesLeft < 0;
    }

    private void change() throws Died {
        if (changesLeft <= 0) {
            changesLeft = -1;
            throw new Died();
        }
        changesLeft--;
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        change();
        disk.createFolder(folder);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        return new MortalFile(disk.append(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public Region map(Path file) throws IOException {
        return disk.map(file);
    }

    @Override
    public Region allocate(Path file, long length) throws IOException {
        change();
        return disk.allocate(file, length);
    }

    @Override
    public Region reopen(Path file) throws IOException {
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
    public List<Path> list(Path folder) throws IOException {
        return disk.list(folder);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        disk.syncFolder(folder);
    }

    private final class MortalFile implements AppendFile {

        private final AppendFile file;

        MortalFile(AppendFile file) {
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
