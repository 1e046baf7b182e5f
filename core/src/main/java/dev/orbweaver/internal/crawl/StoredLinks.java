package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.parse.Parser;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.scope.Scope;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Reads the links of stored captures again and judges them as the crawl did when it met them. */
public final class StoredLinks {

    private final CrawlSettings settings;
    private final VisitContext visitContext;
    private final PageParser pageParser;
    private final CaptureReader captures;

    /** What a capture leads to: URLs to offer, and how many links were turned away. */
    public record StoredOutlinks(List<Candidate> candidates, Map<Refusal, Integer> refused) {
        static final StoredOutlinks NONE = new StoredOutlinks(List.of(), Map.of());
    }

    /** The captures of a crawl's directory, under the crawl's settings. */
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
                        ParsePool.INLINE);
        this.captures = new CaptureReader(directory);
    }

    /** Widens the scope by a place that a seed was redirected to. */
    public void addSeed(CrawlUrl seed) {
        visitContext.addSeed(seed);
    }

    /** What a stored page, sitemap or robots.txt leads to; nothing for other captures. */
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

    /** Where a redirect leads, if that is in scope. */
    public List<Candidate> redirect(PageLogEntry entry, CrawlUrl target, Hop hop, Instant now) {
        return visitContext.refusal(target, hop, entry.depth(), now).isEmpty()
                ? List.of(new Candidate(target, hop, entry.depth(), 1))
                : List.of();
    }
}
