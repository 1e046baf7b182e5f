package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.ContentReader.Content;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.robots.RobotsTag;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.robots.UsagePreference;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Extraction;
import dev.orbweaver.spi.Parser;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Parses responses into pages. Parsing needs CPU and memory, so it runs on the few threads of a
 * {@link ParsePool}, however many requests are in flight.
 */
public final class PageParser {

    private static final String STYLE_SHEET = "text/css";

    /**
     * Documents up to this size are parsed by the thread that fetched them. Their size bounds the
     * work to a few milliseconds, and passing one to the pool costs as much as parsing ten
     * kilobytes.
     */
    private static final int SMALL_BYTES_MAX = 64 << 10;

    /**
     * The limit for a body that is still compressed and is unlikely to exceed {@link
     * #SMALL_BYTES_MAX}.
     */
    private static final int SMALL_ENCODED_BYTES_MAX = 10 << 10;

    /** Maximum total characters of the links of a page. */
    private static final long PAGE_CHARS_MAX = 8L << 20;

    /**
     * Characters that even an empty document may copy from its base URL; each byte may add more.
     */
    private static final long CHARS_PER_DOCUMENT = 2L << 20;

    private static final long CHARS_PER_BYTE = 64;

    /** Maximum total characters of the links of a sitemap: 600 for each of 50,000. */
    private static final int SITEMAP_CHARS_MAX = 30 << 20;

    private final List<Parser> parsers;
    private final CrawlUrls urls;
    private final ContentReader.Limits contentLimits;
    private final String productToken;
    private final Semaphore sitemapPermit = new Semaphore(1);
    private final ParsePool pool;
    private final PageExtractor extractor;
    private final AtomicInteger queuedTasks = new AtomicInteger();

    PageParser(List<Parser> parsers, CrawlUrls urls, ContentReader.Limits contentMax) {
        this(parsers, urls, contentMax, "orbweaver", ParsePool.INLINE, PageExtractor.NONE);
    }

    public PageParser(
            List<Parser> parsers,
            CrawlUrls urls,
            ContentReader.Limits contentMax,
            String productToken,
            ParsePool pool,
            PageExtractor extractor) {
        this.extractor = extractor;
        this.pool = pool;
        this.productToken = productToken;
        this.parsers = List.copyOf(parsers);
        this.urls = urls;
        this.contentLimits = contentMax;
    }

    /** Runs a task for the document of a URL when a thread of the pool is free. */
    public <T> T runOnPool(CrawlUrl url, ParsePool.ParseTask<T> parseTask) throws IOException {
        queuedTasks.incrementAndGet();
        return pool.run(
                url::text,
                () -> {
                    queuedTasks.decrementAndGet();
                    return parseTask.run();
                });
    }

    /** Blocks until memory is available for the links of a document. */
    interface Reservation {
        void await() throws IOException;
    }

    /** Processes a parsed page. */
    interface PageFunction<T> {
        T apply(Page page) throws IOException;
    }

    /**
     * Parses a document and processes the page, on the pool unless the document is small.
     * Classifying its links and compressing its body work on the same document, and each use of the
     * pool costs a thread switch, so all of it runs on the thread that parsed.
     */
    <T> T parse(Exchange exchange, Hop hop, Reservation memory, PageFunction<T> work)
            throws IOException {
        if (hop == Hop.SITEMAP) {
            return withSitemapPermit(exchange, memory, () -> work.apply(parsePage(exchange, hop)));
        }
        memory.await();
        if (!isSmall(exchange)) {
            return runOnPool(exchange.url(), () -> work.apply(parsePage(exchange, hop)));
        }
        // Reading one byte more than the limit shows that it is not small; what waits for the pool
        // stays encoded.
        var content =
                ContentReader.read(
                        exchange, limitedTo(Math.min(contentLimits.bytes(), SMALL_BYTES_MAX + 1)));
        return content.length() <= SMALL_BYTES_MAX
                ? work.apply(parsePage(exchange, hop, content))
                : runOnPool(exchange.url(), () -> work.apply(parsePage(exchange, hop)));
    }

    /** Runs a task that needs the body of an exchange, on the pool unless the body is small. */
    <T> T runWithBody(Exchange exchange, ParsePool.ParseTask<T> parseTask) throws IOException {
        return isSmall(exchange) ? parseTask.run() : runOnPool(exchange.url(), parseTask);
    }

    /**
     * Returns the maximum total characters of a document's links before it is decoded; 0 if no
     * parser accepts it and no extractor can add some. A small document is also bounded by its size
     * (see {@code LinkSet}).
     */
    long linkCharsMax(Exchange exchange, Hop hop) {
        if (hop == Hop.SITEMAP) {
            return SITEMAP_CHARS_MAX;
        }
        return parserCharsMax(exchange)
                + (extractor.isEmpty() ? 0 : Extraction.ADDED_LINK_CHARS_MAX);
    }

    private long parserCharsMax(Exchange exchange) {
        var mediaType = exchange.head().mediaType();
        if (parsers.stream().noneMatch(parser -> parser.accepts(mediaType))) {
            return 0;
        }
        var encoded = exchange.head().field("content-encoding").isPresent();
        var chars = CHARS_PER_DOCUMENT + CHARS_PER_BYTE * exchange.body().length();
        return encoded ? PAGE_CHARS_MAX : Math.min(PAGE_CHARS_MAX, chars);
    }

    private static boolean isSmall(Exchange exchange) {
        var encoded = exchange.head().field("content-encoding").isPresent();
        return exchange.body().length() <= (encoded ? SMALL_ENCODED_BYTES_MAX : SMALL_BYTES_MAX);
    }

    /**
     * Runs a task for a document with this hop. A sitemap can have fifty megabytes, so only one is
     * parsed at a time; the caller waits for the permit before it occupies a thread of the pool.
     */
    public <T> T runOnPool(CrawlUrl url, Hop hop, ParsePool.ParseTask<T> parseTask)
            throws IOException {
        if (hop != Hop.SITEMAP) {
            return runOnPool(url, parseTask);
        }
        sitemapPermit.acquireUninterruptibly();
        try {
            return runOnPool(url, parseTask);
        } finally {
            sitemapPermit.release();
        }
    }

    /** Reserves memory only after the permit, so waiting sitemaps reserve none. */
    private <T> T withSitemapPermit(
            Exchange exchange, Reservation memory, ParsePool.ParseTask<T> parseTask)
            throws IOException {
        sitemapPermit.acquireUninterruptibly();
        try {
            memory.await();
            return runOnPool(exchange.url(), parseTask);
        } finally {
            sitemapPermit.release();
        }
    }

    /** Returns how many tasks wait for a thread. */
    int queuedTasks() {
        return queuedTasks.get();
    }

    Content readRobots(Exchange exchange) throws IOException {
        return ContentReader.read(exchange, limitedTo(RobotsRules.BYTES_MAX));
    }

    private ContentReader.Limits limitedTo(int bytes) {
        return new ContentReader.Limits(bytes, contentLimits.ratio());
    }

    /** Parses a document, or a sitemap, whose header directives are ignored. */
    public Page parsePage(Exchange exchange, Hop hop) throws IOException {
        return hop == Hop.SITEMAP
                ? parseSitemap(exchange)
                : withHeaderDirectives(exchange, parseContent(exchange, hop, Optional.empty()));
    }

    private Page parsePage(Exchange exchange, Hop hop, Content content) throws IOException {
        return withHeaderDirectives(exchange, parseContent(exchange, hop, Optional.of(content)));
    }

    /** Merges directives of the response head with those of the document. */
    private Page withHeaderDirectives(Exchange exchange, Page page) {
        var head = exchange.head();
        var ended = exchange.timings().ended();
        var directives = EnumSet.noneOf(Directive.class);
        directives.addAll(RobotsTag.fromHeader(head.fields("x-robots-tag"), productToken, ended));
        directives.addAll(UsagePreference.denied(head.fields("content-usage")));
        directives.addAll(UsagePreference.denied(head.fields("content-signal")));
        if (!page.directives().isEmpty()) {
            directives.addAll(RobotsTag.fromMeta(page.directives(), ended));
        }
        return directives.isEmpty() && page.directives().isEmpty()
                ? page
                : page.withDirectives(
                        page.nofollow() || directives.contains(Directive.NOFOLLOW),
                        page.noindex() || directives.contains(Directive.NOINDEX),
                        Directive.text(directives));
    }

    private Page parseContent(Exchange exchange, Hop hop, Optional<Content> read)
            throws IOException {
        var mediaType = exchange.head().mediaType();
        if (hop == Hop.EMBED && !mediaType.equals(STYLE_SHEET)) {
            return Page.EMPTY; // Links of embedded documents are not followed.
        }
        var parser = parsers.stream().filter(each -> each.accepts(mediaType)).findFirst();
        if (parser.isEmpty() && extractor.isEmpty()) {
            return Page.EMPTY;
        }
        var content = read.isPresent() ? read.get() : ContentReader.read(exchange, contentLimits);
        var document = document(exchange, content);
        var page = parser.isEmpty() ? Page.EMPTY : parser.get().parse(document);
        return markTruncated(
                extractor.isEmpty() ? page : extractor.extract(page, document, exchange, urls),
                content);
    }

    /** Marks a page whose content could not be decoded completely. */
    private static Page markTruncated(Page page, Content content) {
        return content.damaged() && page.truncated().isEmpty()
                ? page.withTruncation("its content encoding could not be decoded completely")
                : page;
    }

    private static Document document(Exchange exchange, Content content) {
        return new Document(
                exchange.url(),
                exchange.head().field("content-type").orElse(""),
                exchange.head().fields("link"),
                content.bytes(),
                content.length());
    }

    private Page parseSitemap(Exchange exchange) throws IOException {
        var content = ContentReader.read(exchange, limitedTo(SitemapParser.BYTES_MAX));
        var type = exchange.head().field("content-type").orElse("");
        var sitemap =
                SitemapParser.parse(content.bytes(), content.length(), type, exchange.url().text());
        var listed = sitemap.sitemaps().size() + sitemap.entries().size();
        var links = new ArrayList<Link>(listed);
        var received = exchange.timings().ended();
        var chars = 0;
        for (var text : sitemap.sitemaps()) {
            chars += addLink(text, LinkKind.SITEMAP, 0, links, chars);
        }
        for (var entry : sitemap.entries()) {
            chars += addLink(entry.url(), LinkKind.ENTRY, entry.points(received), links, chars);
        }
        var page = new Page("", "", links, false, false);
        if (chars >= SITEMAP_CHARS_MAX) {
            return page.withTruncation(
                    "links with more than " + SITEMAP_CHARS_MAX + " characters in total");
        }
        return listed >= SitemapParser.ENTRIES_MAX
                ? page.withTruncation("more than " + SitemapParser.ENTRIES_MAX + " entries")
                : markTruncated(page, content);
    }

    /** Adds a link unless their total characters have reached the limit; returns its characters. */
    private int addLink(String text, LinkKind kind, int points, List<Link> links, int charsBefore) {
        var url = charsBefore < SITEMAP_CHARS_MAX ? urls.parse(text) : Optional.<CrawlUrl>empty();
        url.ifPresent(target -> links.add(new Link(target, kind, false, points)));
        return url.map(target -> target.text().length()).orElse(0);
    }
}
