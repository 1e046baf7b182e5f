package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.VarintWriter;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * The files with the tails of long queues, in one directory per shard.
 *
 * <p>A file is written once and never changes; each URL in it has a checksum. It is read by
 * position and not mapped: the directory may be on another machine, where a read error must be an
 * exception and not kill the process.
 */
final class OverflowFiles {

    private static final byte[] HEAD = "owtail1\n".getBytes(StandardCharsets.US_ASCII);
    private static final String ID = "id";
    private static final int ID_READS = 200;
    private static final Duration ID_PAUSE = Duration.ofMillis(25);
    private static final int CHECK_BYTES = 4;
    private static final int NUMBER_BYTES_MAX = 5;
    private static final int BUFFER = 1 << 16;

    /** Initial read size. Most records are shorter, so that one read suffices. */
    private static final long RECORD_GUESS = 300;

    private static final long NAMES = 36L * 36 * 36 * 36 * 36 * 36 * 36 * 36;

    /** For a worker without an overflow directory: every read fails. */
    static final OverflowFiles NONE = new OverflowFiles(new RealDisk(), Path.of("no --overflow"));

    private final Disk disk;
    private final Path directory;

    OverflowFiles(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * Returns a random name. A counter would not be safe: Redis may lose its last values and would
     * assign a name twice.
     */
    static String newName() {
        var number = ThreadLocalRandom.current().nextLong(NAMES);
        return Long.toString(number + NAMES, Character.MAX_RADIX).substring(1);
    }

    private Path directory(int shard) {
        return directory.resolve(Integer.toString(shard));
    }

    private Path file(int shard, String name) {
        return directory(shard).resolve(name);
    }

    /** A file being written; nothing refers to it before {@link #finish}. */
    final class Writer implements AutoCloseable {
        private final String name;
        private final Path shardDirectory;
        private final AppendFile file;
        private final VarintWriter buffer = new VarintWriter(BUFFER);
        private long start;
        private int count;

        private Writer(int shard, String name) throws IOException {
            this.name = name;
            this.shardDirectory = directory(shard);
            disk.createDirectory(shardDirectory);
            if (disk.exists(file(shard, name))) {
                throw new IOException("the file already exists: " + file(shard, name));
            }
            this.file = disk.append(file(shard, name));
            buffer.bytes(HEAD, 0, HEAD.length);
            start = HEAD.length;
        }

        void add(byte[] record) throws IOException {
            buffer.varint(record.length)
                    .bigEndian(checksum(record), CHECK_BYTES)
                    .bytes(record, 0, record.length);
            count++;
            if (buffer.length() >= BUFFER) {
                flush();
            }
        }

        SpilledRange endRange() {
            var at = file.length() + buffer.length();
            var spilledRange = new SpilledRange(name, start, at - start, count);
            start = at;
            count = 0;
            return spilledRange;
        }

        private void flush() throws IOException {
            file.append(ByteBuffer.wrap(buffer.array(), 0, buffer.length()));
            buffer.truncate(0);
        }

        void finish() throws IOException {
            flush();
            file.sync();
            disk.syncDirectory(shardDirectory);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    Writer create(int shard, String name) throws IOException {
        return new Writer(shard, name);
    }

    /** The first URLs of a range, and the rest of it. */
    record SpilledPart(List<byte[]> records, Optional<SpilledRange> rest) {}

    SpilledPart read(int shard, SpilledRange from, int max) throws IOException {
        var want = Math.min(from.count(), max);
        try (var channel = FileChannel.open(file(shard, from.file()), StandardOpenOption.READ)) {
            var size = Math.min(from.bytes(), want * RECORD_GUESS);
            while (true) {
                var bytes = read(channel, from, Math.toIntExact(size));
                var records = new ArrayList<byte[]>(want);
                var used = parse(bytes, want, from, records);
                if (records.size() == want) {
                    return new SpilledPart(records, remainder(from, used, want));
                }
                if (size == from.bytes()) {
                    throw damaged(from);
                }
                size = Math.min(from.bytes(), size * 2);
            }
        }
    }

    private static Optional<SpilledRange> remainder(SpilledRange from, int used, int taken) {
        return taken == from.count()
                ? Optional.empty()
                : Optional.of(
                        new SpilledRange(
                                from.file(),
                                from.offset() + used,
                                from.bytes() - used,
                                from.count() - taken));
    }

    private static byte[] read(FileChannel channel, SpilledRange from, int size)
            throws IOException {
        var buffer = ByteBuffer.allocate(size);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, from.offset() + buffer.position()) < 0) {
                throw new EOFException("a file of queued URLs is truncated: " + from);
            }
        }
        return buffer.array();
    }

    /** Adds up to {@code want} complete records, and returns where the last of them ends. */
    private static int parse(byte[] bytes, int want, SpilledRange from, List<byte[]> records)
            throws IOException {
        var at = 0;
        while (records.size() < want) {
            var length = 0;
            var size = 0;
            var more = true;
            while (more && size < NUMBER_BYTES_MAX && at + size < bytes.length) {
                length |= (bytes[at + size] & 0x7F) << (7 * size);
                more = bytes[at + size] < 0;
                size++;
            }
            var start = at + size + CHECK_BYTES;
            if (more || length < 0 || length > bytes.length - start) {
                return at; // The record is only partly read.
            }
            var record = Arrays.copyOfRange(bytes, start, start + length);
            if (ByteBuffer.wrap(bytes, at + size, CHECK_BYTES).getInt() != checksum(record)) {
                throw damaged(from);
            }
            records.add(record);
            at = start + length;
        }
        return at;
    }

    private static IOException damaged(SpilledRange from) {
        return new IOException("a file of queued URLs is damaged: " + from);
    }

    private static int checksum(byte[] record) {
        var crc = new CRC32C();
        crc.update(record, 0, record.length);
        return (int) crc.getValue();
    }

    /**
     * Returns the identity of a fleet's directory, independent of where it is mounted. The first
     * worker writes the file; a worker that starts at the same moment may see it before its line is
     * complete, and waits.
     */
    static String id(Path directory) throws IOException {
        Files.createDirectories(directory);
        var file = directory.resolve(ID);
        try {
            Files.writeString(file, UUID.randomUUID() + "\n", StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            // Another worker has written it, or is writing it now.
        }
        for (var attempt = 0; attempt < ID_READS; attempt++) {
            var line = Files.readString(file);
            if (line.endsWith("\n")) {
                return line.strip();
            }
            LockSupport.parkNanos(ID_PAUSE.toNanos());
        }
        throw new IOException(
                "%s is incomplete because the worker that wrote it was killed: delete it and restart this worker"
                        .formatted(file));
    }

    List<String> names(int shard) throws IOException {
        disk.createDirectory(directory(shard));
        return disk.list(directory(shard)).stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.chars().allMatch(c -> c < 128 && Character.isLetterOrDigit(c)))
                .toList();
    }

    void delete(int shard, String name) throws IOException {
        disk.delete(file(shard, name));
    }
}
