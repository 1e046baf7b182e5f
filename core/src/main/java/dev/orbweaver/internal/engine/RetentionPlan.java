package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.TextHashSet;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.LineSet;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.WarcLocation;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the captures that a retention drops: those that were replaced before a time, the cutoff.
 *
 * <p>What was the newest capture of its page at the cutoff is kept. So the crawl as of any later
 * time is complete, and comparisons of later times do not change. A record to which a kept revisit
 * refers is kept too; its line is marked as superseded, because the lines that said so may be
 * dropped.
 *
 * <p>A limit of bytes chooses the cutoff by bisection, for nine tenths of the limit where that is
 * possible: a crawl that runs would need the next pass at once otherwise. Every step reads the page
 * log a few times and needs a few bits per line. A limit of age rewrites only WARC files of which a
 * fifth or more is dropped, so a pass copies at most four bytes for each byte that it frees.
 */
final class RetentionPlan {

    private static final double SHARE_MIN = 0.2;

    /** The precision of the cutoff that a limit of bytes chooses. */
    private static final Duration STEP = Duration.ofHours(1);

    private static final int STEPS_MAX = 12;

    /** The share of a limit of bytes that is in use after a pass. */
    private static final double GOAL = 0.9;

    private final CrawlArchive archive;
    private final Compaction.StopCheck stopCheck;
    private final Map<String, Long> lengths = new HashMap<>();
    private final long totalBytes;

    /**
     * What to drop.
     *
     * @param cutoff captures that were replaced before this time may be dropped
     * @param bytes of the WARC files afterwards
     * @param exceeded whether these are more than the limit
     */
    record Result(Compaction.Expiry expiry, Instant cutoff, long bytes, boolean exceeded) {}

    private RetentionPlan(
            CrawlArchive archive, List<CommittedLength> marks, Compaction.StopCheck stopCheck) {
        this.archive = archive;
        this.stopCheck = stopCheck;
        marks.forEach(mark -> lengths.put(mark.name(), mark.length()));
        this.totalBytes =
                lengths.entrySet().stream()
                        .filter(each -> each.getKey().startsWith(DirectoryLayout.WARC))
                        .mapToLong(Map.Entry::getValue)
                        .sum();
    }

    static Result of(
            CrawlArchive archive,
            List<CommittedLength> marks,
            Retention retention,
            Instant now,
            Compaction.StopCheck stopCheck)
            throws IOException {
        var plan = new RetentionPlan(archive, marks, stopCheck);
        if (retention.age().isPresent()) {
            var byAge = plan.at(now.minus(retention.age().get()), SHARE_MIN);
            if (byAge.bytes <= retention.bytesMax()) {
                return byAge;
            }
        }
        return plan.totalBytes <= retention.bytesMax()
                ? plan.nothing()
                : plan.within(retention, now);
    }

    private Result nothing() {
        return new Result(Compaction.Expiry.NONE, Instant.MIN, totalBytes, false);
    }

    /** Drops as little as the limit of bytes requires, the captures replaced first. */
    private Result within(Retention retention, Instant now) throws IOException {
        var most = at(now, 0);
        if (most.bytes > retention.bytesMax()) {
            return new Result(most.expiry, most.cutoff, most.bytes, true);
        }
        var goal = Math.max(most.bytes, (long) (GOAL * retention.bytesMax()));
        var best = most;
        var low = firstTime();
        var high = now;
        for (var step = 0;
                step < STEPS_MAX && Duration.between(low, high).compareTo(STEP) > 0;
                step++) {
            var middle = low.plus(Duration.between(low, high).dividedBy(2));
            var tried = at(middle, 0);
            if (tried.bytes <= goal) {
                best = tried;
                high = middle;
            } else {
                low = middle;
            }
        }
        return best;
    }

    private Instant firstTime() throws IOException {
        var first = new Instant[] {Instant.MAX};
        read(entry -> first[0] = entry.time().isBefore(first[0]) ? entry.time() : first[0]);
        return first[0];
    }

    private void read(PageLog.EntryVisitor visitor) throws IOException {
        var log = archive.path().resolve(DirectoryLayout.PAGE_LOG);
        if (Files.exists(log)) {
            PageLog.readAll(
                    log,
                    lengths.getOrDefault(DirectoryLayout.PAGE_LOG, 0L),
                    entry -> {
                        stopCheck.check();
                        visitor.visit(entry);
                    });
        }
    }

    /**
     * Finds what to drop at a cutoff.
     *
     * @param shareMin the part of a WARC file that must be dropped for it to be rewritten
     */
    private Result at(Instant cutoff, double shareMin) throws IOException {
        var history = VisitHistory.read(archive, cutoff);
        var dropped = new HashMap<String, Long>();
        forEachSpan(
                (entry, bytes) -> {
                    if (isReplaced(entry, history, cutoff)) {
                        dropped.merge(entry.warc(), bytes, Long::sum);
                    }
                });
        dropped.entrySet()
                .removeIf(
                        each ->
                                each.getValue()
                                        < shareMin * lengths.getOrDefault(each.getKey(), 0L));
        var expired = new LineSet();
        var superseded = new LineSet();
        var counts = new long[2];
        try (var needed =
                TextHashSet.sizedForLog(lengths.getOrDefault(DirectoryLayout.PAGE_LOG, 0L))) {
            read(
                    entry -> {
                        var original = entry.original();
                        if (!original.equals(WarcLocation.NONE)
                                && !original.isElsewhere()
                                && !isDropped(entry, history, cutoff, dropped)) {
                            var _ = needed.add(key(original.warc(), original.offset()));
                        }
                    });
            forEachSpan(
                    (entry, bytes) -> {
                        if (!isReplaced(entry, history, cutoff)) {
                            return;
                        }
                        if (isDropped(entry, history, cutoff, dropped)
                                && (!entry.isStored()
                                        || needed.add(key(entry.warc(), entry.offset())))) {
                            expired.add(entry.seq());
                            counts[0]++;
                            counts[1] += bytes;
                        } else {
                            superseded.add(entry.seq());
                        }
                    });
        }
        return new Result(
                new Compaction.Expiry(expired, superseded, counts[0]),
                cutoff,
                totalBytes - counts[1],
                false);
    }

    private static String key(String warc, long offset) {
        return warc + " " + offset;
    }

    private static boolean isDropped(
            PageLogEntry entry, VisitHistory history, Instant cutoff, Map<String, Long> dropped) {
        return isReplaced(entry, history, cutoff)
                && (!entry.isStored() || dropped.containsKey(entry.warc()));
    }

    private static boolean isReplaced(PageLogEntry entry, VisitHistory history, Instant cutoff) {
        if (!entry.time().isBefore(cutoff) || entry.linksDeferred()) {
            return false;
        }
        return switch (entry.kind()) {
            case PAGE, SITEMAP, REDIRECT, ERROR -> history.isReplaced(entry);
            case ROBOTS, RETRIED -> true;
            case FAILED, WITHDRAWN -> !entry.visit().isFirst();
        };
    }

    private interface SpanVisitor {
        /**
         * @param bytes of the records of a line
         */
        void visit(PageLogEntry entry, long bytes) throws IOException;
    }

    /** Passes every line; the records of a line end at the next line's, or at the file's end. */
    private void forEachSpan(SpanVisitor visitor) throws IOException {
        var pending = new PageLogEntry[1];
        read(
                entry -> {
                    if (!entry.isStored()) {
                        visitor.visit(entry, 0);
                        return;
                    }
                    if (pending[0] != null) {
                        visitor.visit(pending[0], span(pending[0], entry));
                    }
                    pending[0] = entry;
                });
        if (pending[0] != null) {
            visitor.visit(pending[0], endOf(pending[0]) - pending[0].offset());
        }
    }

    private long span(PageLogEntry entry, PageLogEntry next) {
        var end = next.warc().equals(entry.warc()) ? next.offset() : endOf(entry);
        return end - entry.offset();
    }

    private long endOf(PageLogEntry entry) {
        return lengths.getOrDefault(entry.warc(), entry.offset() + entry.length());
    }
}
