package dev.orbweaver.internal.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.traps.UrlPatternPath;
import dev.orbweaver.internal.url.FingerprintKey;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Stores robots.txt entries in a file of the crawl's directory. Each new entry is appended, and the
 * last one of an origin is valid.
 *
 * <p>The file is not part of any commit. Losing its end only means that some files are fetched
 * again, so it is never synced, and opening it truncates it at the first damaged frame. An entry is
 * appended only after the commit that stores its crawl delay. Otherwise a resumed crawl could apply
 * rules whose delay its frontier does not have.
 *
 * <p>After a power failure the frontier may be older than this file. It then has neither the delay
 * nor the sitemaps of an entry stored here. So each entry names the last capture at the time, and
 * is used only if a later capture is committed: then the frontier has everything that came with the
 * entry.
 *
 * <p>Only an {@link OriginIndex} is in memory. Entries are read from the file, which is mapped up
 * to the last position read. When most of the file is outdated, it is rewritten without the
 * outdated entries, so its length is bounded by twice the valid bytes plus a megabyte.
 */
public final class RobotsLog implements RobotsStore, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RobotsLog.class);
    private static final byte[] MAGIC = "ORBROBO".getBytes(US_ASCII);
    private static final byte VERSION = 2;
    private static final int HEADER = 8;
    private static final long REWRITE_MIN_BYTES = 1 << 20;
    private static final int ORIGINS_MAX = 1_000_000;
    private static final int DELAYS_MAX = 100_000;
    private static final long BEFORE_FIRST_CAPTURE = -1;

    private final Disk disk;
    private final Path path;
    private final long rewriteMinBytes;
    private long rewriteFrom;

    /** Random per process, so that a site cannot choose origins that collide in the index. */
    private final long salt = FingerprintKey.random().first();

    private final OriginIndex index;
    private final Map<String, Duration> delays = new HashMap<>();
    private AppendFile file;
    private long validBytes;
    private boolean torn;
    private Instant newestAttempt = Instant.EPOCH;
    private @Nullable MappedFile mapped;
    private final LongSupplier captures;
    private long uncommittedEntries;

    private RobotsLog(
            Disk disk,
            Path path,
            long rewriteMinBytes,
            int originsMax,
            LongSupplier captures,
            long last)
            throws IOException {
        this.captures = captures;
        this.disk = disk;
        this.path = path;
        this.rewriteMinBytes = rewriteMinBytes;
        this.rewriteFrom = rewriteMinBytes;
        this.index = new OriginIndex(originsMax);
        this.validBytes = disk.exists(path) ? replay(last) : 0;
        if (disk.exists(path) && disk.length(path) > validBytes) {
            LOG.warn(
                    "{} ends in {} damaged bytes; truncating it",
                    path,
                    disk.length(path) - validBytes);
            disk.truncate(path, validBytes);
        }
        this.file = disk.append(path);
        if (validBytes == 0) {
            var _ = append(header());
        }
        if (uncommittedEntries > 0) {
            LOG.warn(
                    "{} has {} entries that may be newer than the frontier; those robots.txt"
                            + " files are fetched again",
                    path,
                    uncommittedEntries);
            rewrite(); // Otherwise they would become valid with later captures.
        }
    }

    /** Opens the log of a crawl's directory and creates it if it does not exist. */
    public static RobotsLog open(Disk disk, Path directory) throws IOException {
        return open(disk, directory, REWRITE_MIN_BYTES, ORIGINS_MAX);
    }

    /**
     * Opens the log and discards entries that may be newer than the last commit.
     *
     * @param captures returns the number of the last committed capture
     */
    public static RobotsLog open(Disk disk, Path directory, LongSupplier captures)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        disk.delete(unfinished(path));
        return new RobotsLog(
                disk, path, REWRITE_MIN_BYTES, ORIGINS_MAX, captures, captures.getAsLong());
    }

    /**
     * Opens the log of a crawl that has not begun. Its entries are used from the first capture on:
     * nothing else that came with them can be missing in the frontier.
     */
    public static RobotsLog openBeforeStart(Disk disk, Path directory) throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        disk.delete(unfinished(path));
        return new RobotsLog(
                disk,
                path,
                REWRITE_MIN_BYTES,
                ORIGINS_MAX,
                () -> BEFORE_FIRST_CAPTURE,
                Long.MAX_VALUE);
    }

    /**
     * Opens the log with other limits.
     *
     * @param rewriteMinBytes a file up to this length is never rewritten
     */
    static RobotsLog open(Disk disk, Path directory, long rewriteMinBytes, int originsMax)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        disk.delete(unfinished(path));
        return new RobotsLog(disk, path, rewriteMinBytes, originsMax, () -> 0, Long.MAX_VALUE);
    }

    /**
     * Reads the entry of an origin from a directory's log, which a running crawl may be writing.
     */
    public static Optional<RobotsEntry> lookUp(Disk disk, Path directory, String origin)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        if (!disk.exists(path)) {
            return Optional.empty();
        }
        try (var mappedFile = disk.map(path)) {
            var bytes = mappedFile.bytes();
            Optional<byte[]> last = Optional.empty();
            var at = headerLength(path, bytes);
            for (var payload = RobotsEntryCodec.payload(bytes, at);
                    payload.isPresent();
                    payload = RobotsEntryCodec.payload(bytes, at)) {
                last = RobotsEntryCodec.origin(payload.get()).equals(origin) ? payload : last;
                at += RobotsEntryCodec.HEAD + payload.get().length;
            }
            return last.isPresent()
                    ? Optional.of(RobotsEntryCodec.read(last.get()))
                    : Optional.empty();
        }
    }

    /**
     * Returns the last entries of a host's origins in a crawl that may be running.
     *
     * @param max how many origins are returned
     */
    public static List<RobotsEntry> ofHost(Disk disk, Path directory, String host, int max)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        if (!disk.exists(path)) {
            return List.of();
        }
        try (var mappedFile = disk.map(path)) {
            var bytes = mappedFile.bytes();
            var last = new LinkedHashMap<String, byte[]>();
            var at = headerLength(path, bytes);
            for (var payload = RobotsEntryCodec.payload(bytes, at);
                    payload.isPresent();
                    payload = RobotsEntryCodec.payload(bytes, at)) {
                var origin = RobotsEntryCodec.origin(payload.get());
                if (isOf(origin, host) && (last.size() < max || last.containsKey(origin))) {
                    last.put(origin, payload.get());
                }
                at += RobotsEntryCodec.HEAD + payload.get().length;
            }
            var entries = new ArrayList<RobotsEntry>();
            for (var payload : last.values()) {
                entries.add(RobotsEntryCodec.read(payload));
            }
            return entries;
        }
    }

    private static boolean isOf(String origin, String host) {
        var authority = origin.substring(origin.indexOf("://") + 3);
        return authority.equals(host) || authority.startsWith(host + ":");
    }

    /**
     * Checks the log of a crawl's directory without changing it.
     *
     * @param running whether a process may be writing it
     */
    public static void check(Disk disk, Path directory, boolean running, Findings findings)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        if (!disk.exists(path)) {
            return;
        }
        try (var mappedFile = disk.map(path)) {
            var bytes = mappedFile.bytes();
            var at = validLength(path, bytes);
            findings.checked(bytes.byteSize());
            if ((at == 0 || at < bytes.byteSize()) && !running) {
                findings.damage(
                        path,
                        at,
                        "%d damaged bytes; the next start removes them and fetches robots.txt again"
                                .formatted(bytes.byteSize() - at));
            }
        } catch (IOException e) {
            findings.damage(path, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the length up to which a log, which a process may be writing, has whole entries. */
    public static long validLength(Disk disk, Path log) throws IOException {
        try (var mappedFile = disk.map(log)) {
            return validLength(log, mappedFile.bytes());
        }
    }

    private static long validLength(Path path, MemorySegment bytes) throws IOException {
        var at = headerLength(path, bytes);
        for (var payload = RobotsEntryCodec.payload(bytes, at);
                at > 0 && payload.isPresent();
                payload = RobotsEntryCodec.payload(bytes, at)) {
            at += RobotsEntryCodec.HEAD + payload.get().length;
        }
        return at;
    }

    private static ByteBuffer header() {
        return ByteBuffer.allocate(HEADER).put(MAGIC).put(VERSION).flip();
    }

    /** Returns the offset of the first frame; 0 if the header is incomplete. */
    private static long headerLength(Path path, MemorySegment bytes) throws IOException {
        if (bytes.byteSize() < HEADER) {
            return 0;
        }
        var header = bytes.asSlice(0, HEADER).toArray(ValueLayout.JAVA_BYTE);
        if (!Arrays.equals(header, header().array())) {
            throw new IOException(
                    path
                            + " is not a robots.txt log of this version; delete it, and the files"
                            + " are fetched again");
        }
        return HEADER;
    }

    /** Reads all frames into the index and returns the length of the valid part. */
    private long replay(long lastCapture) throws IOException {
        try (var mappedFile = disk.map(path)) {
            var bytes = mappedFile.bytes();
            var at = headerLength(path, bytes);
            while (at > 0) {
                var payload = RobotsEntryCodec.payload(bytes, at);
                if (payload.isEmpty()) {
                    break;
                }
                var length = RobotsEntryCodec.HEAD + payload.get().length;
                if (RobotsEntryCodec.capture(payload.get()) < lastCapture) {
                    indexEntry(RobotsEntryCodec.readHead(payload.get()), at, length);
                } else {
                    uncommittedEntries++;
                }
                at += length;
            }
            return at;
        }
    }

    private void indexEntry(RobotsEntry entry, long at, int length) {
        index.put(hash(entry.origin()), at, length);
        newestAttempt =
                entry.attemptedAt().isAfter(newestAttempt) ? entry.attemptedAt() : newestAttempt;
        if (entry.delay().isZero()) {
            delays.remove(entry.origin());
        } else if (delays.size() < DELAYS_MAX || delays.containsKey(entry.origin())) {
            delays.put(entry.origin(), entry.delay());
        }
    }

    private long hash(String origin) {
        return UrlPatternPath.hash(origin, salt);
    }

    @Override
    public synchronized Map<String, Duration> delays() {
        return Collections.unmodifiableMap(new HashMap<>(delays));
    }

    @Override
    public synchronized Optional<RobotsEntry> find(String origin) throws IOException {
        var at = index.find(hash(origin));
        if (at < 0) {
            return Optional.empty();
        }
        var payload = RobotsEntryCodec.payload(mapped(at), at);
        return payload.isPresent() && RobotsEntryCodec.origin(payload.get()).equals(origin)
                ? Optional.of(RobotsEntryCodec.read(payload.get()))
                : Optional.empty();
    }

    /** Returns the file as memory, and maps it again if it has grown past the offset. */
    private MemorySegment mapped(long at) throws IOException {
        var mappedFile = mapped;
        if (mappedFile == null || mappedFile.bytes().byteSize() <= at) {
            unmap();
            mappedFile = disk.map(path);
            mapped = mappedFile;
        }
        return mappedFile.bytes();
    }

    private void unmap() {
        var mappedFile = mapped;
        if (mappedFile != null) {
            mapped = null;
            mappedFile.close();
        }
    }

    @Override
    public synchronized void save(RobotsEntry entry) throws IOException {
        var frame = RobotsEntryCodec.write(entry, captures.getAsLong());
        var length = frame.remaining();
        if (length - RobotsEntryCodec.HEAD > RobotsEntryCodec.PAYLOAD_MAX) {
            throw new IOException(
                    "a robots.txt entry of "
                            + length
                            + " bytes exceeds "
                            + RobotsEntryCodec.PAYLOAD_MAX);
        }
        var at = append(frame);
        indexEntry(entry, at, length);
        if (validBytes > rewriteFrom && index.liveBytes() * 2 < validBytes) {
            rewriteIfPossible();
        }
    }

    /** Appends bytes; what a failed append may have left behind is truncated first. */
    private long append(ByteBuffer bytes) throws IOException {
        if (torn) {
            unmap(); // It may map bytes that are removed now.
            file.close();
            disk.truncate(path, validBytes);
            file = disk.append(path);
        }
        var at = validBytes;
        var length = bytes.remaining();
        torn = true;
        file.append(bytes);
        torn = false;
        validBytes = at + length;
        return at;
    }

    private void rewriteIfPossible() throws IOException {
        try {
            rewrite();
            rewriteFrom = rewriteMinBytes;
        } catch (IOException e) {
            LOG.warn("could not compact {}: {}", path, e.getMessage());
            rewriteFrom = validBytes * 2;
            disk.delete(unfinished(path));
        }
    }

    /**
     * Rewrites the file with the entries still in use; after a crash either the old or the new one
     * exists.
     */
    private void rewrite() throws IOException {
        var unfinished = unfinished(path);
        disk.delete(unfinished);
        unmap();
        try (var out = disk.append(unfinished);
                var old = disk.map(path)) {
            out.append(header());
            for (var at : index.sortedOffsets()) {
                var payload = RobotsEntryCodec.payload(old.bytes(), at);
                if (payload.isPresent()
                        && !RobotsEntryCodec.readHead(payload.get()).isExpired(newestAttempt)) {
                    var length = RobotsEntryCodec.HEAD + payload.get().length;
                    out.append(old.bytes().asSlice(at, length).asByteBuffer());
                }
            }
        }
        torn = true; // The next append opens the new file if this fails.
        file.close();
        disk.moveAtomically(unfinished, path);
        index.retainIf(_ -> false);
        delays.clear();
        validBytes = replay(Long.MAX_VALUE);
        file = disk.append(path);
        torn = false;
    }

    private static Path unfinished(Path path) {
        return path.resolveSibling(DirectoryLayout.ROBOTS_LOG + ".unfinished");
    }

    @Override
    public synchronized void close() throws IOException {
        unmap();
        file.close();
    }
}
