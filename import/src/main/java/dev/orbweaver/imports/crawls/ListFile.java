package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.imports.crawls.CrawlImporter.RowOutput;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A seed list that is being written. At a checkpoint its length and the key of its last row are
 * stored; an interrupted import truncates the file to that length and continues after that key.
 */
final class ListFile implements RowOutput, Closeable {

    /** Stores how far the file is. */
    interface Checkpoints {
        void store(long rows, long bytes, String key) throws IOException;
    }

    private static final int BUFFER_BYTES = 256 << 10;
    private static final long CHECKPOINT_ROWS = 10_000;

    private final FileChannel file;
    private final Checkpoints checkpoints;
    private final ListLines lines = new ListLines();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long rows;
    private long bytes;
    private long checkpointRows;

    private ListFile(FileChannel file, long rows, long bytes, Checkpoints checkpoints) {
        this.file = file;
        this.rows = rows;
        this.bytes = bytes;
        this.checkpointRows = rows;
        this.checkpoints = checkpoints;
    }

    /** Opens a file with the rows and bytes of the last checkpoint, or 0 for a new one. */
    static ListFile open(Path path, long rows, long bytes, Checkpoints checkpoints)
            throws IOException {
        var file =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        file.truncate(bytes).position(bytes);
        return new ListFile(file, rows, bytes, checkpoints);
    }

    long rows() {
        return rows;
    }

    @Override
    public void visited(String url) throws IOException {
        write(lines.visited(url));
    }

    @Override
    public void queued(String url, int depth, int points) throws IOException {
        write(lines.queued(url, depth, points));
    }

    private void write(String line) throws IOException {
        var encoded = line.getBytes(UTF_8);
        if (encoded.length > buffer.remaining()) {
            flush();
        }
        if (encoded.length > buffer.capacity()) {
            writeAll(ByteBuffer.wrap(encoded));
        } else {
            buffer.put(encoded);
        }
        bytes += encoded.length;
        rows++;
    }

    private void flush() throws IOException {
        writeAll(buffer.flip());
        buffer.clear();
    }

    private void writeAll(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            file.write(source);
        }
    }

    @Override
    public boolean isCheckpointDue() {
        return rows - checkpointRows >= CHECKPOINT_ROWS;
    }

    @Override
    public void checkpoint(String key) throws IOException {
        sync();
        checkpointRows = rows;
        checkpoints.store(rows, bytes, key);
    }

    /** Makes everything durable; nothing may be written afterwards. */
    void finish() throws IOException {
        sync();
    }

    private void sync() throws IOException {
        flush();
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
