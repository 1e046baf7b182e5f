package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.CheckedReader;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.model.CommittedLength;

import org.jspecify.annotations.Nullable;
import org.netpreserve.jwarc.WarcDigest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the committed part of a crawl's output files, also while the crawl is running.
 *
 * <p>It checks each file against its committed length, every line of the page log, every WARC
 * record, and each line against its record. Lines and records have the same order, so every file is
 * read once from its start, and memory does not grow with the crawl. After a damaged record the
 * check continues at the next record that the page log names.
 */
public final class OutputCheck {

    private static final int LINE_MAX = 64 << 20;

    private final Path directory;
    private final Findings findings;
    private final Map<String, CommittedLength> committedLengths = new LinkedHashMap<>();
    private final Map<String, MovedFiles.Moved> moved;
    private final Set<String> visited = new HashSet<>();
    private final Set<String> remoteCrawls = new HashSet<>();
    private final DigestIndex.Check index;
    private @Nullable OpenWarc current;
    private long lastSequence;

    private OutputCheck(Disk disk, Path directory, List<CommittedLength> marks, Findings findings)
            throws IOException {
        this.directory = directory;
        this.findings = findings;
        marks.forEach(mark -> this.committedLengths.put(mark.name(), mark));
        this.moved = MovedFiles.read(disk, directory);
        this.index = DigestIndex.Check.of(disk, directory, findings);
    }

    public static long bytesToRead(List<CommittedLength> marks) {
        return marks.stream().mapToLong(CommittedLength::length).sum();
    }

    /** Checks everything that the newest committed lengths of all files cover. */
    public static void run(
            Disk disk, Path directory, List<CommittedLength> marks, Findings findings)
            throws IOException {
        var check = new OutputCheck(disk, directory, marks, findings);
        try (var _ = check.index) {
            check.run();
        }
    }

    private void run() throws IOException {
        var log = committedLengths.get(DirectoryLayout.PAGE_LOG);
        if (log != null) {
            checkLog(log);
        }
        closeWarc();
        for (var mark : List.copyOf(committedLengths.values())) {
            if (!mark.name().equals(DirectoryLayout.PAGE_LOG) && !visited.contains(mark.name())) {
                var _ = openWarc(mark.name());
                closeWarc();
            }
        }
        index.finish(lastSequence);
    }

    private void checkLog(CommittedLength mark) throws IOException {
        var file = Compaction.currentLog(directory);
        if (reportIfTruncated(file, mark)) {
            return;
        }
        try (var in = new CheckedReader(FileChannel.open(file), mark.length(), findings)) {
            var line = new ByteArrayOutputStream();
            for (var start = 0L; !in.atEnd(); start = in.position()) {
                readLine(in, line);
                checkLine(file, start, line.toString(UTF_8));
                line.reset();
            }
            compareChecksum(file, mark, in);
        }
    }

    private static void readLine(CheckedReader in, ByteArrayOutputStream line) throws IOException {
        for (var next = in.read(); next >= 0; next = in.read()) {
            if (line.size() < LINE_MAX) {
                line.write(next);
            }
            if (next == '\n') {
                return;
            }
        }
    }

    private boolean reportIfTruncated(Path file, CommittedLength mark) throws IOException {
        var length = Files.exists(file) ? Files.size(file) : 0;
        if (length < mark.length()) {
            findings.damage(
                    file,
                    length,
                    "the file is shorter than the %d bytes that were committed"
                            .formatted(mark.length()));
        }
        return length < mark.length();
    }

    private void compareChecksum(Path file, CommittedLength mark, CheckedReader in)
            throws IOException {
        if (in.checksum() != mark.checksum()) {
            findings.damage(
                    file,
                    "the first %d bytes do not match the checksum of their commit"
                            .formatted(mark.length()));
        }
    }

    private void checkLine(Path log, long start, String line) throws IOException {
        if (!line.endsWith("\n")) {
            findings.damage(log, start, "the last committed line has no line end");
            return;
        }
        PageLogEntry entry;
        try {
            entry = PageLog.parseLine(line);
        } catch (IOException e) {
            findings.damage(log, start, "the line is not a valid entry");
            return;
        }
        if (entry.seq() <= lastSequence) {
            findings.damage(
                    log,
                    start,
                    "the line has number %d after number %d".formatted(entry.seq(), lastSequence));
        }
        lastSequence = Math.max(lastSequence, entry.seq());
        if (!entry.warc().isEmpty()) {
            checkRecord(log, start, entry);
            index.addEntry(entry);
        }
    }

    private void checkRecord(Path log, long start, PageLogEntry entry) throws IOException {
        if (!isCommitted(WarcRewriter.location(entry))) {
            findings.damage(log, start, "the line points to a record that was never committed");
            return;
        }
        if (entry.original().isElsewhere()) {
            checkOtherRecord(log, start, entry);
        } else if (!entry.original().equals(WarcLocation.NONE) && !isCommitted(entry.original())) {
            findings.damage(log, start, "the line's original was never committed");
        }
        if (current == null || !current.name.equals(entry.warc())) {
            closeWarc();
            if (!openWarc(entry.warc())) {
                return;
            }
        }
        var warc = current;
        if (warc != null) {
            warc.check(log, start, entry);
        }
    }

    /** Checks that another crawl has the payload that a revisit refers to. */
    private void checkOtherRecord(Path log, long start, PageLogEntry entry) {
        try {
            var digest = Optional.of(new WarcDigest(entry.digest()));
            if (RevisitLookup.read(directory, entry.original(), digest).isEmpty()) {
                findings.damage(
                        log,
                        start,
                        entry.original().describe() + " does not have the payload of the line");
            }
        } catch (OtherRecords.RemoteException e) {
            if (remoteCrawls.add(entry.original().crawl())) {
                findings.note(
                        log,
                        "has revisits whose payloads are in "
                                + entry.original().crawl()
                                + "; they are not checked");
            }
        } catch (IOException | IllegalArgumentException e) {
            findings.damage(log, start, "the payload is missing: " + e.getMessage());
        }
    }

    private boolean isCommitted(WarcLocation place) {
        var mark = committedLengths.get(place.warc());
        return mark != null
                && place.offset() >= 0
                && place.length() > 0
                && place.offset() + place.length() <= mark.length();
    }

    /** Opens a WARC file; returns false if it cannot be read or was already read. */
    private boolean openWarc(String name) throws IOException {
        var mark = committedLengths.get(name);
        if (mark == null || !visited.add(name)) {
            return false;
        }
        var file = WarcFiles.find(directory, name);
        if (!Files.exists(file) && moved.containsKey(name)) {
            findings.note(
                    file, "was moved to " + moved.get(name).location() + " and is not checked");
            return false;
        }
        if (mark.length() == 0 || reportIfTruncated(file, mark)) {
            return false;
        }
        var in = new CheckedReader(WarcFiles.open(directory, name), mark.length(), findings);
        current = new OpenWarc(name, file, mark, in);
        return true;
    }

    /** Checks the rest of a WARC file. */
    private void closeWarc() throws IOException {
        var warc = current;
        if (warc != null) {
            current = null;
            try (warc) {
                warc.checkRest();
            }
        }
    }

    private final class OpenWarc implements AutoCloseable {

        private final String name;
        private final Path file;
        private final CommittedLength mark;
        private final CheckedReader in;
        private final RecordReader records;

        /** Whether the current position is known to be the start of a record. */
        private boolean atRecordStart = true;

        OpenWarc(String name, Path file, CommittedLength mark, CheckedReader in)
                throws IOException {
            this.name = name;
            this.file = file;
            this.mark = mark;
            this.in = in;
            this.records = new RecordReader(in, Compression.of(name));
        }

        /** Reads up to the record of a line, and checks that record. */
        void check(Path log, long line, PageLogEntry entry) throws IOException {
            while (atRecordStart && in.position() < entry.offset()) {
                var _ = next();
            }
            if (in.position() > entry.offset()) {
                if (atRecordStart) {
                    findings.damage(log, line, "no record begins at the offset of the line");
                }
                return; // The record before it was damaged.
            }
            in.skipTo(entry.offset());
            atRecordStart = true;
            var record = next();
            if (record != null) {
                compare(log, line, entry, record);
            }
        }

        private RecordReader.@Nullable VerifiedRecord next() throws IOException {
            var offset = in.position();
            try {
                return records.next();
            } catch (RecordReader.DamagedRecordException e) {
                findings.damage(file, offset, String.valueOf(e.getMessage()));
                atRecordStart = false;
                return null;
            }
        }

        private void compare(
                Path log, long line, PageLogEntry entry, RecordReader.VerifiedRecord record) {
            var revisit = record.type().equals("revisit");
            if (!revisit && !record.type().equals("response")) {
                findings.damage(log, line, "the record of the line is not a response");
            } else if (!record.url().equals(entry.url())) {
                findings.damage(log, line, "the line and its record have different URLs");
            } else if (record.length() != entry.length()
                    || !record.payloadDigest().equals(entry.digest())
                    || (!revisit && record.payloadBytes() != entry.bytes())) {
                findings.damage(log, line, "the line and its record differ in length or digest");
            }
        }

        void checkRest() throws IOException {
            while (atRecordStart && !in.atEnd()) {
                var _ = next();
            }
            OutputCheck.this.compareChecksum(file, mark, in);
        }

        @Override
        public void close() throws IOException {
            records.close();
        }
    }
}
