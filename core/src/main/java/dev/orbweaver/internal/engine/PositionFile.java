package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.PageLogPosition;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A handler's position in the page log, overwritten in place after every batch: offset, number and
 * checksum of the line, then a CRC-32C of these. It is one small write at the start of the file,
 * and survives the death of the process. With {@code durability: power} it is synced too: then it
 * survives a loss of power, as the page log does. A damaged or missing record counts as the start
 * of the log.
 */
final class PositionFile implements Closeable {

    static final String SUFFIX = ".position";

    private static final int CONTENT = Long.BYTES + Long.BYTES + Integer.BYTES;

    private final FileChannel file;
    private final boolean synced;

    private PositionFile(FileChannel file, boolean synced) {
        this.file = file;
        this.synced = synced;
    }

    static PositionFile open(Path crawl, String name, boolean synced) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.SINKS);
        Files.createDirectories(directory);
        var opened =
                new PositionFile(
                        FileChannel.open(
                                directory.resolve(name + SUFFIX),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE),
                        synced);
        try {
            if (synced) { // The names of a new file and a new directory.
                new RealDisk().syncDirectory(directory);
                new RealDisk().syncDirectory(crawl);
            }
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    PageLogPosition read() throws IOException {
        var bytes = ByteBuffer.allocate(CONTENT + Integer.BYTES);
        while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {}
        if (bytes.hasRemaining() || !isIntact(bytes.array())) {
            return PageLogPosition.START;
        }
        return new PageLogPosition(bytes.getLong(0), bytes.getLong(8), bytes.getInt(16));
    }

    void write(PageLogPosition position) throws IOException {
        var bytes =
                ByteBuffer.allocate(CONTENT + Integer.BYTES)
                        .putLong(position.offset())
                        .putLong(position.seq())
                        .putInt(position.checksum());
        bytes.putInt(checksum(bytes.array())).flip();
        while (bytes.hasRemaining()) {
            var _ = file.write(bytes, bytes.position());
        }
        if (synced) {
            file.force(false);
        }
    }

    /** Returns whether a record matches its checksum. */
    static boolean isIntact(byte[] bytes) {
        return bytes.length == CONTENT + Integer.BYTES
                && ByteBuffer.wrap(bytes).getInt(CONTENT) == checksum(bytes);
    }

    private static int checksum(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes, 0, CONTENT);
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
