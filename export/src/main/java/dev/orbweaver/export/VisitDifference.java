package dev.orbweaver.export;

import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The lines of the main text that differ between two visits of a page, at most 100 removed and 100
 * added ones of at most 500 characters.
 *
 * <p>Only the two visits are read, so text that repeats on other pages of the site is not left out.
 *
 * @param linesOmitted the number of other lines
 * @param unreadable whether the text of one of the visits could not be processed; the log says why
 */
public record VisitDifference(
        List<String> removed, List<String> added, int linesOmitted, boolean unreadable) {

    /**
     * Compares two visits.
     *
     * @param before empty for a new page
     */
    public static VisitDifference of(
            CrawlPages pages, Optional<StoredPage> before, StoredPage after) throws IOException {
        var old = before.isEmpty() ? Optional.of(List.<String>of()) : lines(pages, before.get());
        var young = lines(pages, after);
        if (old.isEmpty() || young.isEmpty()) {
            return new VisitDifference(List.of(), List.of(), 0, true);
        }
        var lines = ChangedLines.of(LineDiff.of(old.get(), young.get()));
        return new VisitDifference(lines.removed(), lines.added(), lines.omitted(), false);
    }

    private static Optional<List<String>> lines(CrawlPages pages, StoredPage page)
            throws IOException {
        return page.isStored()
                ? pages.process(
                        page, stored -> PageLines.of(stored.document(), new RepeatedBlocks(), page))
                : Optional.of(List.of());
    }
}
