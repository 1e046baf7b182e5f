package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.io.InterruptedIOException;
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
 * Permanently removes captures that were taken down or have expired, by rewriting WARC files and
 * page log without them.
 *
 * <p>The crawl is not running, and all output is committed. Files without anything to remove are
 * not changed. For each other file a new version is written, {@code NAME-2} for {@code NAME}, and a
 * new page log beside the old one. When all of them are synced, a plan with the new length of every
 * file is written: from that moment the new files are valid. Then the plan is applied: the new log
 * replaces the old one, the new lengths are committed to the frontier, the old WARC files are
 * deleted, and last the plan itself.
 *
 * <p>A crash before the plan leaves the crawl unchanged, with some unreferenced files that the next
 * opening deletes. After a crash with a plan, the next opening applies the plan from its start;
 * every step is idempotent. Readers use the plan's lengths too.
 *
 * <p>A removed file keeps a committed length of 0, so that its number is not reused. A revisit
 * record whose original is removed is expanded into a response record.
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
    private final Expiry expiry;
    private final StopCheck stopCheck;
    private LineSet needed = new LineSet();
    private long captures;
    private long kept;

    /**
     * The result of a compaction.
     *
     * @param captures number of removed lines of the page log
     * @param kept number of lines that were taken down but kept, because another crawl refers to
     *     their payloads
     * @param files number of WARC files rewritten or deleted
     * @param bytes number of bytes saved
     * @param remainingBytes of the WARC files afterwards, as far as a retention planned it
     * @param limitExceeded whether these are more than the retention allows
     */
    public record Outcome(
            long captures,
            long kept,
            long files,
            long bytes,
            long remainingBytes,
            boolean limitExceeded) {

        private Outcome(long captures, long kept, long files, long bytes) {
            this(captures, kept, files, bytes, 0, false);
        }

        /** Returns the outcome of a compaction that had to obey a limit. */
        public Outcome withLimit(long remaining, boolean exceeded) {
            return new Outcome(captures, kept, files, bytes, remaining, exceeded);
        }
    }

    /**
     * Captures that a retention drops.
     *
     * @param expired their lines
     * @param superseded lines that are replaced but kept, because revisits refer to their records
     * @param count how many lines are dropped
     */
    public record Expiry(LineSet expired, LineSet superseded, long count) {

        public static final Expiry NONE = new Expiry(new LineSet(), new LineSet(), 0);
    }

    /** Ends a compaction early, by an exception; before the plan is written, nothing is changed. */
    public interface StopCheck {
        StopCheck NEVER = () -> {};

        void check() throws InterruptedIOException;
    }

    public interface LengthCommitter {
        void commit(List<CommittedLength> marks) throws IOException;
    }

    private Compaction(
            Disk disk,
            Path directory,
            TombstoneFile tombstones,
            Expiry expiry,
            List<CommittedLength> marks,
            StopCheck stopCheck) {
        this.stopCheck = stopCheck;
        this.disk = disk;
        this.directory = directory;
        this.tombstones = tombstones;
        this.expiry = expiry;
        marks.forEach(mark -> this.committedLengths.put(mark.name(), mark.length()));
    }

    /**
     * Removes the captures that were taken down or have expired.
     *
     * @param marks the committed lengths of all files
     * @param lengthCommitter receives the new lengths
     * @param stopCheck called for every line that is read
     */
    public static Outcome run(
            Disk disk,
            Path directory,
            TombstoneFile tombstones,
            Expiry expiry,
            List<CommittedLength> marks,
            LengthCommitter lengthCommitter,
            Instant now,
            StopCheck stopCheck)
            throws IOException {
        if ((tombstones.isEmpty() && expiry.count() == 0) || marks.isEmpty()) {
            return new Outcome(0, 0, 0, 0);
        }
        try (var _ = Dependents.lock(directory)) {
            return new Compaction(disk, directory, tombstones, expiry, marks, stopCheck)
                    .run(lengthCommitter, now);
        }
    }

    private Outcome run(LengthCommitter lengthCommitter, Instant now) throws IOException {
        needed = Dependents.neededLines(disk, directory);
        scan();
        if (captures == 0) {
            return new Outcome(0, kept, 0, 0);
        }
        requireLocalFiles();
        TombstoneFile.addLastCapture(disk, directory, lastCapture, now);
        var plan = rewrite();
        AtomicFile.write(disk, directory.resolve(DirectoryLayout.COMPACTION_PLAN), text(plan));
        disk.syncDirectory(directory);
        var _ = applyPlan(disk, directory, lengthCommitter);
        return outcome(plan);
    }

    private Outcome outcome(List<CommittedLength> plan) {
        var before =
                changed.stream().mapToLong(name -> committedLengths.getOrDefault(name, 0L)).sum();
        var after =
                plan.stream()
                        .filter(mark -> mark.name().startsWith(DirectoryLayout.WARC))
                        .mapToLong(CommittedLength::length)
                        .sum();
        return new Outcome(captures, kept, changed.size(), before - after);
    }

    /** Finds the captures to remove, and the revisits that refer to them. */
    private void scan() throws IOException {
        read(
                entry -> {
                    lastCapture = entry.seq();
                    if (tombstones.covers(entry.url()) && needed.contains(entry.seq())) {
                        kept++;
                    }
                    if (isRemoved(entry)) {
                        // A capture with deferred links keeps a minimal line; that alone is nothing
                        // to remove.
                        captures += entry.linksDeferred() && entry.warc().isEmpty() ? 0 : 1;
                        if (!entry.warc().isEmpty()) {
                            if (tombstones.covers(entry.url())) {
                                removed.add(WarcRewriter.location(entry));
                            }
                            changed.add(entry.warc());
                        }
                    }
                });
        read(
                entry -> {
                    if (!entry.original().equals(WarcLocation.NONE)
                            && !entry.original().isElsewhere()
                            && !isRemoved(entry)) {
                        revisitTargets.add(entry.original());
                        if (removed.contains(entry.original())) {
                            changed.add(entry.warc());
                        }
                    }
                });
    }

    /** Returns whether a capture is removed; not if a dependent crawl needs its payload. */
    private boolean isRemoved(PageLogEntry entry) {
        return !needed.contains(entry.seq())
                && (expiry.expired().contains(entry.seq()) || tombstones.covers(entry.url()));
    }

    /** Marks a line that is kept although later visits replaced it. */
    private PageLogEntry marked(PageLogEntry entry) {
        return expiry.superseded().contains(entry.seq()) || expiry.expired().contains(entry.seq())
                ? entry.asSuperseded()
                : entry;
    }

    /** Throws if a file was moved elsewhere, because it cannot be rewritten. */
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
                entry -> {
                    stopCheck.check();
                    visitor.visit(entry);
                });
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
     * Holds lines of the old log until the end of their records is known. That is where the next
     * records in the same file begin, or the file's end.
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
                flush("", 0); // Without records there is no end to wait for.
            }
        }

        /**
         * @param file the file of the next records, empty if unknown
         * @param offset where they begin
         */
        void flush(String file, long offset) throws IOException {
            for (var entry : pending) {
                var end =
                        entry.warc().equals(file)
                                ? offset
                                : committedLengths.getOrDefault(entry.warc(), 0L);
                if (!isRemoved(entry)) {
                    out.visit(marked(warcRewriter.rewriteKept(entry, end)));
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

    /** Returns the planned lengths of an unfinished compaction, if there is one. */
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

    /** Returns the page log to read: during a compaction that has a plan, the new one. */
    public static Path currentLog(Path directory) {
        var compacted = directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED);
        return Files.exists(directory.resolve(DirectoryLayout.COMPACTION_PLAN))
                        && Files.exists(compacted)
                ? compacted
                : directory.resolve(DirectoryLayout.PAGE_LOG);
    }

    /**
     * Applies the plan, if there is one; every step may have been done before. Without a plan,
     * deletes the files of a compaction that crashed before it had one.
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
