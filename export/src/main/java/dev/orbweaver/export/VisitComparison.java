package dev.orbweaver.export;

import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.MainTextComparison;
import dev.orbweaver.internal.archive.StoredPage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Compares visits one at a time, as they are recorded.
 *
 * <p>{@link CrawlDiff} reads a whole crawl to find the text that repeats on a site. Here only the
 * pages that are compared are known, so these are counted: if the theme of a site changes, its text
 * repeats on the pages whose texts differ. The first three of them still count as different.
 *
 * <p>Memory is bounded: a few sites, and for each of them the blocks of a limited number of pages,
 * whose counts are replaced by those of later pages, so that a new theme is learned. Not
 * thread-safe.
 */
public final class VisitComparison implements MainTextComparison {

    private static final int SITES_MAX = 32;

    private final CrawlPages pages;
    private final SequencedMap<String, Site> sites = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param pages of the crawl that the visits belong to
     */
    public VisitComparison(CrawlPages pages) {
        this.pages = pages;
    }

    /** The repeated blocks of one site, before and after the changes. */
    private record Site(RecentBlocks before, RecentBlocks after) {}

    @Override
    public Result compare(StoredPage before, StoredPage after) throws IOException {
        if (!before.isHtml() || !after.isHtml()) {
            return Result.DIFFERENT_TEXT;
        }
        var result = compare(before, after, new RepeatedBlocks(), new RepeatedBlocks());
        if (result != Result.DIFFERENT_TEXT) {
            return result;
        }
        var site = site(after.authority());
        count(before, site.before);
        count(after, site.after);
        result = compare(before, after, site.before.complete(), site.after.complete());
        return result == Result.DIFFERENT_TEXT
                ? compare(before, after, site.before.recent(), site.after.recent())
                : result;
    }

    private Result compare(
            StoredPage before,
            StoredPage after,
            RepeatedBlocks beforeBlocks,
            RepeatedBlocks afterBlocks)
            throws IOException {
        var old = lines(before, beforeBlocks);
        var young = lines(after, afterBlocks);
        if (old.isEmpty() || young.isEmpty()) {
            return Result.UNREADABLE;
        }
        return old.equals(young) ? Result.SAME_TEXT : Result.DIFFERENT_TEXT;
    }

    private Optional<List<String>> lines(StoredPage page, RepeatedBlocks memory)
            throws IOException {
        return pages.process(page, stored -> PageLines.of(stored.document(), memory, page));
    }

    private void count(StoredPage page, RecentBlocks blocks) throws IOException {
        var _ =
                pages.process(
                        page,
                        stored -> {
                            blocks.add(stored.document());
                            return true;
                        });
    }

    private Site site(String authority) {
        var site =
                sites.computeIfAbsent(
                        authority, _ -> new Site(new RecentBlocks(), new RecentBlocks()));
        if (sites.size() > SITES_MAX) {
            var _ = sites.pollFirstEntry();
        }
        return site;
    }
}
