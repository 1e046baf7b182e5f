package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes for good what was taken down: WARC files and page log are rewritten without it.
 *
 * <p>The crawl is not running, and everything that is there is committed. Files without anything to
 * remove stay as they are. Of each other one a new version is made, {@code NAME-2} for {@code
 * NAME}, and a new page log beside the old one. When all of that is on the disk, a plan is written
 * that says how long which file shall be: that is the one moment from which the new files count.
 * Then it is carried out: the new log takes the place of the old, the frontier is told the new
 * lengths, the old WARC files are deleted, and last the plan itself.
 *
 * <p>A death before the plan leaves the crawl as it was, with some files that nobody names and the
 * next opening deletes. After a death behind it, whoever opens the crawl next carries the plan out
 * from its beginning, every step of which may have been done already; who only reads goes by the
 * plan too.
 *
 * <p>A file that is gone keeps a mark of length 0, so that its number is not given again. A revisit
 * record whose original goes is unfolded into a response of its own.
 */
public final class Compaction {

    private final Disk disk;
    private final Path directory;
    private final TombstoneFile tombstones;
    private final Map<String, Long> committedLengths = new HashMap<>();
    private final Set<WarcLocation> removed = new HashSet<>();
    private final Set<String> changed = new HashSet<>();
    private final Set<WarcLocation> revisitTargets = new HashSet<>();
    private long lastCapture;
    private long captures;

    /**
     * What a compaction removed.
     *
     * @param captures how many lines of the page log were removed
     * @param files how many WARC files were rewritten or deleted
     * @param bytes how much less they take
     */
    public record Outcome(long captures, long files, long bytes) {}

    public interface LengthCommitter {
        void commit(List<CommittedLength> marks) throws IOException;
    }

    private Compaction(
            Disk disk, Path directory, TombstoneFile tombstones, List<CommittedLength> marks) {
        this.disk = disk;
        this.directory = directory;
        this.tombstones = tombstones;
        marks.forEach(mark -> this.committedLengths.put(mark.name(), mark.length()));
    }

    /**
     * Removes what was taken down.
     *
     * @param marks the committed lengths of all files
     * @param lengthCommitter receives the new lengths
     */
    public static Outcome run(
            Disk disk,
            Path directory,
            TombstoneFile tombstones,
            List<CommittedLength> marks,
            LengthCommitter lengthCommitter,
            Instant now)
            throws IOException {
        if (tombstones.isEmpty() || marks.isEmpty()) {
            return new Outcome(0, 0, 0);
        }
        var compaction = new Compaction(disk, directory, tombstones, marks);
        compaction.scan();
        if (compaction.captures == 0) {
            return new Outcome(0, 0, 0);
        }
        compaction.requireLocalFiles();
        TombstoneFile.addLastCapture(disk, directory, compaction.lastCapture, now);
        var plan = compaction.rewrite();
        AtomicFile.write(disk, directory.resolve(DirectoryLayout.COMPACTION_PLAN), text(plan));
        disk.syncDirectory(directory);
        var _ = applyPlan(disk, directory, lengthCommitter);
        return compaction.outcome(plan);
    }

    private Outcome outcome(List<CommittedLength> plan) {
        var before =
                changed.stream().mapToLong(name -> committedLengths.getOrDefault(name, 0L)).sum();
        var after =
                plan.stream()
                        .filter(mark -> mark.name().startsWith(DirectoryLayout.WARC))
                        .mapToLong(CommittedLength::length)
                        .sum();
        return new Outcome(captures, changed.size(), before - after);
    }

    /** Finds what goes, and what that has consequences for. */
    private void scan() throws IOException {
        read(
                entry -> {
                    lastCapture = entry.seq();
                    if (tombstones.covers(entry.url())) {
                        // One whose links wait stays as a bare line; that alone is no work.
                        captures += entry.linksDeferred() && entry.warc().isEmpty() ? 0 : 1;
                        if (!entry.warc().isEmpty()) {
                            removed.add(WarcRewriter.location(entry));
                            changed.add(entry.warc());
                        }
                    }
                });
        read(
                entry -> {
                    if (!entry.original().equals(WarcLocation.NONE)
                            && !tombstones.covers(entry.url())) {
                        revisitTargets.add(entry.original());
                        if (removed.contains(entry.original())) {
                            changed.add(entry.warc());
                        }
                    }
                });
    }

    /** Files that were moved elsewhere cannot be rewritten. */
    private void requireLocalFiles() throws IOException {
        for (var name : changed) {
            var moved = MovedFiles.missingReason(disk, directory, name);
            if (moved.isPresent() && !disk.exists(WarcFiles.locate(disk, directory, name))) {
                throw new IOException(moved.get() + ", which can be compacted");
            }
        }
    }

    private void read(PageLog.EntryVisitor visitor) throws IOException {
        PageLog.readAll(
                directory.resolve(DirectoryLayout.PAGE_LOG),
                committedLengths.getOrDefault(DirectoryLayout.PAGE_LOG, 0L),
                visitor);
    }

    /** Writes the new files and returns their names and lengths. */
    private List<CommittedLength> rewrite() throws IOException {
        disk.delete(directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED));
        var plan = new ArrayList<CommittedLength>();
        var rewritePlan = new WarcRewriter.RewritePlan(removed, changed, revisitTargets);
        try (var log =
                        new ChecksummedFile(
                                disk.append(directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED)),
                                0);
                var warcRewriter = new WarcRewriter(disk, directory, rewritePlan)) {
            var lineBuffer =
                    new LineBuffer(
                            warcRewriter, line -> log.append(ByteBuffer.wrap(line.toJsonLine())));
            read(lineBuffer::visit);
            lineBuffer.flush("", 0);
            warcRewriter.finishFile();
            log.sync();
            plan.add(new CommittedLength(DirectoryLayout.PAGE_LOG, log.length(), log.checksum()));
            plan.addAll(warcRewriter.written());
        }
        changed.forEach(name -> plan.add(CommittedLength.removed(name)));
        disk.syncDirectory(directory.resolve(DirectoryLayout.WARC));
        return plan;
    }

    /**
     * Lines of the old log, held until the end of their records is known: where the next ones in
     * the same file begin, or the file's end.
     */
    private final class LineBuffer {

        private final WarcRewriter warcRewriter;
        private final PageLog.EntryVisitor out;
        private final List<PageLogEntry> pending = new ArrayList<>();

        LineBuffer(WarcRewriter warcRewriter, PageLog.EntryVisitor out) {
            this.warcRewriter = warcRewriter;
            this.out = out;
        }

        void visit(PageLogEntry entry) throws IOException {
            if (!entry.warc().isEmpty()) {
                flush(entry.warc(), entry.offset());
            }
            pending.add(entry);
            if (pending.getFirst().warc().isEmpty()) {
                flush("", 0); // Without records there is nothing to wait for.
            }
        }

        /**
         * @param file the one in which the next records are, empty when that is unknown
         * @param offset where they are
         */
        void flush(String file, long offset) throws IOException {
            for (var entry : pending) {
                var end =
                        entry.warc().equals(file)
                                ? offset
                                : committedLengths.getOrDefault(entry.warc(), 0L);
                if (!tombstones.covers(entry.url())) {
                    out.visit(warcRewriter.rewriteKept(entry, end));
                } else {
                    var bare = warcRewriter.rewriteRemoved(entry);
                    if (bare.isPresent()) {
                        out.visit(bare.get());
                    }
                }
            }
            pending.clear();
        }
    }

    private static String text(List<CommittedLength> plan) {
        var text = new StringBuilder();
        for (var mark : plan) {
            text.append(mark.name()).append('\t').append(mark.length());
            text.append('\t').append(Integer.toHexString(mark.checksum())).append('\n');
        }
        return text.toString();
    }

    /** The planned lengths of a compaction that has not ended, if there is one. */
    public static List<CommittedLength> plannedLengths(Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.COMPACTION_PLAN);
        return Files.exists(file) ? read(new RealDisk(), file) : List.of();
    }

    private static List<CommittedLength> read(Disk disk, Path plan) throws IOException {
        var marks = new ArrayList<CommittedLength>();
        for (var line : AtomicFile.read(disk, plan).lines().toList()) {
            var fields = line.split("\t", -1);
            marks.add(
                    new CommittedLength(
                            fields[0],
                            Long.parseLong(fields[1]),
                            Integer.parseUnsignedInt(fields[2], 16)));
        }
        return marks;
    }

    /** The page log to read: during a compaction that has a plan, the new one. */
    public static Path currentLog(Path directory) {
        var compacted = directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED);
        return Files.exists(directory.resolve(DirectoryLayout.COMPACTION_PLAN))
                        && Files.exists(compacted)
                ? compacted
                : directory.resolve(DirectoryLayout.PAGE_LOG);
    }

    /**
     * Applies the plan, if there is one; every step may have been done before. Without a plan,
     * deletes what a compaction left that died before it had one.
     */
    public static boolean applyPlan(Disk disk, Path directory, LengthCommitter lengthCommitter)
            throws IOException {
        var log = directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED);
        if (!disk.exists(directory.resolve(DirectoryLayout.COMPACTION_PLAN))) {
            disk.delete(log);
            return false;
        }
        var plan = read(disk, directory.resolve(DirectoryLayout.COMPACTION_PLAN));
        if (disk.exists(log)) {
            disk.moveAtomically(log, directory.resolve(DirectoryLayout.PAGE_LOG));
            disk.syncDirectory(directory);
        }
        disk.delete(directory.resolve(DirectoryLayout.DIGEST_INDEX));
        disk.delete(directory.resolve(DirectoryLayout.RESPONSE_COUNTS));
        lengthCommitter.commit(plan);
        for (var mark : plan) {
            if (mark.length() == 0 && mark.name().startsWith(DirectoryLayout.WARC)) {
                disk.delete(directory.resolve(mark.name()));
            }
        }
        disk.delete(directory.resolve(DirectoryLayout.COMPACTION_PLAN));
        return true;
    }
}
