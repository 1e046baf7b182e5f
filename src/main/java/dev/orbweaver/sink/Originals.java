package dev.orbweaver.sink;

import dev.orbweaver.disk.Disk;

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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the response record that has a payload already, for the revisit record that refers to it.
 * The index says where it may lie; the record itself says whether it does.
 */
final class Originals implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Originals.class);

    /** A response record that has the payload. */
    record Original(WarcPlace place, URI id, String target, Instant date) {}

    /** Enough of a stored record to have its head unfolded from. */
    private static final int HEAD_MAX = 64 << 10;

    private static final int REMEMBERED_MAX = 1024;

    private final Path folder;
    private final DigestIndex index;
    private final Map<Integer, String> names = new ConcurrentHashMap<>();
    private final Map<String, Original> remembered = new LinkedHashMap<>(16, 0.75f, true);

    Originals(Disk disk, Path folder, DigestIndex index, Collection<String> names) {
        this.folder = folder;
        this.index = index;
        names.stream().filter(name -> disk.exists(folder.resolve(name))).forEach(this::know);
    }

    private void know(String name) {
        WarcFiles.serial(name).ifPresent(serial -> names.put(serial, name));
    }

    /**
     * The record that has a payload with this digest, if one does.
     *
     * @param key the digest as WARC writes it
     */
    Optional<Original> find(byte[] sha1, String key) {
        synchronized (remembered) {
            var known = remembered.get(key);
            if (known != null && isHere(known.place().warc())) {
                return Optional.of(known);
            }
        }
        var found = index.find(number(sha1)).flatMap(place -> read(place, new WarcDigest(key)));
        found.ifPresent(original -> remember(key, original));
        return found;
    }

    private void remember(String key, Original original) {
        synchronized (remembered) {
            remembered.put(key, original);
            if (remembered.size() > REMEMBERED_MAX) {
                remembered.remove(remembered.keySet().iterator().next());
            }
        }
    }

    /** The key of a digest as the page log has it; empty when a damaged line has none. */
    static OptionalLong number(String digest) {
        try {
            return OptionalLong.of(number(new WarcDigest(digest).bytes()));
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    static long number(byte[] sha1) {
        var number = ByteBuffer.wrap(sha1).getLong();
        return number == 0 ? 1 : number;
    }

    /** A record that is not what the index says is no misfortune: the payload is stored again. */
    private Optional<Original> read(DigestIndex.Place place, WarcDigest digest) {
        var name = names.get(place.serial());
        if (name == null || !isHere(name)) {
            return Optional.empty(); // A file may have been moved while the crawl runs.
        }
        try {
            return read(new WarcPlace(name, place.offset(), place.length()), digest);
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("no record with {} at {} of {}", digest, place.offset(), name);
            return Optional.empty();
        }
    }

    private boolean isHere(String name) {
        return Files.exists(WarcFiles.find(folder, name));
    }

    private Optional<Original> read(WarcPlace place, WarcDigest digest) throws IOException {
        var bytes = ByteBuffer.allocate((int) Math.min(HEAD_MAX, place.length()));
        try (var file = WarcFiles.open(folder, place.warc())) {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, place.offset() + bytes.position()) < 0) {
                    throw new IOException("the file ends");
                }
            }
        }
        var stored = new ByteArrayInputStream(bytes.array());
        try (var in = Compression.of(place.warc()).decompressed(stored);
                var reader = new WarcReader(in)) {
            return reader.next()
                    .filter(WarcResponse.class::isInstance)
                    .map(WarcResponse.class::cast)
                    .filter(record -> record.payloadDigest().filter(digest::equals).isPresent())
                    .map(
                            record ->
                                    new Original(
                                            place, record.id(), record.target(), record.date()));
        }
    }

    /** A response was committed. */
    void add(String digest, long capture, WarcPlace place) {
        know(place.warc());
        var serial = WarcFiles.serial(place.warc());
        var key = number(digest);
        if (serial.isPresent() && key.isPresent() && place.length() <= Integer.MAX_VALUE) {
            index.add(
                    key.getAsLong(),
                    new DigestIndex.Place(
                            capture, serial.getAsInt(), place.offset(), (int) place.length()));
        }
    }

    @Override
    public void close() {
        index.close();
    }
}
