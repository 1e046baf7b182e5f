package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.StoredResponse;
import dev.orbweaver.model.Capture.Kind;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The columns {@value #NAME} and {@value #TRUNCATED} of an export with the content of pages. */
final class ContentColumn {

    static final String NAME = "content";
    static final String TRUNCATED = "content_truncated";

    private final CrawlPages pages;
    private final ExportSettings.Content settings;
    private long truncated;
    private long notHtml;

    private ContentColumn(CrawlPages pages, ExportSettings.Content settings) {
        this.pages = pages;
        this.settings = settings;
    }

    /** Returns the columns; empty if the export is to have none. */
    static Optional<ContentColumn> of(CrawlPages pages, ExportSettings settings) {
        return settings.content().map(content -> new ContentColumn(pages, content));
    }

    /**
     * The content of one page.
     *
     * @param truncated whether the end is missing: it is over the limit, or the crawl did not store
     *     it
     */
    record Cell(String text, boolean truncated) {}

    /** Returns the content of a row; empty for rows that are not stored HTML pages. */
    Optional<Cell> read(StoredPage page) throws IOException {
        if (!page.isHtml()) {
            notHtml += page.kind() == Kind.PAGE ? 1 : 0;
            return Optional.empty();
        }
        var cell = pages.process(page, this::convert);
        truncated += cell.filter(Cell::truncated).isPresent() ? 1 : 0;
        return cell;
    }

    private Cell convert(StoredResponse response) {
        var text = settings.kind().of(response.document());
        var end = utf8End(text, settings.bytesMax());
        return new Cell(text.substring(0, end), response.truncated() || end < text.length());
    }

    /** Returns where a text is to be cut so that it has at most a number of bytes in UTF-8. */
    private static int utf8End(String text, int bytesMax) {
        if (text.length() <= bytesMax / 3) {
            return text.length();
        }
        var bytes = 0;
        for (var at = 0; at < text.length(); ) {
            var c = text.codePointAt(at);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > bytesMax) {
                return at;
            }
            at += Character.charCount(c);
        }
        return text.length();
    }

    List<String> notes() {
        var notes = new ArrayList<String>();
        if (notHtml > 0) {
            notes.add("%s without content: not HTML".formatted(count(notHtml)));
        }
        if (truncated > 0) {
            notes.add(
                    "%s with content that is cut (%s is true; --max-content sets the limit)"
                            .formatted(count(truncated), TRUNCATED));
        }
        return notes;
    }

    private static String count(long pages) {
        return pages == 1 ? "1 page is" : "%,d pages are".formatted(pages);
    }
}
