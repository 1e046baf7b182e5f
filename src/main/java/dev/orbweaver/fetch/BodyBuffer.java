package dev.orbweaver.fetch;

import dev.orbweaver.model.Body;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Collects a body: in memory while it is small, in a temporary file from {@link #MEMORY_MAX} on.
 */
final class BodyBuffer implements AutoCloseable {

    static final int MEMORY_MAX = 256 << 10;
    private static final int FIRST = 8 << 10;

    private final Path folder;
    private byte[] memory = new byte[0];
    private int inMemory;
    private long length;
    private @Nullable Path file;
    private @Nullable FileChannel channel;

    BodyBuffer(Path folder) {
        this.folder = folder;
    }

    long length() {
        return length;
    }

    /** Makes room at once for a body of known length. */
    void expect(long bytes) {
        memory = new byte[(int) Math.min(bytes, MEMORY_MAX)];
    }

    void add(ByteBuf in, int count) throws IOException {
        if (channel == null && length + count > MEMORY_MAX) {
            spill();
        }
        if (channel != null) {
            writeFully(channel, in, count);
        } else {
            ensure(count);
            in.readBytes(memory, inMemory, count);
            inMemory += count;
        }
        length += count;
    }

    private static void writeFully(FileChannel channel, ByteBuf in, int count) throws IOException {
        for (var left = count; left > 0; ) {
            left -= in.readBytes(channel, channel.position(), left);
            channel.position(channel.size());
        }
    }

    private void ensure(int more) {
        if (inMemory + more > memory.length) {
            var wanted = Math.max(Math.max(FIRST, memory.length * 2), inMemory + more);
            memory = Arrays.copyOf(memory, Math.min(wanted, MEMORY_MAX));
        }
    }

    private void spill() throws IOException {
        var path = Files.createTempFile(folder, "body-", ".tmp");
        file = path;
        channel = FileChannel.open(path, StandardOpenOption.WRITE);
        channel.write(ByteBuffer.wrap(memory, 0, inMemory));
        memory = new byte[0];
    }

    /** The body; its file, if it has one, now belongs to the caller. */
    Body finish() throws IOException {
        var path = file;
        if (channel == null || path == null) {
            return new Body.InMemory(memory, inMemory);
        }
        channel.close();
        file = null;
        return new Body.InFile(path, length);
    }

    /** Drops whatever was not handed over. */
    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        if (file != null) {
            Files.deleteIfExists(file);
        }
    }
}
