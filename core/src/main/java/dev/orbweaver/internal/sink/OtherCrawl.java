package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.sink.RevisitLookup.Original;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;

import org.netpreserve.jwarc.WarcDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The payloads of another crawl, or of a WARC or WACZ file of any program, to which revisit records
 * of this crawl may refer.
 *
 * <p>A payload is found by the digest index, whose size is limited, and confirmed by its record. So
 * the cost of a page does not grow with the other crawl. A directory has an index already; it is
 * built from the page log where it is missing, and for a remote crawl.
 *
 * <p>Only captures that were committed when this crawl was opened are used: later ones might be
 * rolled back.
 */
public final class OtherCrawl implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OtherCrawl.class);

    private static final String INDEX = ".index";

    private interface RecordStart {
        byte[] read(String warc, long offset, int length) throws IOException;
    }

    private final String place;
    private final DigestIndex index;
    private final long lastLine;
    private final Map<Integer, String> names = new HashMap<>();
    private final TombstoneFile tombstones;
    private final RecordStart records;
    private final AutoCloseable resource;

    private OtherCrawl(
            String place,
            DigestIndex index,
            long lastLine,
            Collection<String> warcs,
            TombstoneFile tombstones,
            RecordStart records,
            AutoCloseable resource) {
        this.place = place;
        this.index = index;
        this.lastLine = lastLine;
        for (var name : warcs) {
            WarcFiles.serial(name).ifPresent(serial -> names.put(serial, name));
        }
        this.tombstones = tombstones;
        this.records = records;
        this.resource = resource;
    }

    /**
     * Opens the crawl in another directory, running or not.
     *
     * @param marks its committed lengths
     * @param scratch the directory of this crawl's own indexes
     */
    public static OtherCrawl open(
            Disk disk, Path other, List<CommittedLength> marks, Path scratch, CrawlUrls urls)
            throws IOException {
        var log =
                marks.stream()
                        .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                        .mapToLong(CommittedLength::length)
                        .max()
                        .orElse(0);
        long lastLine;
        try (var reader = PageLogReader.open(other, () -> log)) {
            lastLine = reader.end().seq();
        }
        var there = DigestIndex.openReadOnly(disk, other.resolve(DirectoryLayout.DIGEST_INDEX));
        var index =
                there.isPresent()
                        ? there.get()
                        : build(
                                disk,
                                scratch,
                                indexName(other.toString(), ""),
                                other.toString(),
                                out -> addLines(out, other.resolve(DirectoryLayout.PAGE_LOG), log));
        return new OtherCrawl(
                other.toString(),
                index,
                lastLine,
                marks.stream()
                        .filter(mark -> mark.length() > 0)
                        .map(CommittedLength::name)
                        .toList(),
                TombstoneFile.read(other, urls),
                (warc, offset, length) -> read(other, warc, offset, length),
                () -> {});
    }

    /** Opens a crawl in a remote store; closes it when this is closed. */
    public static OtherCrawl open(
            Disk disk, String place, RemoteCrawl remote, Path scratch, CrawlUrls urls)
            throws IOException {
        var name = indexName(place, remote.version());
        var there = DigestIndex.openReadOnly(disk, scratch.resolve(name));
        var index = there.isPresent() ? there.get() : download(disk, remote, scratch, name);
        return new OtherCrawl(
                place,
                index,
                Long.MAX_VALUE,
                remote.warcs(),
                TombstoneFile.parse(AtomicFile.withoutChecksum(remote.tombstones()), urls),
                remote::read,
                remote);
    }

    /**
     * Opens a WARC or WACZ file of any program. Its index is built once, which reads all of the
     * file.
     *
     * @param file an absolute path
     * @return empty if the file was used before and is missing now: then its payloads are stored
     */
    public static Optional<OtherCrawl> openArchive(
            Disk disk, Path file, Path scratch, CrawlUrls urls) throws IOException {
        var place = file.toString();
        if (!Files.exists(file)) {
            requireUsedBefore(disk, place, scratch);
            return Optional.empty();
        }
        var name = indexName(place, ArchiveFile.version(file));
        var there = DigestIndex.openReadOnly(disk, scratch.resolve(name));
        var index =
                there.isPresent()
                        ? there.get()
                        : build(disk, scratch, name, place, out -> ArchiveFile.addTo(out, file));
        var archive =
                new OtherCrawl(
                        place,
                        index,
                        Long.MAX_VALUE,
                        List.of(),
                        TombstoneFile.parse("", urls),
                        (_, offset, length) ->
                                read(directoryOf(file), nameOf(file), offset, length),
                        () -> {});
        archive.names.put(0, nameOf(file));
        return Optional.of(archive);
    }

    private static Path directoryOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static void requireUsedBefore(Disk disk, String place, Path scratch)
            throws IOException {
        var prefix = indexName(place, "");
        prefix = prefix.substring(0, prefix.indexOf('-') + 1);
        for (var index : disk.list(scratch)) {
            if (nameOf(index).startsWith(prefix)) {
                LOG.warn("{} is missing, storing its payloads again", place);
                return;
            }
        }
        throw new IOException("dedupe-with names %s, which does not exist".formatted(place));
    }

    private static String indexName(String place, String version) {
        var digest = Sha1.newDigest().digest(place.getBytes(UTF_8));
        return Long.toHexString(RevisitLookup.digestKey(digest)) + "-" + version + INDEX;
    }

    private static DigestIndex download(Disk disk, RemoteCrawl remote, Path scratch, String name)
            throws IOException {
        var log = scratch.resolve(name + ".log");
        try {
            try (var out = Files.newOutputStream(log)) {
                remote.copyPageLog(out);
            }
            var length = disk.length(log);
            return build(disk, scratch, name, log.toString(), out -> addLines(out, log, length));
        } finally {
            disk.delete(log);
        }
    }

    private interface Payloads {
        void addTo(DigestIndex index) throws IOException;
    }

    private static void addLines(DigestIndex index, Path log, long length) throws IOException {
        if (length > 0) {
            PageLog.read(log, length, entry -> RevisitLookup.add(index, entry));
        }
    }

    private static DigestIndex build(
            Disk disk, Path scratch, String name, String place, Payloads payloads)
            throws IOException {
        LOG.info("building the digest index of {}", place);
        deleteOlder(disk, scratch, name);
        var unfinished = scratch.resolve(name + ".building");
        try (var index = DigestIndex.create(disk, unfinished)) {
            payloads.addTo(index);
        }
        disk.moveAtomically(unfinished, scratch.resolve(name));
        return DigestIndex.openReadOnly(disk, scratch.resolve(name))
                .orElseThrow(() -> new IOException("could not read " + scratch.resolve(name)));
    }

    /** Deletes the indexes of earlier versions of the same crawl. */
    private static void deleteOlder(Disk disk, Path scratch, String name) throws IOException {
        var prefix = name.substring(0, name.indexOf('-') + 1);
        for (var older : disk.list(scratch)) {
            var its = older.getFileName().toString();
            if (its.startsWith(prefix) && its.endsWith(INDEX)) {
                disk.delete(older);
            }
        }
    }

    private static byte[] read(Path other, String warc, long offset, int length)
            throws IOException {
        try (var file = WarcFiles.open(other, warc)) {
            var bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining() && file.read(bytes, offset + bytes.position()) >= 0) {}
            return bytes.array();
        }
    }

    /** Finds the record of a payload; empty also if it cannot be read, so that it is stored. */
    Optional<Original> find(long key, WarcDigest digest) {
        var indexed = index.find(key).filter(found -> found.capture() <= lastLine);
        var name = indexed.map(found -> names.get(found.serial()));
        if (name.isEmpty()) {
            return Optional.empty();
        }
        var found = indexed.get();
        var at =
                new WarcLocation(
                        place, name.get(), found.offset(), found.length(), found.capture());
        try {
            var start =
                    records.read(
                            at.warc(),
                            at.offset(),
                            (int) Math.min(RevisitLookup.HEAD_MAX, at.length()));
            return RevisitLookup.parse(start, at, Optional.of(digest))
                    .filter(original -> !tombstones.covers(original.target()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn(
                    "could not read {} of {}, storing the payload again: {}",
                    at.warc(),
                    place,
                    e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        index.close();
        try {
            resource.close();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
