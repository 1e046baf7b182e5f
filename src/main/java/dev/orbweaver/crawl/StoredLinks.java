package dev.orbweaver.crawl;

import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.scope.Scope;
import dev.orbweaver.sink.CaptureReader;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.url.CrawlUrls;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Reads the links of stored captures again and judges them as the crawl did when it met them. */
public final class StoredLinks {

    private final CrawlSettings settings;
    private final Etiquette etiquette;
    private final Reader reader;
    private final CaptureReader captures;

    /** What a capture leads to: URLs to offer, and how many links were turned away. */
    public record Found(List<Candidate> candidates, Map<Refusal, Integer> refused) {
        static final Found NOTHING = new Found(List.of(), Map.of());
    }

    /** The captures of a crawl's directory, under the crawl's settings. */
    public StoredLinks(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            List<Parser> parsers,
            Path directory) {
        this.settings = settings;
        this.etiquette = new Etiquette(settings, urls, scope);
        this.reader =
                new Reader(
                        parsers,
                        urls,
                        new ContentReader.Limits(
                                settings.contentBytesMax(), settings.contentRatioMax()),
                        settings.productToken(),
                        ParsePool.INLINE);
        this.captures = new CaptureReader(directory);
    }

    /** Widens the scope by a place that a seed was redirected to. */
    public void addSeed(CrawlUrl seed) {
        etiquette.addSeed(seed);
    }

    /** What a stored page, sitemap or robots.txt leads to; nothing for other captures. */
    public Found of(PageEntry entry, CrawlUrl url, Instant now) throws IOException {
        if (!entry.isStored()) {
            return Found.NOTHING;
        }
        return switch (entry.kind()) {
            case PAGE, SITEMAP -> document(entry, url, now);
            case ROBOTS -> new Found(sitemaps(entry, url, now), Map.of());
            case REDIRECT, ERROR, FAILED, RETRIED, WITHDRAWN -> Found.NOTHING;
        };
    }

    private Found document(PageEntry entry, CrawlUrl url, Instant now) throws IOException {
        var hop = entry.kind() == Kind.SITEMAP ? Hop.SITEMAP : Hop.LINK;
        var page = reader.page(captures.exchange(entry, url), hop);
        var sorted = etiquette.sort(page, entry.depth(), now);
        return new Found(sorted.found(), sorted.refused());
    }

    private List<Candidate> sitemaps(PageEntry entry, CrawlUrl url, Instant now)
            throws IOException {
        if (entry.status() / 100 != 2) {
            return List.of();
        }
        var content = reader.robots(captures.exchange(entry, url));
        var rules = RobotsRules.parse(content.bytes(), content.length(), settings.productToken());
        return etiquette.sitemaps(rules.sitemaps(), url, now);
    }

    /** Where a redirect leads, if that is in scope. */
    public List<Candidate> redirect(PageEntry entry, CrawlUrl target, Hop hop, Instant now) {
        return etiquette.objection(target, hop, entry.depth(), now).isEmpty()
                ? List.of(new Candidate(target, hop, entry.depth(), 1))
                : List.of();
    }
}
