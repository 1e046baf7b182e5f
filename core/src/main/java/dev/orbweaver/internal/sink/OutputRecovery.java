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
 * Brings the output files of a crawl back to what the last committed batch says of them.
 *
 * <p>What an interrupted batch left behind is cut off: the bytes behind each mark, and the files
 * that this batch began. That it was one batch and no more is known from {@link BatchStart}. All
 * other bytes that no mark covers are captures whose commits the frontier has lost: they are moved
 * into {@link DirectoryLayout#RECOVERED} and reported, and the URLs are fetched again. Nothing is
 * ever taken from a file that is shorter than its mark: that is damage, and the crawl is refused.
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
     * @param warcs the WARC files that were committed, finished, in order
     * @param recovered a sentence for each piece that was moved aside
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
                // A file that was compacted away has a mark of length 0: its number stays taken.
                warcs.add(mark.name());
            }
        }
        if (!recovered.isEmpty()) {
            disk.syncDirectory(directory.resolve(DirectoryLayout.RECOVERED));
        }
        return new RecoveredOutputs(warcs, recovered);
    }

    /** Reports output that no mark covers and that no interrupted batch explains. */
    public static void check(
            Disk disk, Path directory, List<CommittedLength> marks, Findings findings)
            throws IOException {
        if (BatchStart.isDamaged(disk, directory)) {
            findings.damage(
                    directory.resolve(DirectoryLayout.BATCH_START),
                    "the file is damaged; what an interrupted batch left will be kept");
        }
        var outputs = new OutputRecovery(disk, directory, marks);
        for (var file : outputs.unmarkedFiles()) {
            if (outputs.singleBatchInterrupted
                    || disk.length(file) == 0
                    || outputs.isUnfinishedCompaction(file)) {
                findings.note(file, "was left by an interruption; opening deletes it");
            } else {
                findings.damage(file, "no commit names the file");
            }
        }
        for (var mark : marks) {
            var file = WarcFiles.locate(disk, directory, mark.name());
            var actual = disk.exists(file) ? disk.length(file) : 0;
            if (actual > mark.length() && outputs.singleBatchInterrupted) {
                findings.note(
                        file,
                        "%d bytes were left by an interrupted batch; opening cuts them off"
                                .formatted(actual - mark.length()));
            } else if (actual > mark.length()) {
                findings.damage(
                        file,
                        mark.length(),
                        "%d bytes belong to no commit that the frontier knows"
                                .formatted(actual - mark.length()));
            }
        }
    }

    /** Looks at every file before any is changed: a damaged crawl stays as it was found. */
    private void requireComplete(Map<String, MovedFiles.Moved> moved) throws IOException {
        for (var mark : committedLengths) {
            var file = WarcFiles.locate(disk, directory, mark.name());
            var actual = disk.exists(file) ? disk.length(file) : 0;
            if (actual < mark.length() && !isMoved(mark, moved)) {
                throw new IOException(
                        "%s has %d bytes, but %d were committed, so it is damaged: restore it from a copy, or see 'orbweaver verify %s' for what is wrong and 'orbweaver repair %s' for what can be saved"
                                .formatted(file, actual, mark.length(), directory, directory));
            }
        }
    }

    /** Whether a file is in another place, as committed. */
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
                LOG.warn("deleting {}, which an interrupted batch left", file);
                disk.delete(file);
            } else {
                moveAside(file);
            }
        }
    }

    /** Whether a compaction died while it wrote this new version of a file that is there. */
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
                LOG.warn("cutting {} uncommitted bytes from {}", excess, file);
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
                "the frontier has lost commits: %d bytes of %s that it does not know were moved to %s, and their URLs are fetched again"
                        .formatted(bytes, directory.relativize(file), directory.relativize(to));
        LOG.warn(sentence);
        recovered.add(sentence);
    }
}
