package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.StoredPage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Finds the bytes of each capture in the WARC files. A capture's records lie together, its response
 * first, and the next capture of the log that is in the same file begins where they end; behind the
 * last one the committed part of the file does. What lies before the first is the file's own
 * description.
 */
final class Spans {

    private final CrawlPages pages;
    private final Visitor visitor;
    private @Nullable StoredPage waiting;
    private String file = "";
    private int crawl = -1;
    private long begin;

    /** Is shown captures. */
    interface Visitor {
        /**
         * A capture that is wanted.
         *
         * @param begin where the records of the file's first capture lie
         * @param end where the records of this one do not lie any more
         */
        void visit(StoredPage page, long begin, long end) throws IOException;
    }

    private Spans(CrawlPages pages, Visitor visitor) {
        this.pages = pages;
        this.visitor = visitor;
    }

    static void each(CrawlPages pages, Visitor visitor) throws IOException {
        var spans = new Spans(pages, visitor);
        pages.everyLine(spans::line);
        spans.endFile();
    }

    private void line(StoredPage page, boolean wanted) throws IOException {
        if (!page.isStored()) {
            return;
        }
        if (page.crawl() != crawl || !page.warc().equals(file)) {
            endFile();
            crawl = page.crawl();
            file = page.warc();
            begin = page.offset();
        } else {
            show(page.offset());
        }
        waiting = wanted ? page : null;
    }

    private void endFile() throws IOException {
        var last = waiting;
        if (last != null) {
            show(pages.folderOf(last).committed(last.warc()));
        }
    }

    private void show(long end) throws IOException {
        var page = waiting;
        waiting = null;
        if (page != null) {
            visitor.visit(page, begin, end);
        }
    }
}
