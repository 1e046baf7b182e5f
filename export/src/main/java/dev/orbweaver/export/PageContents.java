package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.Document;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.parse.PageMetadata;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What was answered to single requests of a crawl, for whoever looks at one page. The words that a
 * theme repeats on all pages are told from a page's own by counting over the whole crawl, which is
 * not done here: an export's Markdown is cleaner.
 */
public final class PageContents {

    private final CrawlArchive crawl;

    /** Of the crawl in a folder. */
    public PageContents(CrawlArchive crawl) {
        this.crawl = crawl;
    }

    /**
     * One answer.
     *
     * @param document its body without what it was wrapped in for the way
     */
    public record PageContent(ResponseHead head, Document document) {

        /** The body. */
        public byte[] body() {
            return Arrays.copyOf(document.bytes(), document.length());
        }
    }

    /** The answer that a line tells of; nothing where none was stored. */
    public Optional<PageContent> load(PageLogEntry entry) throws IOException {
        if (!entry.isStored()) {
            return Optional.empty();
        }
        var storedResponse = crawl.response(new StoredPage(0, entry));
        return Optional.of(new PageContent(storedResponse.head(), storedResponse.document()));
    }

    /** Whether a line tells of a page that has text. */
    public static boolean isHtml(PageLogEntry entry) {
        return new StoredPage(0, entry).isHtml();
    }

    /** A page as Markdown. */
    public MarkdownPage markdown(PageLogEntry entry, PageContent pageContent) throws IOException {
        var converter = new MarkdownConverter(new RepeatedBlocks(), false);
        return runOnParsePool(pageContent, document -> converter.convert(document, entry.time()));
    }

    /** Callers may be on virtual threads, which the parsing of a large page would hold up. */
    private static <T> T runOnParsePool(PageContent pageContent, Function<Document, T> work)
            throws IOException {
        var document = pageContent.document();
        return ParsePool.shared().run(document.url()::text, () -> work.apply(document));
    }

    /** The links of a page, each once in the order of their first place. */
    public List<Link> links(PageContent pageContent) throws IOException {
        return runOnParsePool(pageContent, new HtmlParser(crawl.urls())::parse).links();
    }

    /**
     * What readers see of its links, by the URL they point at; of several to one place the first
     * that says anything. Links that show nothing, or that no tree of the page has, have no text.
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
