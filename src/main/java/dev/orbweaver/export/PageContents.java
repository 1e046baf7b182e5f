package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlFolder;
import dev.orbweaver.archive.StoredPage;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.parse.Document;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.parse.PageDetails;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.parse.markdown.MarkdownConverter;
import dev.orbweaver.parse.markdown.MarkdownPage;
import dev.orbweaver.parse.markdown.SiteMemory;
import dev.orbweaver.sink.PageEntry;

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

    private final CrawlFolder crawl;

    /** Of the crawl in a folder. */
    public PageContents(CrawlFolder crawl) {
        this.crawl = crawl;
    }

    /**
     * One answer.
     *
     * @param document its body without what it was wrapped in for the way
     */
    public record Contents(ResponseHead head, Document document) {

        /** The body. */
        public byte[] body() {
            return Arrays.copyOf(document.bytes(), document.length());
        }
    }

    /** The answer that a line tells of; nothing where none was stored. */
    public Optional<Contents> of(PageEntry entry) throws IOException {
        if (!entry.isStored()) {
            return Optional.empty();
        }
        var answer = crawl.answer(new StoredPage(0, entry));
        return Optional.of(new Contents(answer.head(), answer.document()));
    }

    /** Whether a line tells of a page that has text. */
    public static boolean isHtml(PageEntry entry) {
        return new StoredPage(0, entry).isHtml();
    }

    /** A page as Markdown. */
    public MarkdownPage markdown(PageEntry entry, Contents contents) throws IOException {
        var converter = new MarkdownConverter(new SiteMemory(), false);
        return onPool(contents, document -> converter.convert(document, entry.time()));
    }

    /** Callers may be on virtual threads, which the parsing of a large page would hold up. */
    private static <T> T onPool(Contents contents, Function<Document, T> work) throws IOException {
        var document = contents.document();
        return ParsePool.shared().run(document.url()::text, () -> work.apply(document));
    }

    /** The links of a page, each once in the order of their first place. */
    public List<Link> links(Contents contents) throws IOException {
        return onPool(contents, new HtmlParser(crawl.urls())::parse).links();
    }

    /**
     * What readers see of its links, by the URL they point at; of several to one place the first
     * that says anything. Links that show nothing, or that no tree of the page has, have no text.
     */
    public Map<String, String> linkTexts(Contents contents) throws IOException {
        var texts = new HashMap<String, String>();
        var details = onPool(contents, document -> PageDetails.of(document, crawl.urls()));
        for (var link : details.links()) {
            if (!link.text().isEmpty()) {
                texts.putIfAbsent(link.link().url().toString(), link.text());
            }
        }
        return texts;
    }
}
