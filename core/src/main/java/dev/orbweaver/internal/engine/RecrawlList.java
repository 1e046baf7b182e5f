package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.LineSet;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * Adds the seed list of URLs that a crawl visits again.
 *
 * <p>A crawl reads the list as any other: in batches, each stored with the position after it. So a
 * URL of the list is queued once, also after a kill. A URL whose last visit is in an earlier list
 * is left out: it is still queued, or that visit had no response.
 */
public final class RecrawlList {

    /**
     * The result.
     *
     * @param listed URLs to visit again
     * @param pending wanted URLs that an earlier list has and that had no response since
     */
    public record Counts(long listed, long pending) {}

    private final CrawlUrls urls;
    private final LineSet earlier = new LineSet();
    private long pending;

    private RecrawlList(CrawlUrls urls) {
        this.urls = urls;
    }

    /**
     * Adds the list to a crawl, running or not, unless it would be empty.
     *
     * @param pages of one crawl directory
     * @param wanted accepts the last visits of the URLs to visit again
     */
    public static Counts add(CrawlPages pages, Predicate<PageLogEntry> wanted)
            throws IOException, InterruptedException {
        var archive = pages.directories().getFirst();
        var list = new RecrawlList(archive.urls());
        list.readEarlier(archive.path());
        var history = VisitHistory.read(archive, Instant.MAX);
        var listed =
                SeedList.addCopyUnlessEmpty(
                        archive.path(),
                        VisitHistory.LIST_LABEL,
                        out ->
                                pages.forEachLine(
                                        page -> {
                                            var entry = page.entry();
                                            if (list.isDone(entry)
                                                    && history.isLast(entry)
                                                    && wanted.test(entry)
                                                    && list.isNew(entry)) {
                                                out.line(
                                                        entry.url(),
                                                        "depth=" + entry.depth(),
                                                        "last-visit=" + lastVisit(entry));
                                            }
                                        }));
        return new Counts(listed, list.pending);
    }

    private void readEarlier(Path crawl) throws IOException {
        for (var list : SeedList.of(crawl)) {
            if (list.isOf(VisitHistory.LIST_LABEL)) {
                try (var lines = new SeedListReader(list.file(), 0)) {
                    while (lines.position() < list.bytes()) {
                        if (SeedLine.parse(lines.next(), urls)
                                instanceof SeedLine.Again(var revisit)) {
                            earlier.add(revisit.last().line());
                        }
                    }
                }
            }
        }
    }

    /** Returns whether a line settled its URL; a redirect to another spelling of it did not. */
    private boolean isDone(PageLogEntry entry) {
        if (!VisitHistory.isResponse(entry)) {
            return false;
        }
        var url = urls.parse(entry.url());
        return url.isPresent()
                && (entry.kind() != Kind.REDIRECT
                        || urls.resolve(url.get(), entry.location())
                                .filter(target -> target.key().equals(url.get().key()))
                                .isEmpty());
    }

    private boolean isNew(PageLogEntry entry) {
        var queued = earlier.contains(entry.seq());
        if (queued) {
            pending++;
        }
        return !queued;
    }

    private static SeedLine.LastVisit lastVisit(PageLogEntry entry) {
        var hop =
                entry.kind() == Kind.SITEMAP
                        ? Hop.SITEMAP
                        : entry.parent() == 0 ? Hop.SEED : Hop.LINK;
        return new SeedLine.LastVisit(
                hop, entry.kind() == Kind.PAGE, CaptureRef.ofLine(entry.seq()));
    }
}
