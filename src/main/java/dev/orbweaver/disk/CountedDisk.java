package dev.orbweaver.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Another disk, and how many bytes were written to it: what was appended, and files made in one
 * piece. Writes to memory that stands for a file are the system's to count.
 */
public final class CountedDisk implements Disk {

    private final Disk disk;
    private final LongAdder written = new LongAdder();

    /** Counts from now on. */
    public CountedDisk(Disk disk) {
        this.disk = disk;
    }

    /** How many bytes were written. */
    public long written() {
        return written.sum();
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        disk.createFolder(folder);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        return new CountedFile(disk.append(file));
    }

    @Override
    public void makePrivate(Path file) throws IOException {
        disk.makePrivate(file);
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
        var region = disk.allocate(file, length);
        written.add(length);
        return region;
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
        disk.truncate(file, length);
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        disk.moveAtomically(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        return disk.list(folder);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        disk.syncFolder(folder);
    }

    private final class CountedFile implements AppendFile {

        private final AppendFile file;

        CountedFile(AppendFile file) {
            this.file = file;
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            var length = bytes.remaining();
            file.append(bytes);
            written.add(length);
        }

        @Override
        public void append(Path source) throws IOException {
            var before = file.length();
            file.append(source);
            written.add(file.length() - before);
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
