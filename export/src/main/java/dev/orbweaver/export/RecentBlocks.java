package dev.orbweaver.export;

import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.spi.Document;

/**
 * The repeated blocks of the last pages of a site, in two groups of at most {@value #PAGES_MAX}
 * pages. When the second group is complete it replaces the first one.
 */
final class RecentBlocks {

    /** Enough pages to tell whether a block is on most of them. */
    private static final int PAGES_MAX = 24;

    private RepeatedBlocks complete = new RepeatedBlocks();
    private RepeatedBlocks recent = new RepeatedBlocks();

    /** Counts the blocks of a page. */
    void add(Document document) {
        if (complete.pages() < PAGES_MAX) {
            complete.addPage(document);
            return;
        }
        recent.addPage(document);
        if (recent.pages() == PAGES_MAX) {
            complete = recent;
            recent = new RepeatedBlocks();
        }
    }

    RepeatedBlocks complete() {
        return complete;
    }

    /** Returns the blocks of the latest pages, which a new theme may have in common. */
    RepeatedBlocks recent() {
        return recent;
    }
}
