package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

/** Finds the resources that style sheets refer to: other style sheets, images, fonts. */
public record CssParser(CrawlUrls urls) implements Parser {

    @Override
    public boolean accepts(String mediaType) {
        return mediaType.equals("text/css");
    }

    /**
     * Parses a style sheet. References are resolved against its own URL (CSS Values 4, 4.5). They
     * are ASCII in nearly every encoding, so the declared encoding is ignored.
     */
    @Override
    public Page parse(Document document) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        var charset = encoding.equals(Encoding.REPLACEMENT) ? UTF_8 : encoding.charset();
        var css = new String(document.bytes(), 0, document.length(), charset);
        var links = new LinkSet(document.length());
        var resolver = new LinkResolver(urls, document.url());
        links.addAll(CssScanner.references(css), resolver);
        return new Page("", encoding.name(), links.links(), false, false)
                .withTruncation(links.truncated());
    }
}
