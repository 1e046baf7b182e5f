package dev.orbweaver.archive;

import dev.orbweaver.parse.ParsePool;

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

    private final List<CrawlFolder> folders;
    private final Tombstones tombstones;
    private final PageFilter filter;
    private final UnreadPages unread = new UnreadPages();

    /** Everything that these crawls hold, but for what is covered. */
    public CrawlPages(List<CrawlFolder> folders, Tombstones tombstones) {
        this(folders, tombstones, PageFilter.ALL);
    }

    private CrawlPages(List<CrawlFolder> folders, Tombstones tombstones, PageFilter filter) {
        if (folders.isEmpty()) {
            throw new IllegalArgumentException("no crawl to read");
        }
        this.folders = List.copyOf(folders);
        this.tombstones = tombstones;
        this.filter = filter;
    }

    /** The same, only what a filter accepts. */
    public CrawlPages only(PageFilter wanted) {
        return new CrawlPages(folders, tombstones, wanted);
    }

    /** Whether this is all of one crawl, so that no capture is without those it refers to. */
    public boolean whole() {
        return folders.size() == 1
                && !folders.getFirst().ofFleet()
                && filter.equals(PageFilter.ALL)
                && tombstones.equals(Tombstones.NONE);
    }

    /** The crawls. */
    public List<CrawlFolder> folders() {
        return folders;
    }

    /** Is shown lines that are wanted and lines that are not. */
    public interface LineVisitor {
        /** One line. */
        void visit(StoredPage page, boolean wanted) throws IOException;
    }

    /** Shows every line: pages, redirects, errors and the rest. */
    public void eachLine(PageVisitor visitor) throws IOException {
        everyLine(
                (page, wanted) -> {
                    if (wanted) {
                        visitor.visit(page);
                    }
                });
    }

    /** Shows the lines that are not wanted too, for whoever must know what lies between. */
    public void everyLine(LineVisitor visitor) throws IOException {
        if (folders.size() == 1 && !folders.getFirst().ofFleet()) {
            folders.getFirst().each(0, page -> visitor.visit(page, isWanted(page)));
            return;
        }
        var bytes = 0L;
        for (var folder : folders) {
            bytes += folder.logBytes();
        }
        try (var seen = SeenUrls.forLogOf(bytes)) {
            for (var crawl = 0; crawl < folders.size(); crawl++) {
                folders.get(crawl)
                        .each(
                                crawl,
                                page -> {
                                    var isNew = seen.add(matter(page) + " " + page.url());
                                    visitor.visit(page, isNew && isWanted(page));
                                });
            }
        }
    }

    /**
     * What a line settles. A URL has one end, though two workers may have come to different ones;
     * what failed may have been taken up again, and then the later end is another matter.
     */
    private static String matter(StoredPage page) {
        return switch (page.kind()) {
            case PAGE, SITEMAP, REDIRECT, ERROR, WITHDRAWN -> "end";
            case FAILED, RETRIED, ROBOTS -> page.kind().name();
        };
    }

    /** Shows what was stored with a 2xx answer. */
    public void eachPage(PageVisitor visitor) throws IOException {
        eachLine(
                page -> {
                    if (page.isPage()) {
                        visitor.visit(page);
                    }
                });
    }

    private boolean isWanted(StoredPage page) {
        return filter.accepts(page) && !tombstones.cover(page.url());
    }

    /** The crawl that a line belongs to. */
    public CrawlFolder folderOf(StoredPage page) {
        return folders.get(page.crawl());
    }

    /** Work on the content of one page. */
    public interface ContentWork<T> {
        /** Does it. */
        T on(Answer answer) throws IOException;
    }

    /**
     * Works on the content of a page, on the pool that documents are parsed on. Pages are written
     * by strangers: one whose content makes the work fail is noted and yields nothing, and the rest
     * of the export goes on. What the disk does not give is an error as everywhere.
     */
    public <T> Optional<T> work(StoredPage page, ContentWork<T> work) throws IOException {
        var answer = answer(page);
        try {
            return Optional.of(ParsePool.shared().run(page::url, () -> work.on(answer)));
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            unread.add(page, e);
            return Optional.empty();
        }
    }

    /** The pages whose content was left out. */
    public UnreadPages unread() {
        return unread;
    }

    /** What was answered. */
    public Answer answer(StoredPage page) throws IOException {
        return folderOf(page).answer(page);
    }
}
