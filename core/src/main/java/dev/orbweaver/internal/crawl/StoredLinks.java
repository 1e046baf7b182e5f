package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Parses the links of stored captures again and classifies them as the crawl did. */
public final class StoredLinks {

    private final CrawlSettings settings;
    private final VisitContext visitContext;
    private final PageParser pageParser;
    private final CaptureReader captures;

    /** The links of a capture: URLs to offer, and the number of rejected ones by reason. */
    public record StoredOutlinks(List<Candidate> candidates, Map<Refusal, Integer> refused) {
        static final StoredOutlinks NONE = new StoredOutlinks(List.of(), Map.of());
    }

    /** Creates a reader for the captures of a crawl's directory, with the crawl's settings. */
    public StoredLinks(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            List<Parser> parsers,
            Path directory) {
        this.settings = settings;
        this.visitContext = new VisitContext(settings, urls, scope);
        this.pageParser =
                new PageParser(
                        parsers,
                        urls,
                        new ContentReader.Limits(
                                settings.parseBytesMax(), settings.decompressionRatioMax()),
                        settings.productToken(),
                        ParsePool.INLINE,
                        PageExtractor.NONE);
        this.captures = new CaptureReader(directory);
    }

    /** Extends the scope by the target of a redirected seed. */
    public void addSeed(CrawlUrl seed) {
        visitContext.addSeed(seed);
    }

    /** Returns the outlinks of a stored page, sitemap or robots.txt; none for other captures. */
    public StoredOutlinks outlinks(PageLogEntry entry, CrawlUrl url, Instant now)
            throws IOException {
        if (!entry.isStored()) {
            return StoredOutlinks.NONE;
        }
        return switch (entry.kind()) {
            case PAGE, SITEMAP -> document(entry, url, now);
            case ROBOTS -> new StoredOutlinks(sitemaps(entry, url, now), Map.of());
            case REDIRECT, ERROR, FAILED, RETRIED, WITHDRAWN -> StoredOutlinks.NONE;
        };
    }

    private StoredOutlinks document(PageLogEntry entry, CrawlUrl url, Instant now)
            throws IOException {
        var hop = entry.kind() == Kind.SITEMAP ? Hop.SITEMAP : Hop.LINK;
        var page = pageParser.parsePage(captures.exchange(entry, url), hop);
        var classifiedLinks = visitContext.classifyLinks(page, entry.depth(), now);
        return new StoredOutlinks(classifiedLinks.found(), classifiedLinks.refused());
    }

    private List<Candidate> sitemaps(PageLogEntry entry, CrawlUrl url, Instant now)
            throws IOException {
        if (entry.status() / 100 != 2) {
            return List.of();
        }
        var content = pageParser.readRobots(captures.exchange(entry, url));
        var rules = RobotsRules.parse(content.bytes(), content.length(), settings.productToken());
        return visitContext.sitemaps(rules.sitemaps(), url, now);
    }

    /** Returns the target of a redirect, if it is in scope. */
    public List<Candidate> redirect(PageLogEntry entry, CrawlUrl target, Hop hop, Instant now) {
        return visitContext.refusal(target, hop, entry.depth(), now).isEmpty()
                ? List.of(new Candidate(target, hop, entry.depth(), 1))
                : List.of();
    }
}
