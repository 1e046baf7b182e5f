package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Finds the byte range of each capture in the WARC files. The records of a capture are contiguous,
 * the response first, and end at the next capture of the file or at the committed length. The bytes
 * before the first capture are the warcinfo record.
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
         * Visits a selected capture.
         *
         * @param begin the start of the records of the file's first capture
         * @param end the end of the records of this capture
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
