package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.parse.ParsePool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * The pages of one or several crawls, shown one after another, with memory that does not grow with
 * their number. Of several crawls the first that has a URL wins, and of a fleet's worker the first
 * capture (ADR 12); what was taken down is never shown.
 */
public final class CrawlPages {

    private final List<CrawlArchive> directories;
    private final Tombstones tombstones;
    private final PageFilter filter;
    private final SkippedPages skippedPages = new SkippedPages();

    /** Everything that these crawls hold, but for what is covered. */
    public CrawlPages(List<CrawlArchive> directories, Tombstones tombstones) {
        this(directories, tombstones, PageFilter.ALL);
    }

    private CrawlPages(List<CrawlArchive> directories, Tombstones tombstones, PageFilter filter) {
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("no crawl to read");
        }
        this.directories = List.copyOf(directories);
        this.tombstones = tombstones;
        this.filter = filter;
    }

    /** The same, only what a filter accepts. */
    public CrawlPages filtered(PageFilter wanted) {
        return new CrawlPages(directories, tombstones, wanted);
    }

    /** Whether this is all of one crawl, so that no capture is without those it refers to. */
    public boolean isWholeCrawl() {
        return directories.size() == 1
                && !directories.getFirst().isFleetPart()
                && filter.equals(PageFilter.ALL)
                && tombstones.equals(Tombstones.NONE);
    }

    /** The crawls. */
    public List<CrawlArchive> directories() {
        return directories;
    }

    /** Is shown lines that are wanted and lines that are not. */
    public interface LineVisitor {
        /** One line. */
        void visit(StoredPage page, boolean wanted) throws IOException;
    }

    /** Shows every line: pages, redirects, errors and the rest. */
    public void forEachLine(PageVisitor visitor) throws IOException {
        forEachLineUnfiltered(
                (page, wanted) -> {
                    if (wanted) {
                        visitor.visit(page);
                    }
                });
    }

    /** Shows the lines that are not wanted too, for whoever must know what lies between. */
    public void forEachLineUnfiltered(LineVisitor visitor) throws IOException {
        if (directories.size() == 1 && !directories.getFirst().isFleetPart()) {
            directories.getFirst().forEachLine(0, page -> visitor.visit(page, isWanted(page)));
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
                                    var isNew = seen.add(outcomeClass(page) + " " + page.url());
                                    visitor.visit(page, isNew && isWanted(page));
                                });
            }
        }
    }

    /**
     * What a line settles. A URL has one end, though two workers may have come to different ones;
     * what failed may have been taken up again, and then the later end is another matter.
     */
    private static String outcomeClass(StoredPage page) {
        return switch (page.kind()) {
            case PAGE, SITEMAP, REDIRECT, ERROR, WITHDRAWN -> "end";
            case FAILED, RETRIED, ROBOTS -> page.kind().name();
        };
    }

    /** Shows what was stored with a 2xx answer. */
    public void forEachPage(PageVisitor visitor) throws IOException {
        forEachLine(
                page -> {
                    if (page.isPage()) {
                        visitor.visit(page);
                    }
                });
    }

    private boolean isWanted(StoredPage page) {
        return filter.accepts(page) && !tombstones.covers(page.url());
    }

    /** The crawl that a line belongs to. */
    public CrawlArchive directoryOf(StoredPage page) {
        return directories.get(page.crawl());
    }

    /** Work on the content of one page. */
    public interface ContentTask<T> {
        /** Does it. */
        T run(StoredResponse storedResponse) throws IOException;
    }

    /**
     * Works on the content of a page, on the pool that documents are parsed on. Pages are written
     * by strangers: one whose content makes the work fail is noted and yields nothing, and the rest
     * of the export goes on. What the disk does not give is an error as everywhere.
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

    /** The pages whose content was left out. */
    public SkippedPages skippedPages() {
        return skippedPages;
    }

    /** What was answered. */
    public StoredResponse response(StoredPage page) throws IOException {
        return directoryOf(page).response(page);
    }
}
