package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Locks a directory for one process. The operating system releases the lock when the process ends.
 */
public final class DirectoryLock implements Closeable {

    private static final int TRIES = 4;
    private static final long RETRY_NANOS = 50_000_000;

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Acquires the lock; returns empty if another process holds it and does not release it soon.
     */
    public static Optional<DirectoryLock> tryLock(Path lockFile) throws IOException {
        for (var tries = 0; tries < TRIES; tries++) {
            var channel =
                    FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (locked(channel)) {
                return Optional.of(new DirectoryLock(channel));
            }
            channel.close();
            pause();
        }
        return Optional.empty();
    }

    /**
     * Returns whether a process holds the lock. Writes nothing, so it works on a read-only archive.
     */
    public static boolean isHeld(Path lockFile) throws IOException {
        if (!Files.exists(lockFile)) {
            return false;
        }
        try (var channel = FileChannel.open(lockFile, StandardOpenOption.READ)) {
            return channel.tryLock(0, Long.MAX_VALUE, true) == null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return true;
        }
    }

    /** Waits briefly: a process that calls {@link #isHeld} holds the lock for a moment. */
    private static void pause() {
        LockSupport.parkNanos(RETRY_NANOS);
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
