package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.Disk;

import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds an archived response record with the same payload, for a revisit record. The index gives a
 * possible location; the record itself confirms it.
 */
final class RevisitLookup implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RevisitLookup.class);

    record Original(WarcLocation location, URI id, String target, Instant date) {}

    /** Enough of a stored record to decompress its head. */
    static final int HEAD_MAX = 64 << 10;

    private static final int CACHE_MAX = 1024;

    private final Path directory;
    private final DigestIndex index;
    private final List<OtherCrawl> others;
    private final Map<Integer, String> names = new ConcurrentHashMap<>();
    private final Map<String, Original> cache = new LinkedHashMap<>(16, 0.75f, true);

    /** The file of the payload that was added last, and its number. */
    private String lastFile = "";

    private OptionalInt lastSerial = OptionalInt.empty();

    /**
     * @param others crawls whose payloads may be referred to; the caller closes them
     */
    RevisitLookup(
            Disk disk,
            Path directory,
            DigestIndex index,
            Collection<String> names,
            List<OtherCrawl> others) {
        this.directory = directory;
        this.index = index;
        this.others = others;
        names.stream().filter(name -> disk.exists(directory.resolve(name))).forEach(this::addFile);
    }

    private void addFile(String name) {
        if (!name.equals(lastFile)) {
            lastFile = name;
            lastSerial = WarcFiles.serial(name);
            lastSerial.ifPresent(serial -> names.put(serial, name));
        }
    }

    /**
     * @param key the digest in WARC format
     */
    Optional<Original> find(byte[] sha1, String key) {
        synchronized (cache) {
            var known = cache.get(key);
            if (known != null && isUsable(known.location())) {
                return Optional.of(known);
            }
        }
        var digest = new WarcDigest(key);
        var found =
                index.find(digestKey(sha1))
                        .flatMap(indexedRecord -> read(indexedRecord, digest))
                        .or(() -> findElsewhere(digestKey(sha1), digest));
        found.ifPresent(original -> addToCache(key, original));
        return found;
    }

    private Optional<Original> findElsewhere(long key, WarcDigest digest) {
        for (var other : others) {
            var found = other.find(key, digest);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Another crawl is not compacted while this one is running. */
    private boolean isUsable(WarcLocation place) {
        return place.isElsewhere() || exists(place.warc());
    }

    private void addToCache(String key, Original original) {
        synchronized (cache) {
            cache.put(key, original);
            if (cache.size() > CACHE_MAX) {
                cache.remove(cache.keySet().iterator().next());
            }
        }
    }

    /** Returns the key of a digest in the page log; empty if a damaged line has none. */
    static OptionalLong digestKey(String digest) {
        var key = Sha1.firstBytes(digest);
        if (key.isPresent()) {
            return OptionalLong.of(digestKey(key.getAsLong()));
        }
        try {
            return OptionalLong.of(digestKey(new WarcDigest(digest).bytes()));
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    static long digestKey(byte[] sha1) {
        return digestKey(ByteBuffer.wrap(sha1).getLong());
    }

    private static long digestKey(long firstBytes) {
        return firstBytes == 0 ? 1 : firstBytes;
    }

    /**
     * Reads the original; empty if the record does not match the index. Then the payload is stored
     * again.
     */
    private Optional<Original> read(DigestIndex.IndexedRecord indexedRecord, WarcDigest digest) {
        var name = names.get(indexedRecord.serial());
        if (name == null || !exists(name)) {
            return Optional.empty(); // The file may have been moved while the crawl is running.
        }
        try {
            return read(
                    new WarcLocation(name, indexedRecord.offset(), indexedRecord.length()), digest);
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn(
                    "digest index is wrong: no record with {} at offset {} of {}",
                    digest,
                    indexedRecord.offset(),
                    name);
            return Optional.empty();
        }
    }

    private boolean exists(String name) {
        return Files.exists(WarcFiles.find(directory, name));
    }

    private Optional<Original> read(WarcLocation place, WarcDigest digest) throws IOException {
        return read(directory, place, Optional.of(digest));
    }

    /**
     * Reads the head of a response record; empty if it is another record.
     *
     * @param digest of the payload that it must have
     */
    static Optional<Original> read(
            Path directory, WarcLocation location, Optional<WarcDigest> digest) throws IOException {
        var found = OtherRecords.find(directory, location);
        var place = found.location();
        var bytes = ByteBuffer.allocate((int) Math.min(HEAD_MAX, place.length()));
        try (var file = WarcFiles.open(found.directory(), place.warc())) {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, place.offset() + bytes.position()) < 0) {
                    throw new IOException("unexpected end of file");
                }
            }
        }
        return parse(bytes.array(), location, digest);
    }

    /** Reads the head of a response record from its first bytes. */
    static Optional<Original> parse(byte[] start, WarcLocation place, Optional<WarcDigest> digest)
            throws IOException {
        var stored = new ByteArrayInputStream(start);
        try (var in = Compression.of(place.warc()).decompress(stored);
                var reader = new WarcReader(in)) {
            return reader.next()
                    .filter(WarcResponse.class::isInstance)
                    .map(WarcResponse.class::cast)
                    .filter(record -> digest.isEmpty() || record.payloadDigest().equals(digest))
                    .map(
                            record ->
                                    new Original(
                                            place, record.id(), record.target(), record.date()));
        }
    }

    /** Adds the payload of a line of this crawl's page log. */
    void add(PageLogEntry entry) {
        addFile(entry.warc());
        add(index, entry, lastSerial);
    }

    /** Adds the payload of a line to an index, if revisits may refer to it. */
    static void add(DigestIndex index, PageLogEntry entry) {
        add(index, entry, WarcFiles.serial(entry.warc()));
    }

    private static void add(DigestIndex index, PageLogEntry entry, OptionalInt serial) {
        if (!WarcRecords.isOriginal(entry) || entry.length() > Integer.MAX_VALUE) {
            return;
        }
        var key = digestKey(entry.digest());
        if (serial.isPresent() && key.isPresent()) {
            index.add(
                    key.getAsLong(),
                    new DigestIndex.IndexedRecord(
                            entry.seq(), serial.getAsInt(), entry.offset(), (int) entry.length()));
        }
    }

    @Override
    public void close() {
        index.close();
    }
}
