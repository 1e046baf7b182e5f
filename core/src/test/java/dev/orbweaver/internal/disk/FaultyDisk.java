package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The real disk with injected faults, for a real process: it fills up, fails once, or is slow.
 * Unlike {@link SimulatedDisk} it is used by many threads and its files outlive the process.
 *
 * <p>A full disk stays full: from the first byte that does not fit, every write fails until another
 * process opens the disk, and the write that reached the limit is half done, as on a file system.
 * An error is one operation that fails, a write being half done; later operations work again.
 */
public final class FaultyDisk implements Disk {

    private final Disk disk;
    private final long capacityBytes;
    private final long failingOperation;
    private final int pauseMillisMax;
    private final Random random;
    private boolean outOfMemory;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong operations = new AtomicLong();

    private FaultyDisk(
            Disk disk, long roomBytes, long failingOperation, int pauseMillisMax, long seed) {
        this.disk = disk;
        this.capacityBytes = roomBytes;
        this.failingOperation = failingOperation;
        this.pauseMillisMax = pauseMillisMax;
        this.random = new Random(seed);
    }

    /** Creates a disk without faults; the seed is for the pauses of a slow disk. */
    public static FaultyDisk over(Disk disk, long seed) {
        return new FaultyDisk(disk, Long.MAX_VALUE, 0, 0, seed);
    }

    /** Limits the disk to this many more bytes. */
    public FaultyDisk withCapacity(long bytes) {
        return new FaultyDisk(disk, bytes, failingOperation, pauseMillisMax, random.nextLong());
    }

    /** Makes one operation fail, counted from 1. */
    public FaultyDisk withErrorAt(long operation) {
        return new FaultyDisk(disk, capacityBytes, operation, pauseMillisMax, random.nextLong());
    }

    /** Makes a write to a frontier's journal run out of memory. */
    public FaultyDisk withMemoryErrorAt(long write) {
        var other = withErrorAt(write);
        other.outOfMemory = true;
        return other;
    }

    /** Makes every fourth write or sync pause for up to this duration. */
    public FaultyDisk withPauses(int millisMax) {
        return new FaultyDisk(disk, capacityBytes, failingOperation, millisMax, random.nextLong());
    }

    private void step() throws IOException {
        if (!outOfMemory && operations.incrementAndGet() == failingOperation) {
            throw error();
        }
    }

    private static IOException error() {
        return new IOException("Input/output error");
    }

    private static IOException full() {
        return new IOException("No space left on device");
    }

    private void pause() {
        if (pauseMillisMax > 0) {
            int millis;
            synchronized (random) {
                millis = random.nextInt(4) == 0 ? random.nextInt(pauseMillisMax) : 0;
            }
            LockSupport.parkNanos(millis * 1_000_000L);
        }
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        step();
        disk.createDirectory(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        step();
        return outOfMemory && !file.getFileName().toString().startsWith("journal-")
                ? disk.append(file)
                : new FaultyFile(disk.append(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        step();
        return disk.read(file);
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        step();
        return disk.map(file);
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        step();
        if (written.addAndGet(length) > capacityBytes) {
            throw full();
        }
        return disk.allocate(file, length);
    }

    @Override
    public MappedFile reopen(Path file) throws IOException {
        step();
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
        step();
        disk.truncate(file, length);
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        step();
        disk.moveAtomically(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        step();
        disk.delete(file);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        step();
        return disk.list(directory);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        step();
        pause();
        disk.syncDirectory(directory);
    }

    private final class FaultyFile implements AppendFile {

        private final AppendFile file;

        FaultyFile(AppendFile file) {
            this.file = file;
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            pause();
            var count = bytes.remaining();
            var before = written.getAndAdd(count);
            var fails = operations.incrementAndGet() == failingOperation;
            if (before + count <= capacityBytes && !fails) {
                file.append(bytes);
                return;
            }
            var torn = fails ? count / 2 : Math.clamp(capacityBytes - before, 0, count);
            file.append(bytes.slice(bytes.position(), torn));
            if (fails && outOfMemory) {
                throw new OutOfMemoryError("injected");
            }
            throw fails ? error() : full();
        }

        @Override
        public void append(Path source) throws IOException {
            append(ByteBuffer.wrap(Files.readAllBytes(source)));
        }

        @Override
        public void sync() throws IOException {
            step();
            pause();
            file.sync();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
