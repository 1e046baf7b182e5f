package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.revisit.PageState;
import dev.orbweaver.internal.sink.LineSet;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Which lines of a page log are the last visits of their URLs, at some time.
 *
 * <p>A later visit refers to the visit before, so one pass over the log finds all lines that are
 * not the last ones. A page counts as gone after a second response with status 404 or 410, at least
 * a day after the first: until then its last stored page is the current one.
 */
public final class VisitHistory {

    /** The label of the seed lists of pages to visit again. */
    public static final String LIST_LABEL = "recrawl";

    /**
     * A page that was not found.
     *
     * @param since when this was first seen
     * @param page the line of the last visit that stored it
     */
    private record Gone(Instant since, long page) {}

    private final Instant time;
    private final LineSet repeated = new LineSet();
    private final LineSet replaced = new LineSet();

    /** Pages that were not found, by the line that says so; few in any crawl. */
    private final Map<Long, Gone> gone = new HashMap<>();

    private VisitHistory(Instant time) {
        this.time = time;
    }

    /** Reads the visits before a time; a crawl that was never visited again needs no reading. */
    public static VisitHistory read(CrawlArchive crawl, Instant before) throws IOException {
        var history = new VisitHistory(before);
        if (hasRevisits(crawl)) {
            crawl.forEachLine(0, page -> history.add(page.entry()));
        }
        return history;
    }

    static boolean hasRevisits(CrawlArchive crawl) throws IOException {
        if (Files.isDirectory(crawl.path().resolve(DirectoryLayout.REVISITS))) {
            return true;
        }
        var lists = crawl.path().resolve(DirectoryLayout.SEEDS);
        if (!Files.isDirectory(lists)) {
            return false;
        }
        try (var files = Files.list(lists)) {
            return files.anyMatch(file -> file.toString().endsWith("-" + LIST_LABEL + ".list"));
        }
    }

    private void add(PageLogEntry entry) {
        if (entry.superseded()) {
            repeated.add(entry.seq());
            replaced.add(entry.seq());
        }
        if (entry.visit().isFirst() || !entry.time().isBefore(time) || !isResponse(entry)) {
            return;
        }
        var last = entry.parentRef();
        if (last.isNone() || last.worker() != 0) {
            return;
        }
        repeated.add(last.line());
        var known = gone.getOrDefault(last.line(), new Gone(entry.time(), last.line()));
        if (!isNotFound(entry)) {
            replaced.add(known.page);
            return;
        }
        gone.put(entry.seq(), known);
        if (!entry.time().isBefore(known.since.plus(PageState.CONFIRMED_AFTER))) {
            replaced.add(known.page);
        }
    }

    /** Returns whether a visit had a final response; other visits leave the last one as it is. */
    public static boolean isResponse(PageLogEntry entry) {
        return switch (entry.kind()) {
            case PAGE, SITEMAP, REDIRECT, ERROR -> true;
            case FAILED, RETRIED, WITHDRAWN, ROBOTS -> false;
        };
    }

    public static boolean isNotFound(PageLogEntry entry) {
        return entry.kind() == Kind.ERROR && (entry.status() == 404 || entry.status() == 410);
    }

    /** Returns whether a line is the last visit of its URL that had a response. */
    public boolean isLast(PageLogEntry entry) {
        return entry.time().isBefore(time) && !repeated.contains(entry.seq());
    }

    /**
     * Returns whether a later visit replaced a line, and no line that is current depends on it: a
     * page that was not found counts as gone only with the line that says since when.
     */
    public boolean isReplaced(PageLogEntry entry) {
        var missing = gone.get(entry.seq());
        return repeated.contains(entry.seq())
                && (entry.kind() != Kind.PAGE || replaced.contains(entry.seq()))
                && (missing == null || replaced.contains(missing.page));
    }

    /** Returns whether a line has the current content of its URL. */
    boolean isCurrent(PageLogEntry entry) {
        return entry.time().isBefore(time) && !replaced.contains(entry.seq());
    }
}
