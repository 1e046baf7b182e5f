package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.ContentReader.Content;
import dev.orbweaver.internal.parse.Document;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.parse.Parser;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.robots.RobotsTag;
import dev.orbweaver.internal.robots.Sitemap;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.robots.UsagePreference;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * From answers to pages. Reading is work for processors and memory, so it is done by the few
 * threads of a {@link ParsePool} however many requests are under way.
 */
public final class PageParser {

    private static final String STYLE_SHEET = "text/css";

    /**
     * Documents up to this size are read by the thread that fetched them: their work is bounded by
     * their size, to a few milliseconds, and handing one over costs as much as reading ten
     * kilobytes.
     */
    private static final int SMALL_BYTES_MAX = 64 << 10;

    /** The same for a body that is still encoded and will hardly unfold to more. */
    private static final int SMALL_ENCODED_BYTES_MAX = 10 << 10;

    /** How many characters all links of a page have together. */
    private static final long PAGE_CHARS_MAX = 8L << 20;

    /** What even an empty document may copy from its base, and what each of its bytes may add. */
    private static final long CHARS_PER_DOCUMENT = 2L << 20;

    private static final long CHARS_PER_BYTE = 64;

    /** How many characters all links of a sitemap have together: 600 for each of 50,000. */
    private static final int SITEMAP_CHARS_MAX = 30 << 20;

    private final List<Parser> parsers;
    private final CrawlUrls urls;
    private final ContentReader.Limits contentLimits;
    private final String productToken;
    private final Semaphore sitemapPermit = new Semaphore(1);
    private final ParsePool pool;
    private final AtomicInteger queuedTasks = new AtomicInteger();

    PageParser(List<Parser> parsers, CrawlUrls urls, ContentReader.Limits contentMax) {
        this(parsers, urls, contentMax, "orbweaver", ParsePool.INLINE);
    }

    public PageParser(
            List<Parser> parsers,
            CrawlUrls urls,
            ContentReader.Limits contentMax,
            String productToken,
            ParsePool pool) {
        this.pool = pool;
        this.productToken = productToken;
        this.parsers = List.copyOf(parsers);
        this.urls = urls;
        this.contentLimits = contentMax;
    }

    /** Does some work on the document of a URL when a thread of the pool is free. */
    public <T> T runOnPool(CrawlUrl url, ParsePool.ParseTask<T> parseTask) throws IOException {
        queuedTasks.incrementAndGet();
        return pool.run(
                url::text,
                () -> {
                    queuedTasks.decrementAndGet();
                    return parseTask.run();
                });
    }

    /** Waits until there is memory for what a document may lead to. */
    interface Reservation {
        /** Waits. */
        void await() throws IOException;
    }

    /** What is done with a page once it is read. */
    interface PageFunction<T> {
        /** Does it. */
        T apply(Page page) throws IOException;
    }

    /**
     * Reads a document and goes on with it, on the pool unless the document is small. Judging its
     * links and compressing its body are work on the same document, and a turn on the pool costs a
     * thread switch; so both go on where it was read.
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
        // One byte more than is small shows that it is not; what waits for the pool stays encoded.
        var content =
                ContentReader.read(
                        exchange, limitedTo(Math.min(contentLimits.bytes(), SMALL_BYTES_MAX + 1)));
        return content.length() <= SMALL_BYTES_MAX
                ? work.apply(parsePage(exchange, hop, content))
                : runOnPool(exchange.url(), () -> work.apply(parsePage(exchange, hop)));
    }

    /** Does some work that an exchange's body is needed for, on the pool unless that is small. */
    <T> T runWithBody(Exchange exchange, ParsePool.ParseTask<T> parseTask) throws IOException {
        return isSmall(exchange) ? parseTask.run() : runOnPool(exchange.url(), parseTask);
    }

    /**
     * How many characters the links of a document can have together, before it is decoded; 0 when
     * nothing reads it. A small document is bounded by its size too (see {@code LinkSet}).
     */
    long linkCharsMax(Exchange exchange, Hop hop) {
        if (hop == Hop.SITEMAP) {
            return SITEMAP_CHARS_MAX;
        }
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
     * Does some work on a document that was found this way. Sitemaps may be fifty megabytes, so one
     * is read at a time; the caller waits for its turn before it takes a thread of the pool.
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

    /**
     * Memory is reserved by the one sitemap that is read, not by those that wait for their turn.
     */
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

    /** How many pieces of work wait for a thread. */
    int queuedTasks() {
        return queuedTasks.get();
    }

    Content readRobots(Exchange exchange) throws IOException {
        return ContentReader.read(exchange, limitedTo(RobotsRules.BYTES_MAX));
    }

    private ContentReader.Limits limitedTo(int bytes) {
        return new ContentReader.Limits(bytes, contentLimits.ratio());
    }

    /** A document, or a sitemap, of which what its head asks is no matter. */
    public Page parsePage(Exchange exchange, Hop hop) throws IOException {
        return hop == Hop.SITEMAP
                ? parseSitemap(exchange)
                : withHeaderDirectives(exchange, parseContent(exchange, hop, Optional.empty()));
    }

    private Page parsePage(Exchange exchange, Hop hop, Content content) throws IOException {
        return withHeaderDirectives(exchange, parseContent(exchange, hop, Optional.of(content)));
    }

    /** Adds what the answer's head asks to what the document itself does. */
    private Page withHeaderDirectives(Exchange exchange, Page page) {
        var head = exchange.head();
        var ended = exchange.timings().ended();
        var asked = EnumSet.noneOf(Directive.class);
        asked.addAll(RobotsTag.fromHeader(head.fields("x-robots-tag"), productToken, ended));
        asked.addAll(UsagePreference.denied(head.fields("content-usage")));
        asked.addAll(UsagePreference.denied(head.fields("content-signal")));
        if (!page.directives().isEmpty()) {
            asked.addAll(RobotsTag.fromMeta(page.directives(), ended));
        }
        return asked.isEmpty() && page.directives().isEmpty()
                ? page
                : page.withDirectives(
                        page.nofollow() || asked.contains(Directive.NOFOLLOW),
                        page.noindex() || asked.contains(Directive.NOINDEX),
                        Directive.text(asked));
    }

    private Page parseContent(Exchange exchange, Hop hop, Optional<Content> read)
            throws IOException {
        var mediaType = exchange.head().mediaType();
        if (hop == Hop.EMBED && !mediaType.equals(STYLE_SHEET)) {
            return Page.EMPTY; // A document that stands in a page leads no further away from it.
        }
        for (var parser : parsers) {
            if (parser.accepts(mediaType)) {
                var content =
                        read.isPresent() ? read.get() : ContentReader.read(exchange, contentLimits);
                return markTruncated(parser.parse(document(exchange, content)), content);
            }
        }
        return Page.EMPTY;
    }

    /** Marks a page of which only a part could be decoded, or nothing. */
    private static Page markTruncated(Page page, Content content) {
        return content.damaged() && page.truncated().isEmpty()
                ? page.withTruncation("its content coding could not be undone, or not to its end")
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
        var chars = addLinks(sitemap.sitemaps(), LinkKind.SITEMAP, links, 0);
        var entries = sitemap.entries().stream().map(Sitemap.Entry::url).toList();
        chars = addLinks(entries, LinkKind.ENTRY, links, chars);
        var page = new Page("", "", links, false, false);
        if (chars >= SITEMAP_CHARS_MAX) {
            return page.withTruncation(
                    "links of more than " + SITEMAP_CHARS_MAX + " characters in all");
        }
        return listed >= SitemapParser.ENTRIES_MAX
                ? page.withTruncation("more than " + SitemapParser.ENTRIES_MAX + " entries")
                : markTruncated(page, content);
    }

    /** Adds links until they have too many characters together; returns how many they have. */
    private int addLinks(List<String> texts, LinkKind kind, List<Link> links, int charsBefore) {
        var chars = charsBefore;
        for (var text : texts) {
            if (chars >= SITEMAP_CHARS_MAX) {
                break;
            }
            var url = urls.parse(text);
            if (url.isPresent()) {
                links.add(new Link(url.get(), kind, false));
                chars += url.get().text().length();
            }
        }
        return chars;
    }
}
