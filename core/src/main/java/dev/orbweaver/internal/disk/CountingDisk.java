package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the bytes appended to a disk and those of files written in one piece, but not mapped
 * writes.
 */
public final class CountingDisk implements Disk {

    private final Disk disk;
    private final LongAdder bytesWritten = new LongAdder();

    public CountingDisk(Disk disk) {
        this.disk = disk;
    }

    public long bytesWritten() {
        return bytesWritten.sum();
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        disk.createDirectory(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        return new CountingFile(disk.append(file));
    }

    @Override
    public Executor writer() {
        return disk.writer();
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
    public MappedFile map(Path file) throws IOException {
        return disk.map(file);
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        var mappedFile = disk.allocate(file, length);
        bytesWritten.add(length);
        return mappedFile;
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
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        disk.syncDirectory(directory);
    }

    private final class CountingFile implements AppendFile {

        private final AppendFile file;

        CountingFile(AppendFile file) {
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
            bytesWritten.add(length);
        }

        @Override
        public void append(Path source) throws IOException {
            var before = file.length();
            file.append(source);
            bytesWritten.add(file.length() - before);
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
