package dev.orbweaver.crawl;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.PageLog;

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
 * How often a crawl got which answer, and how many tries came to nothing for what cause. The page
 * log is the truth; the counts are kept beside it now and then together with the length of the log
 * that they cover, so that whoever opens or looks at a crawl has only the rest to count.
 */
public final class AnswerCounts {

    /** Its name in a crawl's folder. */
    public static final String FILE = "answers.tsv";

    private static final Logger LOG = LoggerFactory.getLogger(AnswerCounts.class);
    private static final int KEEP_EVERY = 100_000;
    private static final String LENGTH = "length";
    private static final String STATUS = "status";
    private static final String CAUSE = "cause";

    private final Map<String, Long> byStatus = new TreeMap<>();
    private final Map<String, Long> byCause = new TreeMap<>();
    private long covered;
    private int unkept;

    private AnswerCounts() {}

    /**
     * The counts of a crawl's folder.
     *
     * @param marks how long its files were at the last commit
     */
    public static AnswerCounts of(Disk disk, Path folder, List<FileMark> marks) throws IOException {
        var length = logLength(marks);
        var counts = new AnswerCounts();
        if (disk.exists(folder.resolve(FILE))) {
            counts.recall(disk, folder.resolve(FILE), length);
        }
        if (length > counts.covered) {
            counts.readOn(folder.resolve(PageLog.FILE), length);
        }
        counts.covered = length;
        return counts;
    }

    /** Counts what came after; where that is no line, the counts are of another log. */
    private void readOn(Path log, long length) throws IOException {
        try {
            PageLog.readAll(log, covered, length, this::add);
        } catch (IOException e) {
            if (covered == 0) {
                throw e;
            }
            LOG.warn("{} is of another page log and is made again: {}", FILE, e.getMessage());
            byStatus.clear();
            byCause.clear();
            PageLog.readAll(log, 0, length, this::add);
        }
    }

    private static long logLength(List<FileMark> marks) {
        return marks.stream()
                .filter(mark -> mark.name().equals(PageLog.FILE))
                .mapToLong(FileMark::length)
                .findFirst()
                .orElse(0);
    }

    /** Counts that cover more than there is, or cannot be read, are made again from the log. */
    private void recall(Disk disk, Path file, long length) throws IOException {
        try {
            for (var line : WholeFile.read(disk, file).lines().toList()) {
                var fields = line.split("\t", -1);
                switch (fields[0]) {
                    case LENGTH -> covered = Long.parseLong(fields[1]);
                    case STATUS -> byStatus.put(fields[1], Long.parseLong(fields[2]));
                    case CAUSE -> byCause.put(fields[1], Long.parseLong(fields[2]));
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (WholeFile.DamagedException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
            LOG.warn("{} cannot be read and is made again: {}", FILE, e.getMessage());
            covered = Long.MAX_VALUE;
        }
        if (covered > length || covered < 0) {
            byStatus.clear();
            byCause.clear();
            covered = 0;
        }
    }

    /** Counts a capture that is committed. */
    public synchronized void add(Capture capture) {
        add(
                capture.kind(),
                capture.exchange().map(exchange -> exchange.status()).orElse(0),
                capture.cause());
        unkept++;
    }

    private synchronized void add(PageEntry entry) {
        add(entry.kind(), entry.status(), entry.cause());
    }

    private void add(Kind kind, int status, String cause) {
        if (status > 0 && kind != Kind.ROBOTS) {
            byStatus.merge(Integer.toString(status), 1L, Long::sum);
        }
        var failed = kind == Kind.FAILED || kind == Kind.RETRIED;
        if (failed && !cause.equals(FailureCause.TRAP.word())) {
            byCause.merge(cause, 1L, Long::sum);
        }
    }

    /** Keeps the counts if there are many that are not kept yet, or if it is the end. */
    public synchronized void keep(
            Disk disk, Path folder, Supplier<List<FileMark>> marks, boolean end) {
        if (unkept < (end ? 1 : KEEP_EVERY)) {
            return;
        }
        covered = logLength(marks.get());
        var out = new StringBuilder(LENGTH + "\t" + covered + "\n");
        byStatus.forEach((status, count) -> line(out, STATUS, status, count));
        byCause.forEach((cause, count) -> line(out, CAUSE, cause, count));
        try {
            WholeFile.write(disk, folder.resolve(FILE), out.toString());
            unkept = 0;
        } catch (IOException e) {
            LOG.warn("{} is not kept and will be counted again: {}", FILE, e.getMessage());
            unkept = 1;
        }
    }

    private static void line(StringBuilder out, String what, String name, long count) {
        out.append(what).append('\t').append(name).append('\t').append(count).append('\n');
    }

    /** Answers by their status. */
    public synchronized Map<String, Long> byStatus() {
        return Collections.unmodifiableMap(new TreeMap<>(byStatus));
    }

    /** Tries that came to nothing, those that were made again too, by cause. */
    public synchronized Map<String, Long> byCause() {
        return Collections.unmodifiableMap(new TreeMap<>(byCause));
    }
}
