package dev.orbweaver.internal.archive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.LogLines;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Finds visited pages in a page log by time, status and host.
 *
 * <p><b>The problem.</b> Lines are in the order of their commits, but a line's time is when its
 * request began, so times are only nearly in order.
 *
 * <p><b>The idea.</b> Let a line be committed at most a slack D after its request began. If a line
 * has a time before {@code since - D}, it was committed before {@code since}, and so were all lines
 * before it: none of them is wanted, and a binary search over byte offsets may skip them. If a line
 * has a time of {@code until + D} or later, all lines after it were committed later than that, so
 * their requests began at {@code until} or later: the search ends. Lines in between are compared
 * one by one. A probe that proves nothing only makes the search skip less.
 *
 * <p><b>The slack</b> is one hour. A visit takes at most {@code timeout} (60 s by default), parsing
 * and waiting for a disk at most minutes. Only a request that was in progress while its process was
 * suspended for longer, or a clock that was set back by more than an hour, can violate it; then
 * lines near that moment may be left out, and {@code orbweaver query} finds them.
 *
 * <p>Lines are rejected by the bytes of their time and status fields before they are parsed. The
 * first occurrence of {@code ,"time":"} in a line is the field itself, because quotes in texts are
 * escaped and the fields of extractors come last.
 */
public final class PageSearch {

    static final Duration SLACK = Duration.ofHours(1);

    private static final int BUFFER = 1 << 20;

    /** Shorter ranges are read completely. */
    private static final int SEARCH_MIN = 1 << 16;

    private static final byte[] TIME = ",\"time\":\"".getBytes(US_ASCII);
    private static final byte[] STATUS = ",\"status\":".getBytes(US_ASCII);

    /** From the first of March of the year 0. */
    private static final long DAYS_TO_1970 = 719_468;

    private final FileChannel log;
    private final long length;
    private final PageQuery query;
    private final byte[] host;

    /** Receives pages. */
    public interface Visitor {
        /**
         * Receives one page.
         *
         * @param line as it is in the page log, with its line end
         */
        void visit(PageLogEntry page, byte[] line) throws IOException;
    }

    private PageSearch(FileChannel log, long length, PageQuery query) {
        this.log = log;
        this.length = length;
        this.query = query;
        this.host = query.host().orElse("").getBytes(UTF_8);
    }

    /**
     * Passes the pages of a crawl, running or not, in the order of the page log. Pages that were
     * taken down are left out.
     *
     * @param pages of one directory
     * @return how many there were
     */
    public static long run(CrawlPages pages, PageQuery query, Visitor out) throws IOException {
        var directory = pages.directories().getFirst();
        var length = directory.logBytes();
        if (length == 0) {
            return 0;
        }
        directory.requireSameLog();
        try (var log = FileChannel.open(Compaction.currentLog(directory.path()))) {
            return new PageSearch(log, length, query).read(pages, out);
        }
    }

    private long read(CrawlPages pages, Visitor out) throws IOException {
        var first = query.since().map(Instant::getEpochSecond).orElse(Long.MIN_VALUE);
        var last = query.until().map(Instant::getEpochSecond).orElse(Long.MAX_VALUE);
        var end = query.until().map(until -> last + SLACK.toSeconds()).orElse(Long.MAX_VALUE);
        var lines = new LogLines(log, start(), length, BUFFER);
        var found = 0L;
        while (found < query.limit() && lines.next()) {
            var second = second(lines);
            if (second.isPresent() && second.getAsLong() > end) {
                break;
            }
            var isOutside =
                    second.isPresent() && (second.getAsLong() < first || second.getAsLong() > last);
            if (isOutside || !query.acceptsStatus(status(lines)) || !mayHaveHost(lines)) {
                continue;
            }
            var line = lines.bytes();
            var page = PageLog.parseLine(new String(line, UTF_8));
            if (query.accepts(page) && !pages.isTakenDown(page.url())) {
                out.visit(page, line);
                found++;
            }
        }
        return found;
    }

    /** Returns the start of a line before which no line is wanted. */
    private long start() throws IOException {
        var low = 0L;
        if (query.since().isPresent()) {
            var wanted = query.since().get().minus(SLACK).getEpochSecond();
            var high = length;
            while (high - low > SEARCH_MIN) {
                var middle = (low + high) / 2;
                var lines = new LogLines(log, middle, length, SEARCH_MIN);
                var hasPart = lines.next(); // Of a line; the next one is probed.
                if (hasPart
                        && lines.next()
                        && lines.start() < high
                        && second(lines).orElse(Long.MAX_VALUE) < wanted) {
                    low = lines.start();
                } else {
                    high = middle;
                }
            }
        }
        return low;
    }

    /** Returns the second of a line's time; empty if its form is another. */
    private static OptionalLong second(LogLines lines) {
        var at = lines.after(TIME);
        if (at < 0 || lines.at(at + 4) != '-' || lines.at(at + 10) != 'T') {
            return OptionalLong.empty();
        }
        var day =
                epochDay(number(lines, at, 4), number(lines, at + 5, 2), number(lines, at + 8, 2));
        return OptionalLong.of(
                ((day * 24 + number(lines, at + 11, 2)) * 60 + number(lines, at + 14, 2)) * 60
                        + number(lines, at + 17, 2));
    }

    /** Counts days as {@link java.time.LocalDate#toEpochDay} does, without allocation. */
    private static long epochDay(int year, int month, int day) {
        // Years begin in March, so that the day that some years lack is the last one.
        var shifted = month > 2 ? year : year - 1;
        var monthOfYear = (month + 9) % 12;
        return 365L * shifted
                + Math.floorDiv(shifted, 4)
                - Math.floorDiv(shifted, 100)
                + Math.floorDiv(shifted, 400)
                + (monthOfYear * 306 + 5) / 10
                + day
                - 1
                - DAYS_TO_1970;
    }

    private static int number(LogLines lines, int at, int digits) {
        var number = 0;
        for (var i = at; i < at + digits; i++) {
            number = number * 10 + lines.at(i) - '0';
        }
        return number;
    }

    /** Returns the status of a line, 0 if it has none. */
    private OptionalInt status(LogLines lines) {
        if (query.statuses().isEmpty()) {
            return OptionalInt.empty();
        }
        var at = lines.after(STATUS);
        return OptionalInt.of(at < 0 ? 0 : number(lines, at, 3));
    }

    /** A URL in its normal form has its host in plain text. */
    private boolean mayHaveHost(LogLines lines) {
        return host.length == 0 || lines.after(host) >= 0;
    }
}
