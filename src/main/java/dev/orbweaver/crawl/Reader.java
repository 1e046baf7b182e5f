package dev.orbweaver.crawl;

import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.ContentReader.Content;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.parse.Document;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.robots.Directive;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.robots.RobotsTag;
import dev.orbweaver.robots.Sitemap;
import dev.orbweaver.robots.Sitemaps;
import dev.orbweaver.robots.UsagePreference;
import dev.orbweaver.url.CrawlUrls;

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
final class Reader {

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
    private final ContentReader.Limits contentMax;
    private final String productToken;
    private final Semaphore sitemapDesk = new Semaphore(1);
    private final ParsePool pool;
    private final AtomicInteger waiting = new AtomicInteger();

    Reader(List<Parser> parsers, CrawlUrls urls, ContentReader.Limits contentMax) {
        this(parsers, urls, contentMax, "orbweaver", ParsePool.INLINE);
    }

    Reader(
            List<Parser> parsers,
            CrawlUrls urls,
            ContentReader.Limits contentMax,
            String productToken,
            ParsePool pool) {
        this.pool = pool;
        this.productToken = productToken;
        this.parsers = List.copyOf(parsers);
        this.urls = urls;
        this.contentMax = contentMax;
    }

    /** Does some work on the document of a URL when a thread of the pool is free. */
    <T> T onPool(CrawlUrl url, ParsePool.Work<T> work) throws IOException {
        waiting.incrementAndGet();
        return pool.run(
                url::text,
                () -> {
                    waiting.decrementAndGet();
                    return work.run();
                });
    }

    /** Waits until there is memory for what a document may lead to. */
    interface Reservation {
        /** Waits. */
        void await() throws IOException;
    }

    /** What is done with a page once it is read. */
    interface PageWork<T> {
        /** Does it. */
        T with(Page page) throws IOException;
    }

    /**
     * Reads a document and goes on with it, on the pool unless the document is small. Judging its
     * links and compressing its body are work on the same document, and a turn on the pool costs a
     * thread switch; so both go on where it was read.
     */
    <T> T read(Exchange exchange, Hop hop, Reservation memory, PageWork<T> work)
            throws IOException {
        if (hop == Hop.SITEMAP) {
            return withDesk(exchange, memory, () -> work.with(page(exchange, hop)));
        }
        memory.await();
        if (!isSmall(exchange)) {
            return onPool(exchange.url(), () -> work.with(page(exchange, hop)));
        }
        // One byte more than is small shows that it is not; what waits for the pool stays encoded.
        var content =
                ContentReader.read(
                        exchange, atMost(Math.min(contentMax.bytes(), SMALL_BYTES_MAX + 1)));
        return content.length() <= SMALL_BYTES_MAX
                ? work.with(page(exchange, hop, content))
                : onPool(exchange.url(), () -> work.with(page(exchange, hop)));
    }

    /** Does some work that an exchange's body is needed for, on the pool unless that is small. */
    <T> T work(Exchange exchange, ParsePool.Work<T> work) throws IOException {
        return isSmall(exchange) ? work.run() : onPool(exchange.url(), work);
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
    <T> T onPool(CrawlUrl url, Hop hop, ParsePool.Work<T> work) throws IOException {
        if (hop != Hop.SITEMAP) {
            return onPool(url, work);
        }
        sitemapDesk.acquireUninterruptibly();
        try {
            return onPool(url, work);
        } finally {
            sitemapDesk.release();
        }
    }

    /**
     * Memory is reserved by the one sitemap that is read, not by those that wait for their turn.
     */
    private <T> T withDesk(Exchange exchange, Reservation memory, ParsePool.Work<T> work)
            throws IOException {
        sitemapDesk.acquireUninterruptibly();
        try {
            memory.await();
            return onPool(exchange.url(), work);
        } finally {
            sitemapDesk.release();
        }
    }

    /** How many pieces of work wait for a thread. */
    int waiting() {
        return waiting.get();
    }

    Content robots(Exchange exchange) throws IOException {
        return ContentReader.read(exchange, atMost(RobotsRules.BYTES_MAX));
    }

    private ContentReader.Limits atMost(int bytes) {
        return new ContentReader.Limits(bytes, contentMax.ratio());
    }

    /** A document, or a sitemap, of which what its head asks is no matter. */
    Page page(Exchange exchange, Hop hop) throws IOException {
        return hop == Hop.SITEMAP
                ? sitemap(exchange)
                : asked(exchange, parsed(exchange, hop, Optional.empty()));
    }

    private Page page(Exchange exchange, Hop hop, Content content) throws IOException {
        return asked(exchange, parsed(exchange, hop, Optional.of(content)));
    }

    /** Adds what the answer's head asks to what the document itself does. */
    private Page asked(Exchange exchange, Page page) {
        var head = exchange.head();
        var ended = exchange.timings().ended();
        var asked = EnumSet.noneOf(Directive.class);
        asked.addAll(RobotsTag.header(head.fields("x-robots-tag"), productToken, ended));
        asked.addAll(UsagePreference.denied(head.fields("content-usage")));
        asked.addAll(UsagePreference.denied(head.fields("content-signal")));
        if (!page.directives().isEmpty()) {
            asked.addAll(RobotsTag.meta(page.directives(), ended));
        }
        return asked.isEmpty() && page.directives().isEmpty()
                ? page
                : page.asking(
                        page.nofollow() || asked.contains(Directive.NOFOLLOW),
                        page.noindex() || asked.contains(Directive.NOINDEX),
                        Directive.text(asked));
    }

    private Page parsed(Exchange exchange, Hop hop, Optional<Content> read) throws IOException {
        var mediaType = exchange.head().mediaType();
        if (hop == Hop.EMBED && !mediaType.equals(STYLE_SHEET)) {
            return Page.EMPTY; // A document that stands in a page leads no further away from it.
        }
        for (var parser : parsers) {
            if (parser.accepts(mediaType)) {
                var content =
                        read.isPresent() ? read.get() : ContentReader.read(exchange, contentMax);
                return marked(parser.parse(document(exchange, content)), content);
            }
        }
        return Page.EMPTY;
    }

    /** Marks a page of which only a part could be decoded, or nothing. */
    private static Page marked(Page page, Content content) {
        return content.damaged() && page.truncated().isEmpty()
                ? page.truncatedBy("its content coding could not be undone, or not to its end")
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

    private Page sitemap(Exchange exchange) throws IOException {
        var content = ContentReader.read(exchange, atMost(Sitemaps.BYTES_MAX));
        var type = exchange.head().field("content-type").orElse("");
        var sitemap =
                Sitemaps.parse(content.bytes(), content.length(), type, exchange.url().text());
        var listed = sitemap.sitemaps().size() + sitemap.entries().size();
        var links = new ArrayList<Link>(listed);
        var chars = addLinks(sitemap.sitemaps(), LinkKind.SITEMAP, links, 0);
        var entries = sitemap.entries().stream().map(Sitemap.Entry::url).toList();
        chars = addLinks(entries, LinkKind.ENTRY, links, chars);
        var page = new Page("", "", links, false, false);
        if (chars >= SITEMAP_CHARS_MAX) {
            return page.truncatedBy(
                    "links of more than " + SITEMAP_CHARS_MAX + " characters in all");
        }
        return listed >= Sitemaps.ENTRIES_MAX
                ? page.truncatedBy("more than " + Sitemaps.ENTRIES_MAX + " entries")
                : marked(page, content);
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
