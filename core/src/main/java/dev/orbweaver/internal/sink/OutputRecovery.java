package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.model.CommittedLength;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Restores the output files of a crawl to the lengths of the last committed batch.
 *
 * <p>The remains of an interrupted batch are truncated: the bytes after each committed length, and
 * the files that this batch created. {@link BatchStart} proves that it was one batch and no more.
 * All other bytes beyond the committed lengths are captures whose commits the frontier has lost:
 * they are moved into {@link DirectoryLayout#RECOVERED} and reported, and the URLs are fetched
 * again. A file that is shorter than its committed length is damaged; then nothing is changed and
 * the crawl is not opened.
 */
public final class OutputRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(OutputRecovery.class);

    private static final int COPY_BYTES = 8 << 20;

    private final Disk disk;
    private final Path directory;
    private final List<CommittedLength> committedLengths;
    private final boolean singleBatchInterrupted;
    private final List<String> recovered = new ArrayList<>();

    private OutputRecovery(Disk disk, Path directory, List<CommittedLength> marks)
            throws IOException {
        this.disk = disk;
        this.directory = directory;
        this.committedLengths = marks;
        var log =
                marks.stream()
                        .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                        .findFirst()
                        .orElse(CommittedLength.removed(DirectoryLayout.PAGE_LOG));
        this.singleBatchInterrupted =
                BatchStart.read(disk, directory).filter(log::equals).isPresent();
    }

    /**
     * @param warcs the committed WARC files, finished, in order
     * @param recovered a sentence for each part that was moved
     */
    record RecoveredOutputs(List<String> warcs, List<String> recovered) {}

    static RecoveredOutputs recover(Disk disk, Path directory, List<CommittedLength> marks)
            throws IOException {
        return new OutputRecovery(disk, directory, marks).recover();
    }

    private RecoveredOutputs recover() throws IOException {
        var moved = MovedFiles.read(disk, directory);
        requireComplete(moved);
        removeUnmarkedFiles();
        var warcs = new ArrayList<String>();
        for (var mark : committedLengths) {
            if (!isMoved(mark, moved)) {
                truncateToCommitted(mark);
            }
            if (mark.name().startsWith(DirectoryLayout.WARC)) {
                WarcSeries.finish(disk, directory, mark.name());
                // A file that a compaction removed has a committed length of 0: its number is not
                // reused.
                warcs.add(mark.name());
            }
        }
        if (!recovered.isEmpty()) {
            disk.syncDirectory(directory.resolve(DirectoryLayout.RECOVERED));
        }
        return new RecoveredOutputs(warcs, recovered);
    }

    /**
     * Reports output beyond the committed lengths that is not the remains of an interrupted batch.
     */
    public static void check(
            Disk disk, Path directory, List<CommittedLength> marks, Findings findings)
            throws IOException {
        if (BatchStart.isDamaged(disk, directory)) {
            findings.damage(
                    directory.resolve(DirectoryLayout.BATCH_START),
                    "the file is damaged; the output of an interrupted batch will be kept");
        }
        var outputs = new OutputRecovery(disk, directory, marks);
        for (var file : outputs.unmarkedFiles()) {
            if (outputs.singleBatchInterrupted
                    || disk.length(file) == 0
                    || outputs.isUnfinishedCompaction(file)) {
                findings.note(file, "is left over from an interrupted batch; opening deletes it");
            } else {
                findings.damage(file, "no commit includes the file");
            }
        }
        for (var mark : marks) {
            var file = WarcFiles.locate(disk, directory, mark.name());
            var actual = disk.exists(file) ? disk.length(file) : 0;
            if (actual > mark.length() && outputs.singleBatchInterrupted) {
                findings.note(
                        file,
                        "%d bytes are left over from an interrupted batch; opening truncates them"
                                .formatted(actual - mark.length()));
            } else if (actual > mark.length()) {
                findings.damage(
                        file,
                        mark.length(),
                        "%d bytes belong to no commit of the frontier"
                                .formatted(actual - mark.length()));
            }
        }
    }

    /** Checks every file before any is changed: a damaged crawl stays unchanged. */
    private void requireComplete(Map<String, MovedFiles.Moved> moved) throws IOException {
        for (var mark : committedLengths) {
            var file = WarcFiles.locate(disk, directory, mark.name());
            var actual = disk.exists(file) ? disk.length(file) : 0;
            if (actual < mark.length() && !isMoved(mark, moved)) {
                throw new IOException(
                        "%s has %d bytes, but %d were committed, so it is damaged: restore it from a backup, or let the command 'orbweaver verify %s' list the damage and 'orbweaver repair %s' rebuild the frontier"
                                .formatted(file, actual, mark.length(), directory, directory));
            }
        }
    }

    /** Returns whether a file was moved elsewhere with its committed length. */
    private boolean isMoved(CommittedLength mark, Map<String, MovedFiles.Moved> moved) {
        var note = moved.get(mark.name());
        return note != null
                && note.length() == mark.length()
                && !disk.exists(WarcFiles.locate(disk, directory, mark.name()));
    }

    private List<Path> unmarkedFiles() throws IOException {
        var known = new HashSet<Path>();
        committedLengths.forEach(mark -> known.add(WarcFiles.locate(disk, directory, mark.name())));
        var present = new ArrayList<Path>();
        disk.list(directory.resolve(DirectoryLayout.WARC)).stream()
                .filter(WarcFiles::isCrawlWarc)
                .forEach(present::add);
        present.add(directory.resolve(DirectoryLayout.PAGE_LOG));
        present.removeIf(file -> known.contains(file) || !disk.exists(file));
        return present;
    }

    private void removeUnmarkedFiles() throws IOException {
        for (var file : unmarkedFiles()) {
            if (singleBatchInterrupted || disk.length(file) == 0 || isUnfinishedCompaction(file)) {
                LOG.warn("deleting {}, left over from an interrupted batch", file);
                disk.delete(file);
            } else {
                moveAside(file);
            }
        }
    }

    /** Returns whether a compaction crashed while it wrote this new version of an existing file. */
    private boolean isUnfinishedCompaction(Path file) {
        var name = DirectoryLayout.WARC + "/" + file.getFileName();
        return committedLengths.stream()
                .filter(mark -> mark.length() > 0 && mark.name().startsWith(DirectoryLayout.WARC))
                .anyMatch(mark -> WarcRewriter.nextVersion(mark.name()).equals(name));
    }

    private void truncateToCommitted(CommittedLength mark) throws IOException {
        var file = WarcFiles.locate(disk, directory, mark.name());
        var excess = (disk.exists(file) ? disk.length(file) : 0) - mark.length();
        if (excess > 0) {
            if (singleBatchInterrupted) {
                LOG.warn("truncating {} uncommitted bytes of {}", excess, file);
            } else {
                copyAside(file, mark.length());
            }
            disk.truncate(file, mark.length());
        }
    }

    private void moveAside(Path file) throws IOException {
        disk.createDirectory(directory.resolve(DirectoryLayout.RECOVERED));
        var to = unusedPath(WarcFiles.finishedName(file.getFileName().toString()));
        disk.moveAtomically(file, to);
        report(disk.length(to), file, to);
    }

    private void copyAside(Path file, long start) throws IOException {
        disk.createDirectory(directory.resolve(DirectoryLayout.RECOVERED));
        var to = unusedPath(WarcFiles.finishedName(file.getFileName().toString()) + "." + start);
        var unfinished = to.resolveSibling(to.getFileName() + ".unfinished");
        disk.delete(unfinished);
        try (var source = disk.map(file);
                var copy = disk.append(unfinished)) {
            var bytes = source.bytes();
            for (var at = start; at < bytes.byteSize(); at += COPY_BYTES) {
                var count = Math.min(COPY_BYTES, bytes.byteSize() - at);
                copy.append(bytes.asSlice(at, count).asByteBuffer());
            }
            copy.sync();
        }
        disk.moveAtomically(unfinished, to);
        disk.syncDirectory(directory.resolve(DirectoryLayout.RECOVERED));
        report(disk.length(to), file, to);
    }

    private Path unusedPath(String name) {
        var place = directory.resolve(DirectoryLayout.RECOVERED).resolve(name);
        for (var n = 2; disk.exists(place); n++) {
            place = directory.resolve(DirectoryLayout.RECOVERED).resolve(name + "-" + n);
        }
        return place;
    }

    private void report(long bytes, Path file, Path to) {
        var sentence =
                "the frontier has lost commits: moved %d uncommitted bytes of %s to %s; their URLs are fetched again"
                        .formatted(bytes, directory.relativize(file), directory.relativize(to));
        LOG.warn(sentence);
        recovered.add(sentence);
    }
}
