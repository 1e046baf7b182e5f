package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.FailureCause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Counts responses by status code and failed attempts by cause. The page log is authoritative. The
 * counts are saved beside it from time to time, with the log length they cover, so that opening a
 * crawl only counts the rest.
 */
public final class ResponseCounts {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseCounts.class);
    private static final int SAVE_EVERY = 100_000;
    private static final String LENGTH = "length";
    private static final String STATUS = "status";
    private static final String CAUSE = "cause";

    private final Map<String, Long> byStatus = new TreeMap<>();
    private final Map<String, Long> byCause = new TreeMap<>();
    private long coveredBytes;
    private int unsaved;

    private ResponseCounts() {}

    /**
     * Loads the counts of a crawl's directory.
     *
     * @param marks committed lengths of its files
     */
    public static ResponseCounts of(Disk disk, Path directory, List<CommittedLength> marks)
            throws IOException {
        var length = logLength(marks);
        var counts = new ResponseCounts();
        if (disk.exists(directory.resolve(DirectoryLayout.RESPONSE_COUNTS))) {
            counts.load(disk, directory.resolve(DirectoryLayout.RESPONSE_COUNTS), length);
        }
        if (length > counts.coveredBytes) {
            counts.countFurther(directory.resolve(DirectoryLayout.PAGE_LOG), length);
        }
        counts.coveredBytes = length;
        return counts;
    }

    /**
     * Counts the entries after the covered length; if they cannot be parsed, the counts belong to
     * another log.
     */
    private void countFurther(Path log, long length) throws IOException {
        try {
            PageLog.readAll(log, coveredBytes, length, this::add);
        } catch (IOException e) {
            if (coveredBytes == 0) {
                throw e;
            }
            LOG.warn(
                    "{} does not match the page log; recounting: {}",
                    DirectoryLayout.RESPONSE_COUNTS,
                    e.getMessage());
            byStatus.clear();
            byCause.clear();
            PageLog.readAll(log, 0, length, this::add);
        }
    }

    private static long logLength(List<CommittedLength> marks) {
        return marks.stream()
                .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }

    /**
     * Loads saved counts; if they are damaged or cover more than the log, everything is counted
     * again.
     */
    private void load(Disk disk, Path file, long length) throws IOException {
        try {
            for (var line : AtomicFile.read(disk, file).lines().toList()) {
                var fields = line.split("\t", -1);
                switch (fields[0]) {
                    case LENGTH -> coveredBytes = Long.parseLong(fields[1]);
                    case STATUS -> byStatus.put(fields[1], Long.parseLong(fields[2]));
                    case CAUSE -> byCause.put(fields[1], Long.parseLong(fields[2]));
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (AtomicFile.DamagedException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
            LOG.warn(
                    "could not read {}; recounting: {}",
                    DirectoryLayout.RESPONSE_COUNTS,
                    e.getMessage());
            coveredBytes = Long.MAX_VALUE;
        }
        if (coveredBytes > length || coveredBytes < 0) {
            byStatus.clear();
            byCause.clear();
            coveredBytes = 0;
        }
    }

    /** Counts a committed capture. */
    public synchronized void add(Capture capture) {
        add(
                capture.kind(),
                capture.exchange().map(exchange -> exchange.status()).orElse(0),
                capture.cause());
        unsaved++;
    }

    private synchronized void add(PageLogEntry entry) {
        add(entry.kind(), entry.status(), entry.cause());
    }

    private void add(Kind kind, int status, String cause) {
        if (status > 0 && kind != Kind.ROBOTS) {
            byStatus.merge(Integer.toString(status), 1L, Long::sum);
        }
        var failed = kind == Kind.FAILED || kind == Kind.RETRIED;
        if (failed && !cause.equals(FailureCause.TRAP.id())) {
            byCause.merge(cause, 1L, Long::sum);
        }
    }

    /** Saves the counts if many are unsaved, or at the end of the crawl. */
    public synchronized void save(
            Disk disk, Path directory, Supplier<List<CommittedLength>> marks, boolean end) {
        if (unsaved < (end ? 1 : SAVE_EVERY)) {
            return;
        }
        coveredBytes = logLength(marks.get());
        var out = new StringBuilder(LENGTH + "\t" + coveredBytes + "\n");
        byStatus.forEach((status, count) -> appendLine(out, STATUS, status, count));
        byCause.forEach((cause, count) -> appendLine(out, CAUSE, cause, count));
        try {
            AtomicFile.write(
                    disk, directory.resolve(DirectoryLayout.RESPONSE_COUNTS), out.toString());
            unsaved = 0;
        } catch (IOException e) {
            LOG.warn(
                    "could not save {}; responses are recounted on the next start: {}",
                    DirectoryLayout.RESPONSE_COUNTS,
                    e.getMessage());
            unsaved = 1;
        }
    }

    private static void appendLine(StringBuilder out, String what, String name, long count) {
        out.append(what).append('\t').append(name).append('\t').append(count).append('\n');
    }

    /** Returns the number of responses by status code. */
    public synchronized Map<String, Long> byStatus() {
        return Collections.unmodifiableMap(new TreeMap<>(byStatus));
    }

    /** Returns the number of failed attempts by cause, including those that were retried. */
    public synchronized Map<String, Long> byCause() {
        return Collections.unmodifiableMap(new TreeMap<>(byCause));
    }
}
