package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.BoundedStream;

import org.netpreserve.jwarc.ParsingException;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipException;

/**
 * A WARC or WACZ file of any program, to whose records revisit records of a crawl may refer. Its
 * place is its absolute path, and the line of a record is its number in the file. A WACZ file is a
 * ZIP file that stores WARC files as they are, so their records are read from it directly.
 */
public final class ArchiveFile {

    private static final Logger LOG = LoggerFactory.getLogger(ArchiveFile.class);
    private static final String WACZ_ARCHIVES = "archive/";
    private static final int BUFFER = 64 << 10;

    private ArchiveFile() {}

    /** Returns whether the place of payloads is such a file, and not a crawl. */
    public static boolean isPlace(String place) {
        return !place.startsWith(OtherRecords.REMOTE)
                && (isWarc(place) || place.endsWith(Compression.WACZ));
    }

    private static boolean isWarc(String name) {
        return name.endsWith(Compression.NONE.extension())
                || name.endsWith(Compression.GZIP.extension());
    }

    /** Returns what changes when the file does, for the name of its index. */
    static String version(Path file) throws IOException {
        return Long.toHexString(Files.size(file))
                + "-"
                + Long.toHexString(Files.getLastModifiedTime(file).toMillis());
    }

    /**
     * Adds the payloads to which a record may refer to an index.
     *
     * <p>A payload must be what a crawl stores: the bytes after the header fields. So records of
     * programs that keep a transfer coding, and digests of anything else, are left out.
     */
    static void addTo(DigestIndex index, Path file) throws IOException {
        try {
            if (isWarc(file.toString())) {
                try (var reader = new WarcReader(file)) {
                    var _ = addTo(index, reader, 0, 0);
                }
            } else {
                addWacz(index, file);
            }
        } catch (ParsingException | EOFException | ZipException e) {
            LOG.warn("{} is damaged, using the records before: {}", file, e.getMessage());
        }
    }

    private static void addWacz(DigestIndex index, Path file) throws IOException {
        List<StoredZipEntry> entries;
        try (var zip = FileChannel.open(file)) {
            entries = StoredZipEntry.of(zip);
        }
        var number = 0L;
        for (var entry : entries) {
            if (entry.name().startsWith(WACZ_ARCHIVES) && isWarc(entry.name())) {
                var zip = FileChannel.open(file).position(entry.offset());
                try (var in = new BoundedStream(Channels.newInputStream(zip), entry.length());
                        var reader = new WarcReader(in)) {
                    number = addTo(index, reader, entry.offset(), number);
                }
            }
        }
    }

    /**
     * @param base where the first record is in the file
     * @param before the records before it
     * @return the records up to the last one
     */
    private static long addTo(DigestIndex index, WarcReader reader, long base, long before)
            throws IOException {
        var number = before;
        var next = reader.next();
        while (next.isPresent()) {
            number++;
            var offset = reader.position();
            var digest =
                    next.get() instanceof WarcResponse response
                            ? payload(response)
                            : Optional.<WarcDigest>empty();
            next = reader.next();
            var length = reader.position() - offset;
            if (digest.isPresent() && length > 0 && length <= Integer.MAX_VALUE) {
                index.add(
                        RevisitLookup.digestKey(digest.get().bytes()),
                        new DigestIndex.IndexedRecord(number, 0, base + offset, (int) length));
            }
        }
        return number;
    }

    /** Returns the digest of a complete payload; empty if it cannot be referred to. */
    private static Optional<WarcDigest> payload(WarcResponse record) throws IOException {
        var digest = record.payloadDigest();
        if (digest.isEmpty() || record.headers().first(ResponseStream.TRUNCATED).isPresent()) {
            return Optional.empty();
        }
        var sum = Sha1.newDigest();
        var block = record.body().stream();
        try {
            var _ = ResponseStream.readHead(block);
        } catch (IOException e) {
            return Optional.empty(); // Not HTTP; an error of the file recurs at the next record.
        }
        var bytes = update(sum, block);
        return bytes >= WarcRecords.REVISIT_BYTES_MIN
                        && digest.get().raw().equals(Sha1.format(sum.digest()))
                ? digest
                : Optional.empty();
    }

    private static long update(MessageDigest sum, InputStream in) throws IOException {
        var buffer = new byte[BUFFER];
        var bytes = 0L;
        for (var read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            sum.update(buffer, 0, read);
            bytes += read;
        }
        return bytes;
    }
}
