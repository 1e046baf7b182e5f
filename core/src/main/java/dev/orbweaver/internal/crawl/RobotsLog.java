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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What robots.txt files say, in a file of the crawl's folder: an answer is appended each time one
 * comes, and the last one of an origin counts.
 *
 * <p>The file is no part of any commit: losing its end costs no more than asking some hosts again,
 * so it is never synced, and opening cuts it where the first damaged frame begins. It is written
 * after the commit that makes the answer's delay a fact, never before, so that a crawl that goes on
 * does not know rules whose delay its frontier has not heard of.
 *
 * <p>After a loss of power the frontier may stand at an earlier moment than this file, and then it
 * has neither the delay nor the sitemaps of an answer that is kept here. So each answer says which
 * capture was the last when it was kept, and counts only if a later one is committed: then the
 * frontier has all that came with the answer.
 *
 * <p>In memory there is an {@link OriginIndex} alone; answers are read from the file, which is
 * mapped as far as somebody had to read. When most of the file is no longer anybody's last word, it
 * is rewritten without that; so its length is bounded by twice what is of use and a megabyte.
 */
public final class RobotsLog implements RobotsStore, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RobotsLog.class);
    private static final byte[] MAGIC = "ORBROBO".getBytes(US_ASCII);
    private static final byte VERSION = 2;
    private static final int HEADER = 8;
    private static final long REWRITE_MIN_BYTES = 1 << 20;
    private static final int ORIGINS_MAX = 1_000_000;
    private static final int DELAYS_MAX = 100_000;

    private final Disk disk;
    private final Path path;
    private final long rewriteMinBytes;
    private long rewriteFrom;

    /** Of this process only: a site cannot choose origins that crowd one place of the index. */
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
            Disk disk, Path path, long small, int originsMax, LongSupplier captures, long last)
            throws IOException {
        this.captures = captures;
        this.disk = disk;
        this.path = path;
        this.rewriteMinBytes = small;
        this.rewriteFrom = small;
        this.index = new OriginIndex(originsMax);
        this.validBytes = disk.exists(path) ? replay(last) : 0;
        if (disk.exists(path) && disk.length(path) > validBytes) {
            LOG.warn(
                    "{} ends in {} bytes that are no answer; they are cut off",
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
                    "{} has {} answers that may be newer than the frontier; they are asked for"
                            + " again",
                    path,
                    uncommittedEntries);
            rewrite(); // Or they would count once captures have their numbers again.
        }
    }

    /** Opens the log of a crawl's folder, making it when it is not there. */
    public static RobotsLog open(Disk disk, Path directory) throws IOException {
        return open(disk, directory, REWRITE_MIN_BYTES, ORIGINS_MAX);
    }

    /**
     * The same, without the answers that may be newer than what was committed.
     *
     * @param captures the number of the last capture that is committed
     */
    public static RobotsLog open(Disk disk, Path directory, LongSupplier captures)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        disk.delete(unfinished(path));
        return new RobotsLog(
                disk, path, REWRITE_MIN_BYTES, ORIGINS_MAX, captures, captures.getAsLong());
    }

    /**
     * The same with other bounds.
     *
     * @param small up to which length the file is never rewritten
     */
    static RobotsLog open(Disk disk, Path directory, long small, int originsMax)
            throws IOException {
        var path = directory.resolve(DirectoryLayout.ROBOTS_LOG);
        disk.delete(unfinished(path));
        return new RobotsLog(disk, path, small, originsMax, () -> 0, Long.MAX_VALUE);
    }

    /** What a folder's log knows of an origin, also while a crawl writes it. */
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
     * Checks the log of a crawl's directory; nothing is changed.
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
            var at = headerLength(path, bytes);
            for (var payload = RobotsEntryCodec.payload(bytes, at);
                    at > 0 && payload.isPresent();
                    payload = RobotsEntryCodec.payload(bytes, at)) {
                at += RobotsEntryCodec.HEAD + payload.get().length;
            }
            findings.checked(bytes.byteSize());
            if ((at == 0 || at < bytes.byteSize()) && !running) {
                findings.damage(
                        path,
                        at,
                        "%d bytes are no answer; opening cuts them off, and their hosts are asked for robots.txt again"
                                .formatted(bytes.byteSize() - at));
            }
        } catch (IOException e) {
            findings.damage(path, String.valueOf(e.getMessage()));
        }
    }

    private static ByteBuffer header() {
        return ByteBuffer.allocate(HEADER).put(MAGIC).put(VERSION).flip();
    }

    /** Where the first frame begins; 0 when not even the header is whole. */
    private static long headerLength(Path path, MemorySegment bytes) throws IOException {
        if (bytes.byteSize() < HEADER) {
            return 0;
        }
        var header = bytes.asSlice(0, HEADER).toArray(ValueLayout.JAVA_BYTE);
        if (!Arrays.equals(header, header().array())) {
            throw new IOException(
                    path + " is not a log of robots.txt that this Orbweaver reads; delete it");
        }
        return HEADER;
    }

    /** Reads whose answers lie where, and says up to where the file is good. */
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

    private void indexEntry(RobotsEntry answer, long at, int length) {
        index.put(hash(answer.origin()), at, length);
        newestAttempt =
                answer.attemptedAt().isAfter(newestAttempt) ? answer.attemptedAt() : newestAttempt;
        if (answer.delay().isZero()) {
            delays.remove(answer.origin());
        } else if (delays.size() < DELAYS_MAX || delays.containsKey(answer.origin())) {
            delays.put(answer.origin(), answer.delay());
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

    /** The file as memory, mapped anew when it has grown past what is wanted. */
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
    public synchronized void save(RobotsEntry answer) throws IOException {
        var frame = RobotsEntryCodec.write(answer, captures.getAsLong());
        var length = frame.remaining();
        if (length - RobotsEntryCodec.HEAD > RobotsEntryCodec.PAYLOAD_MAX) {
            throw new IOException("an answer of " + length + " bytes is too long to be kept");
        }
        var at = append(frame);
        indexEntry(answer, at, length);
        if (validBytes > rewriteFrom && index.liveBytes() * 2 < validBytes) {
            rewriteIfPossible();
        }
    }

    /** Nobody can say what an append that failed has left behind, so that is cut off first. */
    private long append(ByteBuffer bytes) throws IOException {
        if (torn) {
            unmap(); // It may show what is cut off now.
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
            LOG.warn("{} stays longer than it need be: {}", path, e.getMessage());
            rewriteFrom = validBytes * 2;
            disk.delete(unfinished(path));
        }
    }

    /** Writes the file anew with what is still of use; a crash leaves the old one or the new. */
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
        torn = true; // Until the new file is open, the next append has to open it.
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
