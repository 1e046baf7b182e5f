package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.Set;

/** Parses HTML and XHTML for links, title and robots directives. */
public final class HtmlParser implements Parser {

    private static final String XHTML = "application/xhtml+xml";
    private static final Set<String> MEDIA_TYPES = Set.of("text/html", XHTML, "");

    /** Schemes that a base must not have (HTML standard, 4.2.3). */
    private static final Set<String> FORBIDDEN_BASE_SCHEMES = Set.of("data", "javascript");

    private final CrawlUrls urls;
    private final boolean simHashes;
    private final boolean styles;
    private final String productToken;

    public HtmlParser(CrawlUrls urls) {
        this(urls, false);
    }

    public HtmlParser(CrawlUrls urls, boolean simHashes) {
        this(urls, simHashes, false);
    }

    public HtmlParser(CrawlUrls urls, boolean simHashes, boolean styles) {
        this(urls, simHashes, styles, "orbweaver");
    }

    /**
     * Creates a parser.
     *
     * @param simHashes whether the SimHash and the MinHash of each page's text are computed
     * @param styles whether references in styles within a page are collected
     * @param productToken the name by which pages may address this crawler
     */
    public HtmlParser(CrawlUrls urls, boolean simHashes, boolean styles, String productToken) {
        this.urls = urls;
        this.simHashes = simHashes;
        this.styles = styles;
        this.productToken = productToken;
    }

    @Override
    public boolean accepts(String mediaType) {
        return MEDIA_TYPES.contains(mediaType);
    }

    @Override
    public Page parse(Document document) {
        var links = new LinkSet(document.length());
        addHeaders(document, links);
        var mediaType = ContentType.mediaType(document.contentType());
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        if (encoding.equals(Encoding.REPLACEMENT)
                || (mediaType.isEmpty() && !looksLikeHtml(document, encoding))) {
            return new Page("", encoding.name(), links.links(), false, false)
                    .withTruncation(links.truncated());
        }
        return page(document, encoding, mediaType.equals(XHTML), links);
    }

    @FunctionalInterface
    public interface ReferenceVisitor {

        /** Receives a reference by its position in the bytes, without fragment, not decoded. */
        void reference(byte[] bytes, int start, int end, LinkKind kind);
    }

    /** Passes the distinct references of an HTML page to a visitor without resolving them. */
    public void references(Document document, ReferenceVisitor visitor) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        if (!encoding.equals(Encoding.REPLACEMENT)) {
            var xml = ContentType.mediaType(document.contentType()).equals(XHTML);
            scanner(document, encoding, xml, null).scan().visit(visitor);
        }
    }

    private Page page(Document document, Encoding encoding, boolean xml, LinkSet links) {
        var minHash = simHashes ? new MinHash(MinHash.PAGE_BINS) : null;
        var simHash = simHashes ? new SimHash(minHash) : null;
        var scanner = scanner(document, encoding, xml, simHash);
        if (styles) {
            scanner.withStyles();
        }
        var unresolvedLinks = scanner.scan();
        var resolver = resolver(document.url(), scanner.base(), links);
        unresolvedLinks.resolve(scanner.text(), resolver, links);
        links.addAll(scanner.styleReferences(), resolver);
        return new Page(
                scanner.title(),
                encoding.name(),
                links.links(),
                scanner.nofollow(),
                scanner.noindex(),
                scanner.language(),
                simHash == null ? 0 : simHash.value(),
                minHash == null ? "" : minHash.text(),
                scanner.directives(),
                links.truncated(),
                "",
                "");
    }

    private LinkScanner scanner(
            Document document, Encoding encoding, boolean xml, @Nullable SimHash simHash) {
        var markup = MarkupBytes.of(document, encoding);
        // The queries of UTF-16 pages are escaped as UTF-8 (Encoding standard, 4.3).
        var queryCharset = encoding.isUtf16() ? UTF_8 : encoding.charset();
        return new LinkScanner(markup, queryCharset, xml, simHash, productToken);
    }

    /**
     * Returns a resolver for the document's base URL, or for its own URL if it has no valid base.
     */
    private LinkResolver resolver(CrawlUrl url, Optional<String> base, LinkSet links) {
        return base.filter(reference -> isWithinBaseLimit(reference, links))
                .flatMap(
                        reference ->
                                WhatwgUrl.parse(url.text())
                                        .flatMap(own -> WhatwgUrl.parse(reference, own)))
                .filter(parsed -> !FORBIDDEN_BASE_SCHEMES.contains(parsed.scheme()))
                .filter(parsed -> isWithinBaseLimit(parsed.href(), links))
                .map(parsed -> new LinkResolver(urls, parsed))
                .orElseGet(() -> new LinkResolver(urls, url));
    }

    /** Returns whether a base is within its limit; a longer one is recorded and ignored. */
    static boolean isWithinBaseLimit(String base, LinkSet links) {
        var isShort = base.length() <= CrawlUrls.BASE_LENGTH_MAX;
        if (!isShort) {
            links.truncate(
                    "ignored a base URL of more than " + CrawlUrls.BASE_LENGTH_MAX + " characters");
        }
        return isShort;
    }

    private void addHeaders(Document document, LinkSet links) {
        if (document.linkHeaders().isEmpty()) {
            return;
        }
        var resolver = new LinkResolver(urls, document.url());
        for (var field : document.linkHeaders()) {
            for (var link : LinkHeader.parse(field)) {
                for (var kind : LinkRelations.kinds(link.rel())) {
                    links.add(link.target(), resolver, kind);
                }
            }
        }
    }

    /** Returns whether the first character that is not white space opens a tag. */
    private static boolean looksLikeHtml(Document document, Encoding encoding) {
        var bytes = document.bytes();
        var at = Charsets.bomLength(bytes, document.length(), encoding);
        while (at < document.length()
                && (ByteScan.isSpace(bytes[at]) || (encoding.isUtf16() && bytes[at] == 0))) {
            at++;
        }
        return at < document.length() && bytes[at] == '<';
    }
}
