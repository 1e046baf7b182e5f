package dev.orbweaver.sinks.backup;

import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.disk.CommittedFrontier;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.sink.WarcFiles;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.sinks.JobName;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes a backup of a crawl, running or not: a {@link Checkpoint} beside the earlier ones.
 *
 * <p><b>Why it is consistent.</b> First the small files and the robots log are linked, then the
 * frontier's files ({@link FrontierCopy}), then the seed lists, which only become more. The linked
 * journal up to its last complete frame is one commit of the crawl ({@link CommittedFrontier}), and
 * it names the lengths that the output files had at that commit. Those bytes never change, so they
 * are copied while the crawl continues. The result is the crawl as a kill directly after that
 * commit would leave it, without an interrupted batch.
 *
 * <p><b>When it is finished.</b> All pieces are stored under names that contain their hash, then
 * the checkpoint is written in one step. A process that dies before that leaves pieces that the
 * next backup uses or deletes.
 *
 * <p><b>Increments.</b> Of a file that grew since the last backup, only the new bytes are stored.
 * The known bytes are compared with their hash, except those of a finished WARC file, which does
 * not change.
 */
public final class Backup {

    private static final int TRIES = 50;
    private static final int HASH_DIGITS = 16;

    /** Positions are overwritten, notes about seed lists are truncated or appended to. */
    private static final Pattern CHANGED_IN_PLACE =
            Pattern.compile(".*\\.position|.*\\.rejected\\.tsv|.*/removed\\.txt");

    /** A file in more pieces is stored again in one, so that checkpoints stay small. */
    static final int PIECES_MAX = 1_000;

    private final BackupSource source;
    private final PieceStore store;
    private final Progress progress;
    private final Checkpoint previous;
    private final Set<String> present;
    private final Map<String, List<Checkpoint.Piece>> files = new LinkedHashMap<>();

    /** Receives how far a backup is. */
    public interface Progress {

        /** The length of all files. */
        void total(long bytes);

        /** This many more bytes are in the backup, because they were copied or were there. */
        void done(long bytes);
    }

    /**
     * A finished backup.
     *
     * @param bytes the length of all files
     * @param removed how many earlier backups were deleted
     */
    public record Report(String id, int files, long bytes, int removed) {}

    private Backup(BackupSource source, PieceStore store, Progress progress, Checkpoint previous)
            throws IOException {
        this.source = source;
        this.store = store;
        this.progress = progress;
        this.previous = previous;
        this.present = new HashSet<>(store.list(BackupCatalog.DATA));
    }

    /**
     * Makes a backup, then deletes old ones.
     *
     * @param directory of a crawl or a service
     * @param keep how many backups remain, including the new one
     */
    public static Report run(
            Path directory, PieceStore store, int keep, Instant now, Progress progress)
            throws IOException {
        var source = BackupSource.of(directory);
        try (var _ = lock(directory);
                var _ = store.lock()) {
            var job = JobName.loadOrCreate(directory);
            var catalog = BackupCatalog.read(store);
            catalog.claim(job);
            var previous = catalog.newest().flatMap(catalog::find).orElse(Checkpoint.empty(job));
            var backup = new Backup(source, store, progress, previous).make(job);
            var id = catalog.nextId(now);
            catalog.add(id, backup);
            return new Report(id, backup.files().size(), backup.bytes(), rotate(catalog, id, keep));
        }
    }

    private static DirectoryLock lock(Path directory) throws IOException {
        return DirectoryLock.tryLock(directory.resolve(DirectoryLayout.BACKUP_LOCK))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "another process is making a backup of " + directory));
    }

    private static int rotate(BackupCatalog catalog, String id, int keep) throws IOException {
        try {
            return catalog.rotate(keep);
        } catch (IOException e) {
            throw new IOException(
                    "backup %s is finished, but earlier ones could not be removed: %s"
                            .formatted(id, e.getMessage()),
                    e);
        }
    }

    private Checkpoint make(String job) throws IOException {
        var sinks = SinkStatus.directory(source.root());
        var frontierLinks = sinks.resolve(DirectoryLayout.SINKS_BACKUP_FRONTIER);
        var fileLinks = sinks.resolve(DirectoryLayout.SINKS_BACKUP_FILES);
        try {
            var logs = source.logIdentities();
            var linked = linkFiles(fileLinks);
            var frontier = linkFrontier(frontierLinks);
            linkFiles(source.seedFiles(), fileLinks, linked);
            progress.total(total(linked, frontier));
            for (var file : linked) {
                put(file.name(), file.file(), file.length());
            }
            for (var file : frontier.files().entrySet()) {
                put(
                        DirectoryLayout.FRONTIER + "/" + file.getKey(),
                        frontierLinks.resolve(file.getKey()),
                        file.getValue());
            }
            for (var output : frontier.outputs()) {
                putOutput(output);
            }
            requireSame(logs);
            return Checkpoint.of(job, files);
        } finally {
            remove(frontierLinks);
            remove(fileLinks);
        }
    }

    private static long total(List<FrontierCopy.CopiedFile> linked, CommittedFrontier frontier) {
        return linked.stream().mapToLong(FrontierCopy.CopiedFile::length).sum()
                + frontier.files().values().stream().mapToLong(length -> length).sum()
                + frontier.outputs().stream().mapToLong(CommittedLength::length).sum();
    }

    private static void remove(Path links) throws IOException {
        FrontierCopy.clear(links);
        Files.delete(links);
    }

    /** A compaction replaces output files, so that the lengths of the frontier do not apply. */
    private void requireSame(List<Optional<Object>> before) throws IOException {
        var after = source.logIdentities();
        for (var i = 0; i < before.size(); i++) {
            if (before.get(i).isPresent() && !before.get(i).equals(after.get(i))) {
                throw new IOException(
                        source.crawls().get(i)
                                + " was compacted while it was copied; run the command again");
            }
        }
    }

    /** Links small files and robots logs. */
    private List<FrontierCopy.CopiedFile> linkFiles(Path into) throws IOException {
        FrontierCopy.clear(into);
        var linked = new ArrayList<FrontierCopy.CopiedFile>();
        linkFiles(source.smallFiles(), into, linked);
        for (var crawl : source.crawls()) {
            linkRobotsLog(crawl.resolve(DirectoryLayout.ROBOTS_LOG), into, linked);
        }
        return linked;
    }

    /**
     * A running crawl replaces or deletes these files, but keeps the content of a linked file,
     * except of those that it overwrites or truncates, which are copied.
     */
    private void linkFiles(List<String> names, Path into, List<FrontierCopy.CopiedFile> linked)
            throws IOException {
        for (var name : names) {
            var link = into.resolve(Integer.toString(linked.size()));
            var file = source.root().resolve(name);
            try {
                linked.add(
                        CHANGED_IN_PLACE.matcher(name).matches()
                                ? copy(file, link, name)
                                : FrontierCopy.link(file, link, name));
            } catch (NoSuchFileException deleted) {
                // Such as the summary of the last run.
            }
        }
    }

    private static FrontierCopy.CopiedFile copy(Path file, Path target, String name)
            throws IOException {
        Files.copy(file, target);
        return new FrontierCopy.CopiedFile(name, target, Files.size(target));
    }

    private void linkRobotsLog(Path log, Path into, List<FrontierCopy.CopiedFile> linked)
            throws IOException {
        if (Files.exists(log)) {
            var link = into.resolve(Integer.toString(linked.size()));
            var name = source.root().relativize(log).toString();
            var whole = FrontierCopy.link(log, link, name);
            var length = RobotsLog.validLength(new RealDisk(), whole.file());
            linked.add(new FrontierCopy.CopiedFile(name, link, length));
        }
    }

    /**
     * Links the frontier's files. The journal may grow after it was linked and name a segment that
     * was not linked; then the files are linked again.
     */
    private CommittedFrontier linkFrontier(Path into) throws IOException {
        for (var left = TRIES; ; left--) {
            var _ = FrontierCopy.make(source.root().resolve(DirectoryLayout.FRONTIER), into);
            try {
                return CommittedFrontier.read(new RealDisk(), into);
            } catch (NoSuchFileException e) {
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    private void putOutput(CommittedLength output) throws IOException {
        if (output.length() == 0) {
            return; // A compaction removed it, or nothing was written yet.
        }
        for (var left = 1; ; left--) {
            var file = WarcFiles.find(source.root(), output.name());
            try {
                var finished =
                        output.name().contains(DirectoryLayout.WARC + "/")
                                && file.endsWith(output.name());
                if (finished && isStored(output)) {
                    files.put(output.name(), previous.pieces(output.name()));
                    progress.done(output.length());
                } else {
                    put(output.name(), file, output.length());
                }
                return;
            } catch (NoSuchFileException renamed) {
                // The crawl has finished the file since it was located, or a sink has moved it to
                // a bucket, which the copied list of moved files says.
                if (left == 0) {
                    if (isMoved(output.name())) {
                        return;
                    }
                    throw renamed;
                }
            }
        }
    }

    private boolean isMoved(String name) throws IOException {
        var slash = name.lastIndexOf(DirectoryLayout.WARC + "/");
        var crawl = source.root().resolve(name.substring(0, Math.max(0, slash)));
        return slash >= 0
                && WarcFiles.isMoved(new RealDisk(), crawl, name.substring(slash))
                && files.containsKey(
                        source.root()
                                .relativize(crawl.resolve(DirectoryLayout.MOVED_FILES))
                                .toString());
    }

    private boolean isStored(CommittedLength output) {
        var known = previous.pieces(output.name());
        return known.stream().mapToLong(Checkpoint.Piece::length).sum() == output.length()
                && known.stream().map(Checkpoint.Piece::key).allMatch(present::contains);
    }

    /** Adds a file to the backup and stores what the last backup does not have of it. */
    private void put(String name, Path file, long length) throws IOException {
        var pieces = new ArrayList<Checkpoint.Piece>();
        var at = 0L;
        for (var piece : previous.pieces(name)) {
            if (at + piece.length() > length
                    || !present.contains(piece.key())
                    || !Sha256.of(file, at, piece.length()).equals(piece.sha256())) {
                break;
            }
            pieces.add(piece);
            at += piece.length();
            progress.done(piece.length());
        }
        if (at < length && pieces.size() >= PIECES_MAX) {
            pieces.clear();
            progress.done(-at);
            at = 0;
        }
        if (at < length) {
            pieces.add(putPiece(name, file, at, length - at));
        }
        files.put(name, pieces);
    }

    private Checkpoint.Piece putPiece(String name, Path file, long offset, long length)
            throws IOException {
        var sha = Sha256.of(file, offset, length);
        var key =
                "%s%s/%015d-%s"
                        .formatted(BackupCatalog.DATA, name, offset, sha.substring(0, HASH_DIGITS));
        var piece = new Checkpoint.Piece(key, length, sha);
        if (present.add(key)) {
            try {
                store.put(piece, file, offset);
            } catch (IOException e) {
                throw BackupCatalog.notStored(name, store, e);
            }
        }
        progress.done(length);
        return piece;
    }
}
