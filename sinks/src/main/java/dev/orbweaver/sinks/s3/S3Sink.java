package dev.orbweaver.sinks.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.ExternalSink;
import dev.orbweaver.sinks.backup.Checkpoint;
import dev.orbweaver.sinks.backup.FrontierCopy;
import dev.orbweaver.sinks.backup.Sha256;
import dev.orbweaver.sinks.s3.SeedFiles.SeedFile;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Copies a crawl's directory to a bucket: WARC files, page log, frontier, seed lists, settings, so
 * that the crawl can be restored from there and resumed.
 *
 * <p><b>Why a checkpoint is consistent.</b> First the frontier is copied ({@link FrontierCopy}),
 * then the lengths of the outputs are read. Outputs only grow, so they are at least as long as in
 * the copied frontier, and opening truncates the excess. In the reverse order the frontier could
 * contain pages that no output has, and they would be lost; in this order a page may be fetched
 * again. All parts are uploaded under unused names; then the {@link Checkpoint} is replaced, which
 * is the only moment at which the bucket's state changes; then objects that only the old one named
 * are deleted. A crash at any point leaves one complete checkpoint, and parts that the next round
 * deletes.
 *
 * <p><b>Parts.</b> Of a growing file only the new bytes are uploaded, as a new part. A finished
 * WARC file is uploaded again, whole and under its own name, for readers of the archive in the
 * bucket.
 */
public final class S3Sink implements ExternalSink {

    private static final Logger LOG = LoggerFactory.getLogger(S3Sink.class);

    private static final String UNIT = "bytes";
    private static final String WARC = DirectoryLayout.WARC + "/";
    private static final String PIECES = "pieces/";
    private static final int NAME_DIGITS = 16;

    /** Settings, summary, lists, index. Other files can be rebuilt or are temporary. */
    private static final Pattern SMALL_FILES =
            Pattern.compile(
                    "(?!progress\\.json|moved\\.tsv|job\\.json)[^.].*\\.(yaml|json|tsv|cdxj)|excluded-hosts\\.txt");

    private static final Duration INTERVAL_MAX = Duration.ofDays(10_000);

    private final S3Settings settings;
    private final CrawlFiles crawl;
    private final AtomicLong transferredBytes = new AtomicLong();
    private final Optional<LocalFileRemover> localFileRemover;
    private @Nullable Bucket bucket;
    private @Nullable Checkpoint currentCheckpoint;

    /** Files whose parts in the bucket are verified. */
    private final Set<String> verifiedFiles = new HashSet<>();

    private long checkpointNanos;
    private volatile long done;
    private volatile long total;
    private volatile SinkCounts counts = SinkCounts.NONE;

    public S3Sink(S3Settings settings, CrawlFiles crawl) {
        this(settings, crawl, () -> Long.MAX_VALUE);
    }

    /**
     * Creates a sink, which opens nothing before the first step.
     *
     * @param takenOver the line of the page log up to which other sinks have stored the pages
     */
    public S3Sink(S3Settings settings, CrawlFiles crawl, LongSupplier takenOver) {
        this.settings = settings;
        this.crawl = crawl;
        this.localFileRemover =
                settings.removeLocal()
                        ? Optional.of(
                                new LocalFileRemover(
                                        crawl, settings.location().toString(), takenOver))
                        : Optional.empty();
        this.checkpointNanos = System.nanoTime() - intervalNanos();
    }

    /** Returns the interval, limited to years to fit into nanoseconds. */
    private long intervalNanos() {
        return settings.interval().compareTo(INTERVAL_MAX) > 0
                ? INTERVAL_MAX.toNanos()
                : settings.interval().toNanos();
    }

    @Override
    public String name() {
        return "s3";
    }

    @Override
    public Progress progress() {
        return new Progress(done, Math.max(done, total), UNIT, transferredBytes.get());
    }

    @Override
    public SinkCounts counts() {
        return counts;
    }

    @Override
    public boolean step(boolean draining) throws IOException {
        total = committedBytes(crawl.committedLengths().get());
        if (!draining && System.nanoTime() - checkpointNanos < intervalNanos()) {
            return false;
        }
        try {
            var changed = makeCheckpoint(draining);
            var removed =
                    localFileRemover.isPresent()
                            && localFileRemover.get().remove(currentCheckpoint(), bucket());
            checkpointNanos = System.nanoTime();
            return changed || removed;
        } catch (IOException e) {
            currentCheckpoint = null; // The bucket's state is read again.
            throw e;
        }
    }

    private static long committedBytes(List<CommittedLength> marks) {
        return marks.stream().mapToLong(CommittedLength::length).sum();
    }

    /** Makes a checkpoint; returns false if the bucket is up to date. */
    private boolean makeCheckpoint(boolean finished) throws IOException {
        var held = SinkStatus.directory(crawl.directory()).resolve(DirectoryLayout.SINKS_FRONTIER);
        try {
            var before = currentCheckpoint();
            var files = new LinkedHashMap<String, List<Checkpoint.Piece>>();
            for (var file :
                    FrontierCopy.make(crawl.directory().resolve(DirectoryLayout.FRONTIER), held)) {
                var name = DirectoryLayout.FRONTIER + "/" + file.name();
                files.put(name, putAppended(name, file.file(), file.length()));
            }
            for (var seeds : SeedFiles.of(crawl.directory())) {
                addSeeds(seeds, files);
            }
            var marks = crawl.committedLengths().get();
            addOutputs(marks, finished, files);
            for (var name : smallFiles()) {
                files.put(name, putSmall(name, crawl.directory().resolve(name)));
            }
            var next = Checkpoint.of(crawl.job(), files);
            var changed = !next.equals(before);
            if (changed) {
                commitCheckpoint(before, next);
            }
            done = committedBytes(marks);
            return changed;
        } finally {
            FrontierCopy.clear(held);
        }
    }

    private Checkpoint currentCheckpoint() throws IOException {
        var known = currentCheckpoint;
        if (known == null) {
            var text = bucket().getText(Checkpoint.NAME);
            known = text.isPresent() ? Checkpoint.read(text.get()) : Checkpoint.empty(crawl.job());
            if (!known.job().equals(crawl.job())) {
                throw new IOException(
                        settings.location()
                                + " contains another crawl: choose another prefix in s3");
            }
            verifiedFiles.clear();
            currentCheckpoint = known;
        }
        return known;
    }

    private Bucket bucket() throws IOException {
        var open = bucket;
        if (open == null) {
            open = Bucket.open(settings.location(), transferredBytes);
            bucket = open;
        }
        return open;
    }

    /** Adds WARC files and the page log, up to their committed lengths. */
    private void addOutputs(
            List<CommittedLength> marks,
            boolean finished,
            Map<String, List<Checkpoint.Piece>> files)
            throws IOException {
        var newest =
                marks.stream()
                        .map(CommittedLength::name)
                        .filter(name -> name.startsWith(WARC))
                        .max(String::compareTo)
                        .orElse("");
        for (var mark : marks) {
            var name = mark.name();
            if (mark.length() == 0) {
                files.put(name, List.of()); // It may not exist, as after a compaction.
                continue;
            }
            var isNewest = name.equals(newest);
            try {
                files.put(name, putOutput(mark, isNewest, finished));
            } catch (NoSuchFileException renamed) {
                // The crawl has finished the file since it was located.
                files.put(name, putOutput(mark, isNewest, finished));
            }
        }
    }

    private List<Checkpoint.Piece> putOutput(
            CommittedLength mark, boolean isNewest, boolean finished) throws IOException {
        var name = mark.name();
        var file = crawl.locate(name);
        var mayGrow = !finished && (isNewest || !file.endsWith(name));
        var isFinished = name.startsWith(WARC) && !mayGrow;
        return isFinished
                ? putFinished(name, file, mark.length())
                : putAppended(name, file, mark.length());
    }

    /** Uploads a finished file, whole and under its own name. */
    private List<Checkpoint.Piece> putFinished(String name, Path file, long length)
            throws IOException {
        var known = currentCheckpoint().pieces(name);
        var isThere = known.size() == 1 && known.getFirst().length() == length;
        if (isThere && known.getFirst().key().startsWith(WARC)) {
            return known;
        }
        var sha = Sha256.of(file, 0, length);
        // A name that the last checkpoint uses for another object must not be overwritten until
        // this checkpoint is committed.
        var key =
                currentCheckpoint().keys().contains(name)
                        ? name + "." + sha.substring(0, NAME_DIGITS)
                        : name;
        var piece = new Checkpoint.Piece(key, length, sha);
        bucket().put(piece, file, 0);
        return List.of(piece);
    }

    /** Adds a file of the seed lists. A user's file that is gone or changed stays as it was. */
    private void addSeeds(SeedFile seeds, Map<String, List<Checkpoint.Piece>> files)
            throws IOException {
        var name = seeds.name();
        if (seeds.changes()) {
            files.put(name, putAppended(name, seeds.file(), seeds.length()));
            return;
        }
        var known = currentCheckpoint().pieces(name);
        if (known.size() == 1 && known.getFirst().length() == seeds.length()) {
            files.put(name, known); // It never changes.
            return;
        }
        if (seeds.userList().isPresent()) {
            try {
                seeds.userList().get().requireUnchanged(crawl.directory());
            } catch (IOException e) {
                LOG.warn(
                        "could not copy a seed list to {}: {}",
                        settings.location(),
                        e.getMessage());
                return;
            }
        }
        files.put(name, List.of(putPiece(name, seeds.file(), 0, seeds.length())));
    }

    /** Uploads the new part of a growing file; the existing parts are kept. */
    private List<Checkpoint.Piece> putAppended(String name, Path file, long length)
            throws IOException {
        var pieces = new ArrayList<Checkpoint.Piece>();
        var at = 0L;
        var known = currentCheckpoint().pieces(name);
        for (var piece : known) {
            var isLast = pieces.size() == known.size() - 1;
            if (at + piece.length() > length || !isSame(name, piece, file, at, isLast)) {
                break;
            }
            pieces.add(piece);
            at += piece.length();
        }
        if (at < length || pieces.isEmpty()) {
            pieces.add(putPiece(name, file, at, length - at));
        }
        verifiedFiles.add(name);
        return pieces;
    }

    /**
     * Returns whether a part is unchanged. After a crash a file may have been truncated and written
     * differently. So may the end of a journal, after a write failed and was rolled back. Only the
     * last part can differ, so it is compared again.
     */
    private boolean isSame(String name, Checkpoint.Piece piece, Path file, long at, boolean isLast)
            throws IOException {
        return (verifiedFiles.contains(name) && !isLast)
                || Sha256.of(file, at, piece.length()).equals(piece.sha256());
    }

    /** Uploads a small file that may change anywhere. */
    private List<Checkpoint.Piece> putSmall(String name, Path file) throws IOException {
        return List.of(putPiece(name, file, 0, Files.size(file)));
    }

    private Checkpoint.Piece putPiece(String name, Path file, long offset, long length)
            throws IOException {
        var sha = Sha256.of(file, offset, length);
        var key = "%s%s/%015d-%s".formatted(PIECES, name, offset, sha.substring(0, NAME_DIGITS));
        var piece = new Checkpoint.Piece(key, length, sha);
        if (!currentCheckpoint().pieces(name).contains(piece)) {
            bucket().put(piece, file, offset);
        }
        return piece;
    }

    private List<String> smallFiles() throws IOException {
        var names = new ArrayList<String>();
        try (var files = Files.list(crawl.directory())) {
            files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .filter(name -> SMALL_FILES.matcher(name).matches())
                    .sorted()
                    .forEach(names::add);
        }
        names.add(crawl.directory().relativize(SinkStatus.directory(crawl.directory())) + "/job");
        return names;
    }

    private void commitCheckpoint(Checkpoint before, Checkpoint next) throws IOException {
        bucket().putWhole(Checkpoint.NAME, next.json().getBytes(UTF_8));
        currentCheckpoint = next;
        counts = counts.plus(new SinkCounts(1, 0, 0, 0, 0, 0));
        var named = next.keys();
        var gone = new HashSet<>(before.keys());
        gone.addAll(bucket().list(PIECES));
        gone.removeAll(named);
        for (var key : gone) {
            bucket().delete(key);
        }
        // All objects of this checkpoint are stored, so an unfinished upload will never be
        // completed.
        bucket().removeUnfinished(PIECES);
        bucket().removeUnfinished(WARC);
    }

    @Override
    public void close() {
        localFileRemover.ifPresent(S3Sink::close);
        if (bucket != null) {
            bucket.close();
        }
    }

    private static void close(LocalFileRemover files) {
        try {
            files.close();
        } catch (IOException e) {
            LOG.warn("could not close the page log: {}", e.getMessage());
        }
    }
}
