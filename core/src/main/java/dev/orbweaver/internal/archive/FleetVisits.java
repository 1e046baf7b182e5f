package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.sink.PageLogEntry;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which visits of a fleet's job are the current ones, by their numbers, over the logs of its
 * workers.
 *
 * <p>Each worker may have made any visit of a URL, and two may have made the same one ({@link
 * VisitHistory} follows the lines of one log instead). A page counts as gone after a second
 * response with status 404 or 410, at least a day after the first.
 */
final class FleetVisits implements AutoCloseable {

    private static final Duration CONFIRMATION = Duration.ofDays(1);

    private final Instant time;
    private final TextHashSet found;

    /** When visits did not find their pages; few in any crawl. */
    private final Map<String, Instant> missing = new HashMap<>();

    private FleetVisits(Instant time, TextHashSet found) {
        this.time = time;
        this.found = found;
    }

    /** Reads the visits before a time. */
    static FleetVisits read(List<CrawlArchive> crawls, long logBytes, Instant before)
            throws IOException {
        var visits = new FleetVisits(before, TextHashSet.sizedForLog(logBytes));
        try {
            for (var crawl : crawls) {
                crawl.forEachLine(0, page -> visits.add(page.entry()));
            }
            return visits;
        } catch (IOException | RuntimeException e) {
            visits.close();
            throw e;
        }
    }

    private void add(PageLogEntry entry) {
        if (entry.visit().isFirst()
                || !entry.time().isBefore(time)
                || !VisitHistory.isResponse(entry)) {
            return;
        }
        var key = key(entry, entry.visit().number());
        if (VisitHistory.isNotFound(entry)) {
            missing.put(key, entry.time());
        } else {
            var _ = found.add(key);
        }
    }

    private static String key(PageLogEntry entry, int visit) {
        return visit + " " + entry.url();
    }

    /** Returns whether a line has the current content of its URL. */
    boolean isCurrent(PageLogEntry entry) {
        if (!entry.time().isBefore(time)) {
            return false;
        }
        Instant since = Instant.MAX;
        for (var visit = entry.visit().number() + 1; ; visit++) {
            var key = key(entry, visit);
            var at = missing.get(key);
            if (found.contains(key)) {
                return false;
            }
            if (at == null) {
                return true;
            }
            since = since.equals(Instant.MAX) ? at : since;
            if (!at.isBefore(since.plus(CONFIRMATION))) {
                return false;
            }
        }
    }

    @Override
    public void close() throws IOException {
        found.close();
    }
}
