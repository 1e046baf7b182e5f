package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.internal.xml.FeedHandler;
import dev.orbweaver.internal.xml.FeedReader;
import dev.orbweaver.internal.xml.XmlTokenizer;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/** Parses the links of RSS and Atom feeds. Other XML has no links. */
public record FeedParser(CrawlUrls urls) implements Parser {

    private static final Set<String> MEDIA_TYPES =
            Set.of(
                    "application/rss+xml",
                    "application/atom+xml",
                    "application/rdf+xml",
                    "application/xml",
                    "text/xml");

    @Override
    public boolean accepts(String mediaType) {
        return acceptsType(mediaType);
    }

    /** Returns whether documents of a media type may be feeds. */
    public static boolean acceptsType(String mediaType) {
        return MEDIA_TYPES.contains(mediaType);
    }

    @Override
    public Page parse(Document document) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        if (encoding.equals(Encoding.REPLACEMENT)) {
            return new Page("", encoding.name(), List.of(), false, false);
        }
        var from = Charsets.bomLength(document.bytes(), document.length(), encoding);
        var length = document.length() - from;
        var content = new ByteArrayInputStream(document.bytes(), from, length);
        var tokenizer =
                new XmlTokenizer(
                        new InputStreamReader(content, encoding.charset()), FeedParser::reference);
        var feedLinks =
                new FeedLinks(urls, new LinkResolver(urls, document.url()), new LinkSet(length));
        var reader = new FeedReader(tokenizer, feedLinks);
        try {
            if (tokenizer.next() == XmlTokenizer.Token.START) {
                var _ = reader.read(); // The links of a truncated feed are used too.
            }
        } catch (IOException e) {
            throw new UncheckedIOException("unexpected I/O error in memory", e);
        }
        return new Page(
                Words.truncate(
                        String.join(" ", Words.split(reader.title())), LinkScanner.TITLE_CHARS_MAX),
                encoding.name(),
                feedLinks.links.links(),
                false,
                false,
                reader.language(),
                0,
                "",
                "",
                feedLinks.links.truncated(),
                "",
                "");
    }

    /** Decodes all references of HTML, although XML defines only five, because feeds use them. */
    private static int reference(String name) {
        var bytes = ("&" + name + ";").getBytes(US_ASCII);
        var decoded = new Utf8Buffer();
        CharacterReferences.decode(bytes, 0, bytes.length, TextContext.DATA, decoded);
        var text = decoded.toString();
        return text.codePointCount(0, text.length()) == 1 ? text.codePointAt(0) : -1;
    }

    private static final class FeedLinks implements FeedHandler {

        private final CrawlUrls urls;
        private final LinkResolver ownResolver;
        private final LinkSet links;

        /**
         * Resolves relative references against the feed's base; absolute ones do not depend on it.
         */
        private LinkResolver baseResolver;

        private boolean entryHasLink;

        FeedLinks(CrawlUrls urls, LinkResolver ownResolver, LinkSet links) {
            this.urls = urls;
            this.ownResolver = ownResolver;
            this.links = links;
            this.baseResolver = ownResolver;
        }

        /**
         * Sets the base; only an absolute {@code xml:base} of the feed itself occurs in practice.
         */
        @Override
        public void base(String url) {
            if (url.startsWith("http") && HtmlParser.isWithinBaseLimit(url, links)) {
                WhatwgUrl.parse(url)
                        .filter(parsed -> HtmlParser.isWithinBaseLimit(parsed.href(), links))
                        .ifPresent(parsed -> baseResolver = new LinkResolver(urls, parsed));
            }
        }

        @Override
        public void entryLink(String target) {
            entryHasLink = true;
            add(target, LinkKind.ENTRY);
        }

        @Override
        public void otherLink(String target, String rel) {
            if (rel.equals("enclosure")) {
                add(target, LinkKind.REQUISITE);
            } else {
                LinkRelations.kinds(rel).forEach(kind -> add(target, kind));
            }
        }

        /** Uses the identifier as the link of an entry without one. */
        @Override
        public void endEntry(String id) {
            if (!entryHasLink && !id.isEmpty()) {
                add(id, LinkKind.ENTRY);
            }
            entryHasLink = false;
        }

        private void add(String target, LinkKind kind) {
            var relative = !target.contains(":") && !target.startsWith("//");
            links.add(target, relative ? baseResolver : ownResolver, kind);
        }
    }
}
