package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.parse.ParsePool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * The pages of one or several crawls in constant memory. Of several crawls the first that has a URL
 * wins, of a fleet's workers the first capture (ADR 12); tombstones are obeyed.
 */
public final class CrawlPages {

    private final List<CrawlArchive> directories;
    private final Tombstones tombstones;
    private final PageFilter filter;
    private final SkippedPages skippedPages = new SkippedPages();

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

    public List<CrawlArchive> directories() {
        return directories;
    }

    /** Is shown lines that are wanted and lines that are not. */
    public interface LineVisitor {
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

    /** Shows also the lines that are not wanted. */
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

    public CrawlArchive directoryOf(StoredPage page) {
        return directories.get(page.crawl());
    }

    public interface ContentTask<T> {
        T run(StoredResponse storedResponse) throws IOException;
    }

    /**
     * Works on the content of a page, on the parser pool. If the work fails because of the content,
     * the page is noted and yields nothing; errors of the disk are thrown.
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
