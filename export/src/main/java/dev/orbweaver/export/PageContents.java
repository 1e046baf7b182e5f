package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.FeedParser;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.parse.PageMetadata;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Document;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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

    /**
     * A response.
     *
     * @param document its body with content codings removed
     * @param truncated whether the end of the document is missing
     */
    public record PageContent(ResponseHead head, Document document, boolean truncated) {

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
        return Optional.of(
                new PageContent(
                        storedResponse.head(),
                        storedResponse.document(),
                        storedResponse.truncated()));
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

    /** Returns the content of an HTML page as one text. */
    public String content(PageContent pageContent, ContentKind kind) throws IOException {
        return runOnParsePool(pageContent, kind::of);
    }

    /**
     * Returns a line of the page log with the metadata and links of its page, as JSON.
     *
     * @param redirects the lines of the redirects that led to it, in order
     */
    public String json(PageLogEntry entry, PageContent pageContent, List<PageLogEntry> redirects)
            throws IOException {
        var line = PageRows.json(new StoredPage(0, entry));
        // The crawl is not kept, so the page's place in it means nothing.
        line.remove(
                List.of("depth", "parent", "links", "warc", "offset", "length", "seq", "fields"));
        var hops = line.putArray("redirects");
        for (var redirect : redirects) {
            hops.addObject()
                    .put("url", redirect.url())
                    .put("status", redirect.status())
                    .put("location", redirect.location());
        }
        line.put("truncated", pageContent.truncated());
        if (isHtml(entry)) {
            var metadata =
                    runOnParsePool(
                            pageContent, document -> PageMetadata.of(document, crawl.urls()));
            addMetadata(line, metadata);
            var links = line.putArray("links");
            var texts = texts(metadata);
            for (var link : links(pageContent)) {
                var url = link.url().toString();
                links.addObject()
                        .put("url", url)
                        .put("kind", link.kind().name().toLowerCase(Locale.ROOT))
                        .put("nofollow", link.nofollow())
                        .put("text", texts.getOrDefault(url, ""));
            }
        }
        return line.toPrettyString() + "\n";
    }

    private static void addMetadata(ObjectNode line, PageMetadata metadata) {
        line.put("description", metadata.description());
        line.put("language", metadata.language());
        line.put("canonical", metadata.canonical().orElse(""));
        line.putPOJO("alternates", metadata.alternates());
        line.putPOJO("openGraph", metadata.openGraph());
        line.putPOJO("twitterCard", metadata.twitterCard());
        var blocks = line.putArray("jsonLd");
        metadata.jsonLd().forEach(block -> blocks.add(JsonMapper.shared().readTree(block)));
    }

    /** Parses on a separate pool: a large page would block the carrier of a virtual thread. */
    private static <T> T runOnParsePool(PageContent pageContent, Function<Document, T> work)
            throws IOException {
        var document = pageContent.document();
        return ParsePool.shared().run(document.url()::text, () -> work.apply(document));
    }

    /** Returns the factory of the crawl's URLs. */
    public CrawlUrls urls() {
        return crawl.urls();
    }

    /** Returns the URL to which the response of a line redirects. */
    public Optional<CrawlUrl> redirectTarget(PageLogEntry entry) {
        return entry.kind() == Kind.REDIRECT
                ? crawl.urls()
                        .parse(entry.url())
                        .flatMap(from -> crawl.urls().resolve(from, entry.location()))
                : Optional.empty();
    }

    /** Whether the response of a line may have links: a page, a feed or a sitemap. */
    public static boolean mayHaveLinks(PageLogEntry entry) {
        return isHtml(entry) || entry.kind() == Kind.SITEMAP || isFeed(entry);
    }

    private static boolean isFeed(PageLogEntry entry) {
        return entry.kind() == Kind.PAGE && FeedParser.acceptsType(entry.mediaType());
    }

    /** Returns the links of a page or feed, or what a sitemap lists; others have none. */
    public List<Link> links(PageLogEntry entry, PageContent pageContent) throws IOException {
        if (isHtml(entry)) {
            return links(pageContent);
        }
        if (entry.kind() == Kind.SITEMAP) {
            return runOnParsePool(pageContent, this::sitemapLinks);
        }
        return isFeed(entry)
                ? runOnParsePool(pageContent, new FeedParser(crawl.urls())::parse).links()
                : List.of();
    }

    private List<Link> sitemapLinks(Document document) {
        var sitemap =
                SitemapParser.parse(
                        document.bytes(),
                        document.length(),
                        document.contentType(),
                        document.url().text());
        var links = new ArrayList<Link>();
        for (var text : sitemap.sitemaps()) {
            crawl.urls()
                    .parse(text)
                    .ifPresent(url -> links.add(new Link(url, LinkKind.SITEMAP, false)));
        }
        for (var each : sitemap.entries()) {
            crawl.urls()
                    .parse(each.url())
                    .ifPresent(url -> links.add(new Link(url, LinkKind.ENTRY, false)));
        }
        return links;
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
        return texts(
                runOnParsePool(pageContent, document -> PageMetadata.of(document, crawl.urls())));
    }

    private static Map<String, String> texts(PageMetadata metadata) {
        var texts = new HashMap<String, String>();
        for (var link : metadata.links()) {
            if (!link.text().isEmpty()) {
                texts.putIfAbsent(link.link().url().toString(), link.text());
            }
        }
        return texts;
    }
}
