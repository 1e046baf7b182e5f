package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.explain.UrlExplainer.LogSource;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Finds lines of one page log. Without an index it reads the whole log. With an index it reads only
 * the lines after the indexed ones, and of these at most {@link #TAIL_BYTES_MAX}.
 */
final class LogSearch {

    /** About ten thousand lines. */
    static final long TAIL_BYTES_MAX = 4 << 20;

    /** The maximum number of stored pages after the indexed lines that are parsed. */
    static final int TAIL_PAGES_MAX = 100;

    /** The maximum number of indexed lines that are checked for a link to the URL. */
    private static final int CANDIDATES_MAX = 10;

    private final LogSource source;
    private final long from;
    private final long to;
    private boolean isComplete;

    LogSearch(LogSource source) {
        this.source = source;
        this.from = source.index().map(PageLogIndex::indexedBytes).orElse(0L);
        this.to =
                source.index().isPresent()
                        ? Math.min(source.bytes(), from + TAIL_BYTES_MAX)
                        : source.bytes();
        this.isComplete = to == source.bytes();
    }

    LogSource source() {
        return source;
    }

    /** Returns whether every line of the log has been searched. */
    boolean isComplete() {
        return isComplete;
    }

    /** Returns the lines of a URL; of more than {@code max} the first and the last ones. */
    List<PageLogEntry> attempts(CrawlUrl url, Predicate<PageLogEntry> isSameUrl, int max)
            throws IOException {
        var attempts = new LinkedHashSet<PageLogEntry>();
        if (source.index().isPresent()) {
            source.index().get().attempts(url, max).stream()
                    .filter(isSameUrl)
                    .forEach(attempts::add);
        }
        readLines(
                entry -> {
                    if (isSameUrl.test(entry)) {
                        attempts.add(entry);
                        if (attempts.size() > max) {
                            // The first one has the parent.
                            attempts.remove(attempts.stream().skip(1).findFirst().orElseThrow());
                        }
                    }
                });
        return List.copyOf(attempts);
    }

    Optional<PageLogEntry> line(long seq) throws IOException {
        if (source.index().isPresent()) {
            var indexed = source.index().get().line(seq);
            if (indexed.isPresent()) {
                return indexed;
            }
        }
        var found = new ArrayList<PageLogEntry>();
        readLines(
                entry -> {
                    if (entry.seq() == seq) {
                        found.add(entry);
                    }
                });
        return found.stream().findFirst();
    }

    /** Returns the first link to the URL of a finder. */
    Optional<InlinkFinder.Inlink> firstInlink(CrawlUrl url, InlinkFinder inlinkFinder)
            throws IOException {
        if (source.index().isPresent()) {
            for (var entry : source.index().get().linesLinkingTo(url, CANDIDATES_MAX)) {
                var inlink = inlinkFinder.findIn(entry);
                if (inlink.isPresent()) {
                    return inlink;
                }
            }
        }
        var pagesLeft =
                new AtomicLong(source.index().isPresent() ? TAIL_PAGES_MAX : Long.MAX_VALUE);
        var found = new ArrayList<InlinkFinder.Inlink>();
        readLines(
                entry -> {
                    if (!found.isEmpty()) {
                        return;
                    }
                    if (entry.isStored() && pagesLeft.getAndDecrement() <= 0) {
                        isComplete = false;
                        return;
                    }
                    inlinkFinder.findIn(entry).ifPresent(found::add);
                });
        return found.stream().findFirst();
    }

    private void readLines(PageLog.EntryVisitor out) throws IOException {
        var file = source.directory().resolve(DirectoryLayout.PAGE_LOG);
        if (to > from && Files.exists(file)) {
            PageLog.readAll(file, from, to, out);
        }
    }
}
