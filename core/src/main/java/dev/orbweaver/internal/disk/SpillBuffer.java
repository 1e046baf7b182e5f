package dev.orbweaver.internal.disk;

import dev.orbweaver.model.Body;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Collects bytes in memory, and in a temporary file beyond {@link #MEMORY_MAX} unless a {@link
 * BodyMemory} has room for them.
 *
 * <p>One thread may write while another aborts and closes. Once closed, a buffer rejects bytes and
 * has no file, regardless of which call came first.
 */
public final class SpillBuffer extends OutputStream {

    /** Maximum bytes kept in memory without a reservation. */
    public static final int MEMORY_MAX = 256 << 10;

    private static final String PREFIX = "spill-";
    private static final String SUFFIX = ".tmp";
    private static final int FIRST = 8 << 10;

    /** Maximum bytes allocated for an announced length before any byte has arrived. */
    private static final int ANNOUNCED_MAX = 32 << 10;

    private final Path directory;
    private final BodyMemory bodyMemory;
    private byte[] memory = new byte[0];

    /** Bytes reserved for {@link #memory}; 0 as long as it is small. */
    private int reserved;

    private int inMemory;
    private int expected;
    private long length;
    private boolean closed;
    private @Nullable Path file;
    private @Nullable FileChannel channel;

    public SpillBuffer(Path directory) {
        this(directory, BodyMemory.NONE);
    }

    public SpillBuffer(Path directory, BodyMemory bodyMemory) {
        this.directory = directory;
        this.bodyMemory = bodyMemory;
    }

    /** Returns whether a file was created by a buffer. */
    public static boolean isSpill(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    public synchronized long length() {
        return length;
    }

    /**
     * Allocates space for an announced length, at first at most {@link #ANNOUNCED_MAX}, because a
     * peer can announce any length.
     */
    public synchronized void expect(long bytes) {
        expected = (int) Math.min(bytes, BodyMemory.PER_BODY_MAX);
        memory = new byte[Math.min(expected, ANNOUNCED_MAX)];
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        write(ByteBuffer.wrap(bytes, offset, count));
    }

    public synchronized void write(ByteBuffer bytes) throws IOException {
        if (closed) {
            throw new IOException("the buffer is closed");
        }
        var count = bytes.remaining();
        if (channel == null && length + count > MEMORY_MAX && !reserve(length + count)) {
            spill();
        }
        if (channel == null) {
            ensureCapacity(count);
            bytes.get(memory, inMemory, count);
            inMemory += count;
        } else {
            writeFully(channel, bytes);
        }
        length += count;
    }

    /**
     * Grows the memory for a large body by doubling it, at most to the announced length. Returns
     * false if there is no room for it.
     */
    private boolean reserve(long bytes) {
        if (bytes > BodyMemory.PER_BODY_MAX) {
            return false;
        }
        if (bytes > reserved) {
            var doubled =
                    Math.min(2 * Math.max(memory.length, MEMORY_MAX), BodyMemory.PER_BODY_MAX);
            var grown = expected >= bytes ? Math.min(expected, doubled) : doubled;
            var capacity = (int) Math.max(grown, bytes);
            if (!bodyMemory.tryReserve(capacity - reserved)) {
                return false;
            }
            reserved = capacity;
            memory = Arrays.copyOf(memory, capacity);
        }
        return true;
    }

    private void releaseReserved() {
        bodyMemory.release(reserved);
        reserved = 0;
    }

    private void ensureCapacity(int more) {
        if (inMemory + more > memory.length) {
            var grown = Math.max(Math.max(FIRST, memory.length * 2), expected);
            var wanted = Math.max(grown, inMemory + more);
            memory = Arrays.copyOf(memory, Math.min(wanted, MEMORY_MAX));
        }
    }

    /**
     * Verifies that a directory can be written to.
     *
     * @throws IOException if no file can be created there
     */
    public static void probe(Path directory) throws IOException {
        try (var buffer = new SpillBuffer(directory)) {
            buffer.spill();
            buffer.write(new byte[MEMORY_MAX], 0, MEMORY_MAX);
        }
    }

    private synchronized void spill() throws IOException {
        var path = Files.createTempFile(directory, PREFIX, SUFFIX);
        file = path;
        var opened = FileChannel.open(path, StandardOpenOption.WRITE);
        channel = opened;
        writeFully(opened, ByteBuffer.wrap(memory, 0, inMemory));
        memory = new byte[0];
        releaseReserved();
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Returns the collected body. Its file, if there is one, then belongs to the caller, and so
     * does its reservation ({@link BodyMemory#release(Body)}).
     */
    public synchronized Body finish() throws IOException {
        var path = file;
        if (channel == null || path == null) {
            if (reserved > 0) {
                bodyMemory.keep(memory);
                reserved = 0; // From now on it belongs to the body.
            }
            return new Body.InMemory(memory, inMemory);
        }
        channel.close();
        file = null;
        return new Body.InFile(path, length);
    }

    /** Discards the bytes unless {@link #finish} has passed them on. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        releaseReserved();
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            if (file != null) {
                Files.deleteIfExists(file);
                file = null;
            }
        }
    }
}
