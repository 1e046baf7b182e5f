package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs a parser of a program within the limits of the built-in ones: links and title are truncated,
 * and a call that throws an exception or takes too long yields a page without links that says why.
 * Links get the fingerprints of the crawl.
 */
public final class GuardedParser implements Parser {

    private static final Logger LOG = LoggerFactory.getLogger(GuardedParser.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int NAME_CHARS_MAX = 100;

    /**
     * Maximum number of logged failures of {@link #accepts}, which is called for every document.
     */
    private static final int ACCEPT_FAILURES_LOGGED = 10;

    private final Parser parser;
    private final CrawlUrls urls;
    private final TimedCalls calls;
    private final AtomicInteger acceptFailures = new AtomicInteger();

    public GuardedParser(Parser parser, CrawlUrls urls) {
        this(parser, urls, TIMEOUT);
    }

    GuardedParser(Parser parser, CrawlUrls urls, Duration timeout) {
        this.parser = parser;
        this.urls = urls;
        this.calls = new TimedCalls("parser", timeout);
    }

    @Override
    public boolean accepts(String mediaType) {
        try {
            return parser.accepts(mediaType);
        } catch (RuntimeException | Error e) {
            if (acceptFailures.incrementAndGet() <= ACCEPT_FAILURES_LOGGED) {
                LOG.warn("parser failed for media type {}", mediaType, e);
            }
            return false;
        }
    }

    @Override
    public Page parse(Document document) {
        var result = calls.call(() -> bounded(parser.parse(document), document.length()));
        return result.value().orElseGet(() -> failed(document, result));
    }

    private static Page failed(Document document, TimedCalls.Result<Page> result) {
        LOG.warn("parser failed for {}: {}", document.url(), result.problem(), result.error());
        return Page.EMPTY.withParserProblem(result.problem());
    }

    /** Keeps what a parser is to set, within the limits. */
    private Page bounded(Page page, int documentBytes) {
        var links = new LinkSet(documentBytes);
        for (var link : page.links()) {
            if (links.isFull()) {
                links.truncateAtLimit();
                break;
            }
            links.add(Optional.of(urls.rekeyed(link.url())), 0, 0, link.kind(), link.nofollow());
        }
        return new Page(
                        Words.truncate(page.title(), LinkScanner.TITLE_CHARS_MAX),
                        Words.truncate(page.charset(), NAME_CHARS_MAX),
                        links.links(),
                        page.nofollow(),
                        page.noindex())
                .withTruncation(links.truncated());
    }
}
