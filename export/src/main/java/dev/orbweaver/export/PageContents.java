package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.parse.PageMetadata;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads single responses of a crawl. Blocks that repeat on all pages are not removed, because that
 * requires the whole crawl: the Markdown of an export is cleaner.
 */
public final class PageContents {

    private final CrawlArchive crawl;

    public PageContents(CrawlArchive crawl) {
        this.crawl = crawl;
    }

    /** A response; {@code document} is its body with content codings removed. */
    public record PageContent(ResponseHead head, Document document) {

        public byte[] body() {
            return Arrays.copyOf(document.bytes(), document.length());
        }
    }

    /** Returns the response of a line; empty if none was stored. */
    public Optional<PageContent> load(PageLogEntry entry) throws IOException {
        if (!entry.isStored()) {
            return Optional.empty();
        }
        var storedResponse = crawl.response(new StoredPage(0, entry));
        return Optional.of(new PageContent(storedResponse.head(), storedResponse.document()));
    }

    /** Whether a line is a page with text. */
    public static boolean isHtml(PageLogEntry entry) {
        return new StoredPage(0, entry).isHtml();
    }

    public MarkdownPage markdown(PageLogEntry entry, PageContent pageContent) throws IOException {
        var converter = new MarkdownConverter(new RepeatedBlocks(), false);
        return runOnParsePool(pageContent, document -> converter.convert(document, entry.time()))
                .withFields(entry.fields());
    }

    /** Parses on a separate pool: a large page would block the carrier of a virtual thread. */
    private static <T> T runOnParsePool(PageContent pageContent, Function<Document, T> work)
            throws IOException {
        var document = pageContent.document();
        return ParsePool.shared().run(document.url()::text, () -> work.apply(document));
    }

    /** Returns the distinct links, in the order of their first occurrence. */
    public List<Link> links(PageContent pageContent) throws IOException {
        return runOnParsePool(pageContent, new HtmlParser(crawl.urls())::parse).links();
    }

    /**
     * Returns the first visible text that is not empty, by URL of the link. Links without text, or
     * that are not in the tree of the page, have none.
     */
    public Map<String, String> linkTexts(PageContent pageContent) throws IOException {
        var texts = new HashMap<String, String>();
        var details =
                runOnParsePool(pageContent, document -> PageMetadata.of(document, crawl.urls()));
        for (var link : details.links()) {
            if (!link.text().isEmpty()) {
                texts.putIfAbsent(link.link().url().toString(), link.text());
            }
        }
        return texts;
    }
}
