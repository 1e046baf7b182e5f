package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.crawl.PageParser;
import dev.orbweaver.internal.crawl.VisitContext;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.parse.PageMetadata;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Searches stored captures for links to one URL. */
final class InlinkFinder {

    private static final int DOCUMENT_BYTES_MAX = 10 << 20;

    private final CrawlUrls urls;
    private final PageParser pageParser;
    private final CaptureReader captures;
    private final CrawlUrl target;
    private final boolean obeyRel;

    /**
     * @param obeyRel whether the crawl ignores links marked nofollow
     */
    InlinkFinder(
            CrawlUrls urls,
            PageParser pageParser,
            Path directory,
            CrawlUrl target,
            boolean obeyRel) {
        this.obeyRel = obeyRel;
        this.urls = urls;
        this.pageParser = pageParser;
        this.captures = new CaptureReader(directory);
        this.target = target;
    }

    /**
     * A link to the URL.
     *
     * @param hop how the URL would enter the crawl
     * @param depth the depth that it would have
     * @param nofollow whether the page or the link is marked nofollow
     */
    record Inlink(
            UrlExplanation.Parent parent, Hop hop, int depth, boolean nofollow, boolean deferred) {}

    Optional<Inlink> findIn(PageLogEntry entry) throws IOException {
        return switch (entry.kind()) {
            case REDIRECT -> redirect(entry);
            case PAGE, SITEMAP -> entry.warc().isEmpty() ? Optional.empty() : document(entry);
            case ERROR, FAILED, RETRIED, WITHDRAWN, ROBOTS -> Optional.empty();
        };
    }

    private Optional<Inlink> redirect(PageLogEntry entry) {
        return url(entry)
                .flatMap(from -> urls.resolve(from, entry.location()))
                .filter(this::isTarget)
                .map(
                        _ ->
                                new Inlink(
                                        parent(entry, "redirect", ""),
                                        Hop.REDIRECT,
                                        entry.depth(),
                                        false,
                                        false));
    }

    private Optional<Inlink> document(PageLogEntry entry) throws IOException {
        var from = url(entry);
        if (from.isEmpty()) {
            return Optional.empty();
        }
        var sitemap = entry.kind() == Kind.SITEMAP;
        var exchange = captures.exchange(entry, from.get());
        var hop = sitemap ? Hop.SITEMAP : Hop.LINK;
        var page =
                pageParser.runOnPool(
                        exchange.url(), hop, () -> pageParser.parsePage(exchange, hop));
        var link = page.links().stream().filter(it -> isTarget(it.url())).findFirst();
        if (link.isEmpty()) {
            return Optional.empty();
        }
        var anchor =
                sitemap ? "" : pageParser.runOnPool(from.get(), () -> anchor(entry, from.get()));
        return Optional.of(inlink(entry, page, link.get(), anchor));
    }

    private Inlink inlink(PageLogEntry entry, Page page, Link link, String anchor) {
        var candidate = VisitContext.candidate(link, entry.depth());
        return new Inlink(
                parent(entry, link.kind().name().toLowerCase(Locale.ROOT), anchor),
                candidate.hop(),
                candidate.depth(),
                page.nofollow() || (link.nofollow() && obeyRel),
                entry.linksDeferred());
    }

    private String anchor(PageLogEntry entry, CrawlUrl from) throws IOException {
        var exchange = captures.exchange(entry, from);
        var content = ContentReader.read(exchange, DOCUMENT_BYTES_MAX);
        var document =
                new Document(
                        from,
                        exchange.head().field("content-type").orElse(""),
                        exchange.head().fields("link"),
                        content.bytes(),
                        content.length());
        return PageMetadata.of(document, urls).links().stream()
                .filter(link -> isTarget(link.link().url()))
                .map(PageMetadata.TextLink::text)
                .filter(text -> !text.isBlank())
                .findFirst()
                .orElse("");
    }

    static UrlExplanation.Parent parent(PageLogEntry entry, String linkType, String anchor) {
        return new UrlExplanation.Parent(entry.url(), entry.seq(), linkType, anchor);
    }

    private Optional<CrawlUrl> url(PageLogEntry entry) {
        return urls.parse(entry.url());
    }

    private boolean isTarget(CrawlUrl other) {
        return other.key().equals(target.key());
    }
}
