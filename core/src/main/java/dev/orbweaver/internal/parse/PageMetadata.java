package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The metadata of a page; not parsed during a crawl.
 *
 * @param canonical the canonical URL that the page declares
 * @param alternates the same page in other languages
 * @param openGraph its Open Graph properties ({@code og:title} and others) in order
 * @param jsonLd its valid JSON-LD blocks
 * @param links its links with their text
 */
public record PageMetadata(
        String title,
        String description,
        String language,
        Optional<String> canonical,
        List<Alternate> alternates,
        Map<String, List<String>> openGraph,
        Map<String, List<String>> twitterCard,
        List<String> jsonLd,
        List<TextLink> links) {

    /** The page in another language; {@code x-default} means no particular one. */
    public record Alternate(String language, String url) {}

    /** A link with its visible text: that of the anchor, or the alternative text of an image. */
    public record TextLink(Link link, String text) {}

    private static final String JSON_LD = "application/ld+json";
    private static final int TEXT_CHARS_MAX = 1_000;
    private static final int JSON_CHARS_MAX = 1_000_000;
    private static final int VALUES_MAX = 1_000;

    public PageMetadata {
        alternates = List.copyOf(alternates);
        openGraph = inOrder(openGraph);
        twitterCard = inOrder(twitterCard);
        jsonLd = List.copyOf(jsonLd);
        links = List.copyOf(links);
    }

    private static Map<String, List<String>> inOrder(Map<String, List<String>> properties) {
        var copy = new LinkedHashMap<String, List<String>>();
        properties.forEach((name, values) -> copy.put(name, List.copyOf(values)));
        return Collections.unmodifiableMap(copy);
    }

    /** Parses a page of arbitrary bytes. */
    public static PageMetadata of(Document document, CrawlUrls urls) {
        return new Extractor(document, urls).details();
    }

    private static final class Extractor {

        private final org.jsoup.nodes.Document tree;
        private final WhatwgUrl base;
        private final LinkResolver resolver;

        Extractor(Document document, CrawlUrls urls) {
            tree = HtmlTree.of(document);
            base = HtmlTree.base(tree, document);
            resolver = new LinkResolver(urls, base);
        }

        PageMetadata details() {
            return new PageMetadata(
                    truncate(tree.title()),
                    truncate(tree.select("meta[name=description]").attr("content").strip()),
                    truncate(tree.select("html").attr("lang").strip()),
                    canonical(),
                    alternates(),
                    properties("og:", "article:", "book:", "profile:", "video:", "music:"),
                    properties("twitter:"),
                    jsonLd(),
                    links());
        }

        private Optional<String> canonical() {
            return related(LinkKind.CANONICAL).flatMap(link -> href(link).stream()).findFirst();
        }

        private List<Alternate> alternates() {
            return related(LinkKind.ALTERNATE)
                    .filter(link -> link.hasAttr("hreflang"))
                    .limit(VALUES_MAX)
                    .flatMap(
                            link ->
                                    href(link).stream()
                                            .map(url -> new Alternate(language(link), url)))
                    .toList();
        }

        private Stream<Element> related(LinkKind kind) {
            return tree.select("link[rel][href]").stream()
                    .filter(link -> LinkRelations.kinds(link.attr("rel")).contains(kind));
        }

        private static String language(Element link) {
            return link.attr("hreflang").strip().toLowerCase(Locale.ROOT);
        }

        private Optional<String> href(Element element) {
            return WhatwgUrl.parse(element.attr("href"), base)
                    .filter(url -> url.scheme().startsWith("http"))
                    .map(WhatwgUrl::href);
        }

        private Map<String, List<String>> properties(String... prefixes) {
            var properties = new LinkedHashMap<String, List<String>>();
            for (var meta : tree.select("meta[content]").stream().limit(VALUES_MAX).toList()) {
                var name = meta.hasAttr("property") ? meta.attr("property") : meta.attr("name");
                var key = name.strip().toLowerCase(Locale.ROOT);
                for (var prefix : prefixes) {
                    if (key.startsWith(prefix)) {
                        properties
                                .computeIfAbsent(key, _ -> new ArrayList<>())
                                .add(truncate(meta.attr("content").strip()));
                    }
                }
            }
            return properties;
        }

        private List<String> jsonLd() {
            return tree.select("script[type]").stream()
                    .filter(script -> ContentType.mediaType(script.attr("type")).equals(JSON_LD))
                    .limit(VALUES_MAX)
                    .map(script -> withoutComment(script.data().strip()))
                    .filter(text -> text.length() <= JSON_CHARS_MAX)
                    .filter(Extractor::isJson)
                    .toList();
        }

        /**
         * Removes an HTML comment around the data, which some pages still use to hide it from old
         * browsers.
         */
        private static String withoutComment(String data) {
            return data.startsWith("<!--") && data.endsWith("-->") && data.length() >= 7
                    ? data.substring(4, data.length() - 3).strip()
                    : data;
        }

        private static boolean isJson(String text) {
            try {
                return JsonMapper.shared().readTree(text).isContainer();
            } catch (JacksonException notJson) {
                // Pages often contain invalid JSON-LD, which is dropped.
                return false;
            }
        }

        private List<TextLink> links() {
            var links = new ArrayList<TextLink>();
            var chars = 0;
            for (var element :
                    tree.select("a[href], area[href], link[href], iframe[src], img[src]")) {
                if (links.size() == LinkSet.LINKS_MAX || chars >= LinkSet.CHARS_MAX) {
                    break;
                }
                var known = links.size();
                if (element.closest("template") != null) {
                    continue;
                }
                switch (element.normalName()) {
                    case "a" -> add(element, "href", LinkKind.ANCHOR, visibleText(element), links);
                    case "area" ->
                            add(element, "href", LinkKind.ANCHOR, element.attr("alt"), links);
                    case "iframe" ->
                            add(element, "src", LinkKind.FRAME, element.attr("title"), links);
                    case "img" ->
                            add(element, "src", LinkKind.REQUISITE, element.attr("alt"), links);
                    default -> {
                        for (var kind : LinkRelations.kinds(element.attr("rel"))) {
                            add(element, "href", kind, element.attr("title"), links);
                        }
                    }
                }
                for (var link : links.subList(known, links.size())) {
                    chars += link.link().url().text().length() + link.text().length();
                }
            }
            return links;
        }

        /** Returns an anchor's text, or the alternative texts if it has only images. */
        private static String visibleText(Element anchor) {
            var text = anchor.text();
            return text.isBlank()
                    ? String.join(" ", anchor.select("img[alt]").eachAttr("alt"))
                    : text;
        }

        private void add(
                Element element,
                String attribute,
                LinkKind kind,
                String text,
                List<TextLink> links) {
            var nofollow = kind == LinkKind.ANCHOR && LinkRelations.isNofollow(element.attr("rel"));
            resolver.resolve(element.attr(attribute), StandardCharsets.UTF_8)
                    .ifPresent(
                            url ->
                                    links.add(
                                            new TextLink(
                                                    new Link(url, kind, nofollow),
                                                    truncate(text.strip()))));
        }

        private static String truncate(String text) {
            return Words.truncate(text, TEXT_CHARS_MAX);
        }
    }
}
