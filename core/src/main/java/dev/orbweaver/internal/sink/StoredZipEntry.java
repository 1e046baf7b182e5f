package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * An entry of a ZIP file that is stored without compression, so that its bytes can be read from the
 * file itself. The numbers are those of the ZIP specification (APPNOTE 6.3, 4.3 and 4.5.3), which
 * {@link java.util.zip} does not provide.
 *
 * @param offset of its first byte in the file
 */
record StoredZipEntry(String name, long offset, long length) {

    private static final int END = 0x06054b50;
    private static final int END_LENGTH = 22;
    private static final int COMMENT_MAX = 0xFFFF;
    private static final int LOCATOR_64 = 0x07064b50;
    private static final int LOCATOR_64_LENGTH = 20;
    private static final int END_64_LENGTH = 56;
    private static final int ENTRY = 0x02014b50;
    private static final int ENTRY_LENGTH = 46;
    private static final int LOCAL_LENGTH = 30;
    private static final int EXTRA_64 = 1;
    private static final long IN_EXTRA = 0xFFFF_FFFFL;
    private static final int DIRECTORY_BYTES_MAX = 64 << 20;

    /**
     * Returns the stored entries of a file.
     *
     * @throws IOException also if it is not a ZIP file
     */
    static List<StoredZipEntry> of(FileChannel file) throws IOException {
        try {
            return entries(file, directory(file));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new ZipException("not a complete ZIP file: " + e.getMessage());
        }
    }

    /** Returns the central directory. */
    private static ByteBuffer directory(FileChannel file) throws IOException {
        var tail = (int) Math.min(file.size(), END_LENGTH + COMMENT_MAX);
        var begin = file.size() - tail;
        var bytes = read(file, begin, tail);
        var end = tail - END_LENGTH;
        while (bytes.getInt(end) != END) {
            end--;
        }
        var length = unsigned(bytes.getInt(end + 12));
        var offset = unsigned(bytes.getInt(end + 16));
        if (length == IN_EXTRA || offset == IN_EXTRA) {
            var locator = read(file, begin + end - LOCATOR_64_LENGTH, LOCATOR_64_LENGTH);
            if (locator.getInt(0) != LOCATOR_64) {
                throw new ZipException("no end of the central directory");
            }
            var end64 = read(file, locator.getLong(8), END_64_LENGTH);
            length = end64.getLong(40);
            offset = end64.getLong(48);
        }
        if (length > DIRECTORY_BYTES_MAX) {
            throw new ZipException("a central directory of %,d bytes".formatted(length));
        }
        return read(file, offset, (int) length);
    }

    private static List<StoredZipEntry> entries(FileChannel file, ByteBuffer directory)
            throws IOException {
        var entries = new ArrayList<StoredZipEntry>();
        for (var at = 0; at < directory.limit(); ) {
            if (directory.getInt(at) != ENTRY) {
                throw new ZipException("a damaged central directory");
            }
            var nameLength = unsigned(directory.getShort(at + 28));
            var extraLength = unsigned(directory.getShort(at + 30));
            var isStored = directory.getShort(at + 10) == 0;
            var isEncrypted = (directory.getShort(at + 8) & 1) != 0;
            if (isStored && !isEncrypted) {
                var name = new byte[nameLength];
                directory.get(at + ENTRY_LENGTH, name);
                var extra = directory.slice(at + ENTRY_LENGTH + nameLength, extraLength);
                var size = new Numbers(extra.order(ByteOrder.LITTLE_ENDIAN));
                // In this order: uncompressed and compressed length, offset.
                var _ = size.next(directory.getInt(at + 24));
                var length = size.next(directory.getInt(at + 20));
                var local = size.next(directory.getInt(at + 42));
                entries.add(new StoredZipEntry(new String(name, UTF_8), data(file, local), length));
            }
            at += ENTRY_LENGTH + nameLength + extraLength + unsigned(directory.getShort(at + 32));
        }
        return entries;
    }

    private static long data(FileChannel file, long local) throws IOException {
        var head = read(file, local, LOCAL_LENGTH);
        return local + LOCAL_LENGTH + unsigned(head.getShort(26)) + unsigned(head.getShort(28));
    }

    /** Numbers of an entry; one that needs more than 32 bits is in an extra field. */
    private static final class Numbers {

        private final ByteBuffer extra;
        private int at;

        private Numbers(ByteBuffer extra) {
            this.extra = extra;
            while (at < extra.limit() && extra.getShort(at) != EXTRA_64) {
                at += 2 * Short.BYTES + unsigned(extra.getShort(at + Short.BYTES));
            }
            at += 2 * Short.BYTES;
        }

        private long next(int number) {
            if (unsigned(number) != IN_EXTRA) {
                return unsigned(number);
            }
            at += Long.BYTES;
            return extra.getLong(at - Long.BYTES);
        }
    }

    private static long unsigned(int number) {
        return Integer.toUnsignedLong(number);
    }

    private static int unsigned(short number) {
        return Short.toUnsignedInt(number);
    }

    private static ByteBuffer read(FileChannel file, long from, int length) throws IOException {
        var bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (file.read(bytes, from + bytes.position()) < 0) {
                throw new ZipException("unexpected end of the file");
            }
        }
        return bytes.flip();
    }
}
