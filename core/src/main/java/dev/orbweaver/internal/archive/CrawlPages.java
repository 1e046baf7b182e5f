package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.parse.ParsePool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Iterates over the pages of one or several crawls in constant memory.
 *
 * <p>If several crawls have a URL, the first crawl wins; among the workers of a fleet, the first
 * capture (ADR 12). Of a page that was visited several times, only the last visit is passed. Pages
 * with a tombstone are skipped.
 */
public final class CrawlPages {

    private final List<CrawlArchive> directories;
    private final Tombstones tombstones;
    private final PageFilter filter;
    private final Instant asOf;
    private final ReadListener readListener;
    private final SkippedPages skippedPages = new SkippedPages();

    public CrawlPages(List<CrawlArchive> directories, Tombstones tombstones) {
        this(directories, tombstones, PageFilter.ALL, Instant.MAX, ReadListener.NONE);
    }

    private CrawlPages(
            List<CrawlArchive> directories,
            Tombstones tombstones,
            PageFilter filter,
            Instant asOf,
            ReadListener readListener) {
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("at least one crawl is required");
        }
        this.directories = List.copyOf(directories);
        this.tombstones = tombstones;
        this.filter = filter;
        this.asOf = asOf;
        this.readListener = readListener;
    }

    /** Is called for every line that is read, to follow a long export and to end it. */
    public interface ReadListener {
        ReadListener NONE = () -> {};

        void onLine() throws IOException;
    }

    public CrawlPages watched(ReadListener listener) {
        return new CrawlPages(directories, tombstones, filter, asOf, listener);
    }

    public CrawlPages filtered(PageFilter wanted) {
        return new CrawlPages(directories, tombstones, wanted, asOf, readListener);
    }

    /** Returns the pages as they were at a time: visits from then on are left out. */
    public CrawlPages asOf(Instant time) {
        return new CrawlPages(directories, tombstones, filter, time, readListener);
    }

    /**
     * Returns whether a copy of the captures needs the response that a revisit represents, because
     * the copy may not have the original.
     */
    public boolean mustExpand(StoredPage page) {
        return page.isRevisit() && (page.original().isElsewhere() || !isWholeCrawl());
    }

    private boolean isWholeCrawl() {
        return directories.size() == 1
                && !directories.getFirst().isFleetPart()
                && filter.equals(PageFilter.ALL)
                && tombstones.equals(Tombstones.NONE);
    }

    public List<CrawlArchive> directories() {
        return directories;
    }

    /** Receives every line, and whether the filter accepts it. */
    public interface LineVisitor {
        void visit(StoredPage page, boolean wanted) throws IOException;
    }

    /** Passes every line that the filter accepts: pages, redirects, errors and all others. */
    public void forEachLine(PageVisitor visitor) throws IOException {
        forEachLineUnfiltered(
                (page, wanted) -> {
                    if (wanted) {
                        visitor.visit(page);
                    }
                });
    }

    /** Passes every line, including those that the filter rejects. */
    public void forEachLineUnfiltered(LineVisitor visitor) throws IOException {
        if (directories.size() == 1 && !directories.getFirst().isFleetPart()) {
            directories
                    .getFirst()
                    .forEachLine(
                            0,
                            page -> {
                                readListener.onLine();
                                visitor.visit(hideTarget(page), isWanted(page));
                            });
            return;
        }
        var bytes = 0L;
        for (var directory : directories) {
            bytes += directory.logBytes();
        }
        try (var seen = TextHashSet.sizedForLog(bytes)) {
            for (var crawl = 0; crawl < directories.size(); crawl++) {
                directories
                        .get(crawl)
                        .forEachLine(
                                crawl,
                                page -> {
                                    readListener.onLine();
                                    var isNew = seen.add(outcomeClass(page) + page.url());
                                    visitor.visit(hideTarget(page), isNew && isWanted(page));
                                });
            }
        }
    }

    /**
     * Returns a class of outcomes, used to detect duplicate lines of a URL. A URL has one outcome,
     * but two workers may have recorded different ones. A failed URL may have been requeued; its
     * later outcome is a separate line.
     */
    private static String outcomeClass(StoredPage page) {
        var kind =
                switch (page.kind()) {
                    case PAGE, SITEMAP, REDIRECT, ERROR, WITHDRAWN -> "end ";
                    case FAILED, RETRIED, ROBOTS -> page.kind().name() + " ";
                };
        var visit = page.entry().visit();
        return visit.isFirst() ? kind : kind + visit.number() + " ";
    }

    /** Passes every page that was stored with a 2xx response, in its current version. */
    public void forEachPage(PageVisitor visitor) throws IOException {
        if (directories.stream().anyMatch(CrawlArchive::isFleetPart) && hasRevisits()) {
            forEachCurrentPage(visitor);
            return;
        }
        var histories = new ArrayList<VisitHistory>();
        for (var directory : directories) {
            histories.add(VisitHistory.read(directory, asOf));
        }
        forEachLine(
                page -> {
                    if (page.isPage() && histories.get(page.crawl()).isCurrent(page.entry())) {
                        visitor.visit(page);
                    }
                });
    }

    private boolean hasRevisits() throws IOException {
        for (var directory : directories) {
            if (VisitHistory.hasRevisits(directory)) {
                return true;
            }
        }
        return false;
    }

    private void forEachCurrentPage(PageVisitor visitor) throws IOException {
        var bytes = 0L;
        for (var directory : directories) {
            bytes += directory.logBytes();
        }
        try (var visits = FleetVisits.read(directories, bytes, asOf)) {
            forEachLine(
                    page -> {
                        if (page.isPage() && visits.isCurrent(page.entry())) {
                            visitor.visit(page);
                        }
                    });
        }
    }

    private boolean isWanted(StoredPage page) {
        return filter.accepts(page) && !tombstones.covers(page.url());
    }

    /** Returns a redirect without its target if that was taken down; other lines as they are. */
    private StoredPage hideTarget(StoredPage page) {
        if (tombstones.isEmpty() || page.location().isEmpty()) {
            return page;
        }
        var urls = directoryOf(page).urls();
        var hidden =
                urls.parse(page.url())
                        .flatMap(from -> urls.resolve(from, page.location()))
                        .filter(target -> tombstones.covers(target.text()))
                        .isPresent();
        return hidden ? new StoredPage(page.crawl(), page.entry().withoutLocation()) : page;
    }

    /** Whether a URL was taken down, so that links to it must not be listed either. */
    public boolean isTakenDown(String url) {
        return !tombstones.isEmpty() && tombstones.covers(url);
    }

    public CrawlArchive directoryOf(StoredPage page) {
        return directories.get(page.crawl());
    }

    public interface ContentTask<T> {
        T run(StoredResponse storedResponse) throws IOException;
    }

    /**
     * Processes the content of a page on the parser pool. If the content makes the work fail, the
     * page is recorded as skipped and the result is empty; disk errors are thrown.
     */
    public <T> Optional<T> process(StoredPage page, ContentTask<T> work) throws IOException {
        var storedResponse = response(page);
        try {
            return Optional.of(ParsePool.shared().run(page::url, () -> work.run(storedResponse)));
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            skippedPages.add(page, e);
            return Optional.empty();
        }
    }

    public SkippedPages skippedPages() {
        return skippedPages;
    }

    public StoredResponse response(StoredPage page) throws IOException {
        return directoryOf(page).response(page);
    }
}
