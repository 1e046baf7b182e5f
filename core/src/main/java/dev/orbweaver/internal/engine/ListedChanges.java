package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.parse.FeedParser;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/**
 * The dates of changes in the stored sitemaps and feeds of a crawl.
 *
 * <p>Dates before the crawl's first visit are left out, because no visit is older. So memory grows
 * with the number of pages that have changed since then, and of those that a site says have.
 */
public final class ListedChanges {

    private static final Duration DAY = Duration.ofDays(1);

    private final CrawlUrls urls;
    private final Map<Fingerprint, Instant> dates = new HashMap<>();
    private Instant firstVisit = Instant.MAX;

    private ListedChanges(CrawlUrls urls) {
        this.urls = urls;
    }

    /**
     * Reads the last stored version of each sitemap and feed.
     *
     * @param pages of one crawl directory
     */
    public static ListedChanges read(CrawlPages pages) throws IOException {
        var archive = pages.directories().getFirst();
        var changes = new ListedChanges(archive.urls());
        var history = VisitHistory.read(archive, Instant.MAX);
        pages.forEachLine(
                page -> {
                    if (page.time().isBefore(changes.firstVisit)) {
                        changes.firstVisit = page.time();
                    }
                    if (page.isStored() && isList(page.entry()) && history.isLast(page.entry())) {
                        changes.add(archive, page);
                    }
                });
        return changes;
    }

    /** Returns whether a line is the visit of a sitemap or of a document that may be a feed. */
    public static boolean isList(PageLogEntry entry) {
        return entry.kind() == Kind.SITEMAP
                || (entry.kind() == Kind.PAGE && FeedParser.acceptsType(entry.mediaType()));
    }

    private void add(CrawlArchive archive, StoredPage page) throws IOException {
        var document = archive.response(page).document();
        var list =
                SitemapParser.parse(
                        document.bytes(), document.length(), page.mediaType(), page.url());
        for (var entry : list.entries()) {
            entry.lastModified()
                    .map(ListedChanges::latest)
                    .filter(date -> date.isAfter(firstVisit))
                    .ifPresent(
                            date ->
                                    urls.parse(entry.url())
                                            .ifPresent(
                                                    url ->
                                                            dates.merge(
                                                                    url.key(),
                                                                    date,
                                                                    ListedChanges::later)));
        }
    }

    /** Returns the end of the day for a date without a time. */
    private static Instant latest(Instant date) {
        return date.equals(date.truncatedTo(ChronoUnit.DAYS)) ? date.plus(DAY) : date;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** Returns whether a page has changed since a visit, as far as sitemaps and feeds say so. */
    public boolean isNewerThan(PageLogEntry visit) {
        return urls.parse(visit.url())
                .map(url -> dates.getOrDefault(url.key(), Instant.MIN).isAfter(visit.time()))
                .orElse(false);
    }
}
