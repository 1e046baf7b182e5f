package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.parse.HtmlTokenizer.Token;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.model.LinkKind;

import java.util.Locale;
import java.util.Optional;

/**
 * What the tags of a feed mean: RSS 0.9 to 2.0 and Atom (RFC 4287).
 *
 * <p>The HTML tokenizer reads XML well enough when CDATA sections are allowed: it knows tags,
 * attributes, comments and references, has no document type that could ask for anything, and goes
 * on after errors, of which feeds are full. Elements of extensions, told by their prefix, are
 * passed over; only {@code atom:link} is known in RSS.
 */
final class FeedScanner {

    private static final int TEXT_CHARS_MAX = 8_192;
    private static final int TITLE_CHARS_MAX = 1_000;

    private static final byte[] HREF = name("href");
    private static final byte[] REL = name("rel");
    private static final byte[] URL = name("url");
    private static final byte[] BASE = name("xml:base");
    private static final byte[] LANG = name("xml:lang");
    private static final byte[] ABOUT = name("rdf:about");
    private static final byte[] PERMA_LINK = name("ispermalink");

    private final HtmlTokenizer tokenizer;
    private final byte[] bytes;
    private final PageText decoder;
    private final CrawlUrls urls;
    private final LinkResolver ownResolver;

    /** Resolves paths against the feed's base; absolute references do not depend on it. */
    private LinkResolver baseResolver;

    private final LinkSet links;
    private final StringBuilder text = new StringBuilder();
    private boolean isFeed;
    private boolean inEntry;
    private boolean entryHasLink;
    private boolean guidIsLink;
    private String entryGuid = "";
    private String title = "";
    private String language = "";

    /**
     * @param own resolves against the feed's own URL
     */
    FeedScanner(MarkupBytes markup, CrawlUrls urls, LinkResolver own) {
        this.tokenizer = new HtmlTokenizer(markup.bytes(), markup.from(), markup.end());
        this.bytes = markup.bytes();
        this.decoder = new PageText(bytes, markup.charset(), UTF_8);
        this.links = new LinkSet(markup.end() - markup.from());
        this.urls = urls;
        this.ownResolver = own;
        this.baseResolver = own;
        tokenizer.allowCdata(true);
    }

    String title() {
        return title;
    }

    String language() {
        return language;
    }

    LinkSet links() {
        return links;
    }

    /** Reads to the end, or to the first element where that shows that this is no feed. */
    void scan() {
        for (var token = tokenizer.next(); token != Token.END; token = tokenizer.next()) {
            appendText(tokenizer.textStart(), tokenizer.textEnd(), TextContext.DATA);
            switch (token) {
                case START_TAG -> {
                    var element = element();
                    if (!isFeed && !detectFeed(element)) {
                        return;
                    }
                    onStartTag(element);
                    if (tokenizer.isSelfClosing()) {
                        onEndTag(element);
                    }
                }
                case END_TAG -> onEndTag(element());
                case CDATA -> appendText(tokenizer.start(), tokenizer.stop(), TextContext.CDATA);
                case COMMENT, DOCTYPE, NOTHING, END -> {
                    // They say nothing in a feed.
                }
            }
        }
        endEntry();
    }

    private boolean detectFeed(String element) {
        isFeed = element.equals("rss") || element.equals("rdf:rdf") || element.equals("feed");
        return isFeed;
    }

    private String element() {
        var name =
                new String(bytes, tokenizer.start(), tokenizer.stop() - tokenizer.start(), US_ASCII)
                        .toLowerCase(Locale.ROOT);
        return switch (name) {
            case "atom:feed", "a:feed" -> "feed";
            case "atom:entry", "a:entry" -> "entry";
            case "atom:link", "atom10:link", "a10:link", "a:link" -> "link";
            default -> name;
        };
    }

    private void onStartTag(String element) {
        text.setLength(0);
        switch (element) {
            case "feed", "rss", "rdf:rdf" -> {
                baseResolver = attribute(BASE).flatMap(this::resolver).orElse(ownResolver);
                language = attribute(LANG).orElse(language);
            }
            case "item", "entry" -> {
                endEntry();
                inEntry = true;
                entryGuid = attribute(ABOUT).orElse("");
            }
            case "link" -> attribute(HREF).ifPresent(this::addAtomLink);
            case "enclosure" -> attribute(URL).ifPresent(url -> add(url, LinkKind.REQUISITE));
            case "guid" ->
                    guidIsLink = attribute(PERMA_LINK).map(v -> !v.equals("false")).orElse(true);
            default -> {
                // Other elements matter for their text, or not at all.
            }
        }
    }

    private void addAtomLink(String target) {
        var rel = attribute(REL).orElse("alternate");
        if (inEntry && rel.equals("alternate")) {
            addEntry(target);
        } else if (rel.equals("enclosure")) {
            add(target, LinkKind.REQUISITE);
        } else {
            LinkRelations.kinds(rel).forEach(kind -> add(target, kind));
        }
    }

    private void onEndTag(String element) {
        var content = text.toString().strip();
        text.setLength(0);
        switch (element) {
            case "item", "entry" -> endEntry();
            case "link" -> {
                if (!content.isEmpty()) {
                    if (inEntry) {
                        addEntry(content);
                    } else {
                        add(content, LinkKind.RELATED);
                    }
                }
            }
            case "guid" -> {
                if (guidIsLink && content.startsWith("http")) {
                    entryGuid = content;
                }
            }
            case "title" -> {
                if (!inEntry && title.isEmpty()) {
                    title = Words.truncate(String.join(" ", Words.split(content)), TITLE_CHARS_MAX);
                }
            }
            case "language" -> language = content.length() < 36 ? content : language;
            default -> {
                // No other text is wanted.
            }
        }
    }

    private void addEntry(String target) {
        entryHasLink = true;
        add(target, LinkKind.ENTRY);
    }

    /** An entry without a link is where its identifier says, if that is an address. */
    private void endEntry() {
        if (inEntry && !entryHasLink && entryGuid.startsWith("http")) {
            add(entryGuid, LinkKind.ENTRY);
        }
        inEntry = false;
        entryHasLink = false;
        entryGuid = "";
    }

    private void add(String target, LinkKind kind) {
        var relative = !target.contains(":") && !target.startsWith("//");
        links.add(target, relative ? baseResolver : ownResolver, kind);
    }

    /** Of {@code xml:base} only the feed's own, and only an absolute one, is seen in practice. */
    private Optional<LinkResolver> resolver(String base) {
        return base.startsWith("http") && HtmlParser.isWithinBaseLimit(base, links)
                ? WhatwgUrl.parse(base)
                        .filter(parsed -> HtmlParser.isWithinBaseLimit(parsed.href(), links))
                        .map(parsed -> new LinkResolver(urls, parsed))
                : Optional.empty();
    }

    private void appendText(int start, int end, TextContext textContext) {
        if (end > start && text.length() < TEXT_CHARS_MAX) {
            var until = Math.min(end, start + TEXT_CHARS_MAX);
            text.append(decoder.text(start, until, textContext));
        }
    }

    private Optional<String> attribute(byte[] name) {
        var index = tokenizer.attribute(name);
        return index < 0
                ? Optional.empty()
                : Optional.of(
                        decoder.attribute(tokenizer.valueStart(index), tokenizer.valueEnd(index))
                                .strip());
    }

    private static byte[] name(String text) {
        return text.getBytes(US_ASCII);
    }
}
