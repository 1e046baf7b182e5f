package dev.orbweaver.sinks.s3;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.MovedFiles;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.internal.sink.WarcLocation;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.backup.Checkpoint;
import dev.orbweaver.sinks.backup.Sha256;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Removes local WARC files that are safely stored in the bucket.
 *
 * <p>A file is removed if the checkpoint has all of it, its copy in the bucket was read and has the
 * same SHA-256, it is finished, every other sink has stored its pages, and no page in it has
 * deferred links (those few files are kept, because the crawl needs them). Its location is
 * recorded, then it is deleted.
 */
final class LocalFileRemover implements Closeable {

    private static final String WARC = DirectoryLayout.WARC + "/";
    private static final int LINES = 1_000;

    private final CrawlFiles crawl;
    private final String location;
    private final LongSupplier consumedUpTo;
    private final PageLogReader log;

    private final Map<String, Long> lastLines = new HashMap<>();

    private final Set<String> neededForLinks = new HashSet<>();

    /**
     * @param takenOver the line up to which all other sinks have stored the pages
     */
    LocalFileRemover(CrawlFiles crawl, String place, LongSupplier takenOver) {
        this.crawl = crawl;
        this.location = place;
        this.consumedUpTo = takenOver;
        this.log = PageLogReader.open(crawl.directory(), crawl::logBytes);
    }

    /** Removes files that the checkpoint has; returns false if there were none. */
    boolean remove(Checkpoint state, Bucket bucket) throws IOException {
        var done = consumedUpTo.getAsLong();
        readLog();
        var removed = false;
        for (var name : state.files().keySet()) {
            var pieces = state.pieces(name);
            var whole = pieces.size() == 1 && pieces.getFirst().key().startsWith(WARC);
            if (name.startsWith(WARC) && whole && isRemovable(name, done)) {
                removed |= remove(name, pieces.getFirst(), bucket);
            }
        }
        return removed;
    }

    private void readLog() throws IOException {
        for (var lines = log.next(LINES); !lines.isEmpty(); lines = log.next(LINES)) {
            for (var line : lines) {
                recordUse(line.entry());
            }
        }
    }

    /** Records which files a line needs: a revisit is read with the record that it refers to. */
    private void recordUse(PageLogEntry entry) {
        for (var place :
                List.of(
                        new WarcLocation(entry.warc(), entry.offset(), entry.length()),
                        entry.original())) {
            var file = place.warc();
            if (!file.isEmpty() && !place.isElsewhere()) {
                lastLines.merge(file, entry.seq(), Math::max);
                if (entry.linksDeferred()) {
                    neededForLinks.add(file);
                }
            }
        }
    }

    private boolean isRemovable(String name, long done) {
        return !neededForLinks.contains(name) && lastLines.getOrDefault(name, 0L) <= done;
    }

    private boolean remove(String name, Checkpoint.Piece piece, Bucket bucket) throws IOException {
        var file = crawl.directory().resolve(name);
        if (!Files.exists(file)
                || Files.size(file) != piece.length()
                || !Sha256.of(file, 0, piece.length()).equals(piece.sha256())) {
            return false;
        }
        bucket.get(piece, OutputStream.nullOutputStream());
        MovedFiles.add(new RealDisk(), crawl.directory(), name, piece.length(), location);
        Files.delete(file);
        return true;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
