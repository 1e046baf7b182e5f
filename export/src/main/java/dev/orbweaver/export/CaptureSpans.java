package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Finds the bytes of each capture in the WARC files. Its records are together, the response first,
 * and end where the next capture in the same file begins or the committed part ends. What is before
 * the first capture describes the file.
 */
final class CaptureSpans {

    private final CrawlPages pages;
    private final Visitor visitor;
    private @Nullable StoredPage pending;
    private String file = "";
    private int crawl = -1;
    private long begin;

    interface Visitor {
        /**
         * Visits a capture that is wanted.
         *
         * @param begin where the records of the file's first capture begin
         * @param end where the records of this one end
         */
        void visit(StoredPage page, long begin, long end) throws IOException;
    }

    private CaptureSpans(CrawlPages pages, Visitor visitor) {
        this.pages = pages;
        this.visitor = visitor;
    }

    static void forEach(CrawlPages pages, Visitor visitor) throws IOException {
        var captureSpans = new CaptureSpans(pages, visitor);
        pages.forEachLineUnfiltered(captureSpans::onLine);
        captureSpans.endFile();
    }

    private void onLine(StoredPage page, boolean wanted) throws IOException {
        if (!page.isStored()) {
            return;
        }
        if (page.crawl() != crawl || !page.warc().equals(file)) {
            endFile();
            crawl = page.crawl();
            file = page.warc();
            begin = page.offset();
        } else {
            emitPending(page.offset());
        }
        pending = wanted ? page : null;
    }

    private void endFile() throws IOException {
        var last = pending;
        if (last != null) {
            emitPending(pages.directoryOf(last).committedLength(last.warc()));
        }
    }

    private void emitPending(long end) throws IOException {
        var page = pending;
        pending = null;
        if (page != null) {
            visitor.visit(page, begin, end);
        }
    }
}
