package dev.orbweaver.internal.disk;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The real file system.
 *
 * <p>Large appends from direct memory bypass the page cache ({@link ChannelFile}), so that a crawl
 * that writes gigabytes does not evict what it reads, and does not copy what it writes. In a
 * virtual machine the difference is large: where the host provides memory only when it is first
 * used, each new megabyte of the page cache cost 2.3 ms of CPU, a direct write 0.09 (ADR 32).
 */
public final class RealDisk implements Disk {

    /**
     * The alignment of writes that bypass the page cache, a multiple of the block size of common
     * file systems. Such a write needs an address and a position that are multiples of it.
     */
    public static final int BLOCK = 4_096;

    /** Smaller appends are copied to the page cache: they would wait for the disk each time. */
    private static final int BYPASS_BYTES_MIN = 128 << 10;

    /**
     * After a write with fewer bytes per nanosecond, the disk is busy: the next go to its cache.
     */
    private static final double BYPASS_BYTES_PER_NANO_MIN = 0.016;

    private static final int CACHED_AFTER_SLOW = 8;

    private static final Optional<OpenOption> DIRECT = directOption();

    /** Finds the JDK's option by name: the compiler warns of a use of its class. */
    private static Optional<OpenOption> directOption() {
        try {
            return Arrays.stream(
                            Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
                    .map(OpenOption.class::cast)
                    .filter(option -> option.toString().equals("DIRECT"))
                    .findFirst();
        } catch (ClassNotFoundException e) {
            return Optional.empty(); // The module jdk.unsupported is missing.
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(RealDisk.class);

    /**
     * Zeros are written one page at a time. Large writes create large folios in the page cache;
     * then the first store to a page after each writeback makes the kernel walk the whole folio
     * (measured: 1.1 to 3.7 µs per random store instead of 0.17).
     */
    private static final int ZEROES = 4_096;

    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    @Override
    public void createDirectory(Path directory) throws IOException {
        Files.createDirectories(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.position(channel.size());
        return new ChannelFile(file, channel, channel.size());
    }

    @Override
    public void makePrivate(Path file) throws IOException {
        // File systems without POSIX permissions have no such bits; there the file inherits its
        // access rights.
        if (Files.getFileAttributeView(file, PosixFileAttributeView.class) != null) {
            var _ = Files.setPosixFilePermissions(file, OWNER_ONLY);
        }
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        return mapFile(file, FileChannel.MapMode.READ_ONLY, StandardOpenOption.READ);
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        Files.deleteIfExists(file);
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            // The zeros are written, not just declared as a hole: touching a hole of a mapped file
            // on a full disk kills the process.
            var zeroes = ByteBuffer.allocate((int) Math.min(length, ZEROES));
            for (var left = length; left > 0; ) {
                zeroes.clear().limit((int) Math.min(left, zeroes.capacity()));
                left -= channel.write(zeroes);
            }
        } catch (IOException e) {
            Files.deleteIfExists(file); // A partial table is useless and occupies space.
            throw e;
        }
        return reopen(file);
    }

    @Override
    public MappedFile reopen(Path file) throws IOException {
        return mapFile(
                file,
                FileChannel.MapMode.READ_WRITE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static MappedFile mapFile(
            Path file, FileChannel.MapMode mode, StandardOpenOption... options) throws IOException {
        try (var channel = FileChannel.open(file, options)) {
            var arena = Arena.ofShared();
            try {
                return new ChannelMapping(channel.map(mode, 0, channel.size(), arena), arena);
            } catch (IOException | RuntimeException e) {
                arena.close();
                throw e;
            }
        }
    }

    private record ChannelMapping(MemorySegment bytes, Arena arena) implements MappedFile {
        @Override
        public void close() {
            arena.close();
        }
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public long length(Path file) throws IOException {
        return Files.size(file);
    }

    @Override
    public void truncate(Path file, long length) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Override
    public Executor writer() {
        return Thread::startVirtualThread;
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * A file that is written through its channel, the whole blocks of large appends past the page
     * cache. No block is ever written both ways: the partial blocks before and after such a write
     * are in the page cache alone, so neither kind of write waits for the other.
     */
    private static final class ChannelFile implements AppendFile {

        private final Path file;
        private final FileChannel channel;
        private long length;
        private @Nullable FileChannel bypass;
        private boolean canBypass = DIRECT.isPresent();
        private int cachedNext;

        ChannelFile(Path file, FileChannel channel, long length) {
            this.file = file;
            this.channel = channel;
            this.length = length;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            if (bytes.remaining() >= BYPASS_BYTES_MIN && isAligned(bytes) && openBypass()) {
                var end = bytes.limit();
                var partial = (int) (-length & (BLOCK - 1));
                writeCached(bytes.limit(bytes.position() + partial));
                bytes.limit(bytes.position() + ((end - bytes.position()) & -BLOCK));
                writeBlocks(bytes);
                bytes.limit(end);
            }
            writeCached(bytes);
        }

        /** Returns whether memory and file have the same distance to the next block. */
        private boolean isAligned(ByteBuffer bytes) {
            return bytes.isDirect()
                    && (bytes.alignmentOffset(bytes.position(), BLOCK) - length) % BLOCK == 0;
        }

        private boolean openBypass() {
            if (cachedNext > 0) {
                cachedNext--;
                return false;
            }
            if (bypass == null && canBypass) {
                try {
                    bypass = FileChannel.open(file, StandardOpenOption.WRITE, DIRECT.orElseThrow());
                } catch (IOException | UnsupportedOperationException e) {
                    canBypass = false; // Not every file system can.
                    LOG.debug("{} is written through the page cache: {}", file, e.toString());
                }
            }
            return bypass != null && canBypass;
        }

        /** Writes whole blocks; what it leaves is written through the page cache. */
        private void writeBlocks(ByteBuffer bytes) throws IOException {
            var direct = Objects.requireNonNull(bypass);
            var count = bytes.remaining();
            var start = System.nanoTime();
            try {
                while (bytes.hasRemaining()) {
                    length += direct.write(bytes, length);
                }
            } catch (IOException e) {
                canBypass = false; // If the disk is full or defective, the next write says so.
                LOG.debug("{} is written through the page cache: {}", file, e.toString());
            }
            if (count < (System.nanoTime() - start) * BYPASS_BYTES_PER_NANO_MIN) {
                cachedNext = CACHED_AFTER_SLOW;
            }
            channel.position(length);
        }

        private void writeCached(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                length += channel.write(bytes);
            }
        }

        @Override
        public void append(Path source) throws IOException {
            try (var from = FileChannel.open(source, StandardOpenOption.READ)) {
                var size = from.size();
                var copied = 0L;
                while (copied < size) {
                    copied += from.transferTo(copied, size - copied, channel);
                }
                length += copied;
            }
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                if (bypass != null) {
                    bypass.close();
                }
            }
        }
    }
}
