package dev.orbweaver.bench;

import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares the extracted links of a page with those in jsoup's tree: anchors, areas, frames,
 * images, scripts and style sheets. Both are resolved by the same code, because URL resolution is
 * not compared.
 */
final class LinkComparison {

    private static final int SHOWN_MAX = 20;

    private final CrawlUrls urls;
    private final HtmlParser parser;
    private int pages;
    private int same;

    LinkComparison(CrawlUrls urls) {
        this.urls = urls;
        this.parser = new HtmlParser(urls);
    }

    int pages() {
        return pages;
    }

    int same() {
        return same;
    }

    void compare(String address, byte[] bytes) throws IOException {
        var url = urls.parse(address).orElseThrow();
        var page = parser.parse(new Document(url, "text/html", List.of(), bytes, bytes.length));
        var ours = new TreeSet<String>();
        for (var link : page.links()) {
            kind(link.kind()).ifPresent(kind -> ours.add(kind + " " + link.url().text()));
        }
        var theirs = jsoup(url, bytes, page.charset());
        pages++;
        if (ours.equals(theirs)) {
            same++;
        } else if (pages - same <= SHOWN_MAX) {
            System.err.printf(
                    "bench: links differ in %s%n  only ours: %s%n  only jsoup's: %s%n",
                    address, without(ours, theirs), without(theirs, ours));
        }
    }

    private static Set<String> without(Set<String> some, Set<String> others) {
        var rest = new TreeSet<>(some);
        rest.removeAll(others);
        return rest;
    }

    private static Optional<String> kind(LinkKind kind) {
        return switch (kind) {
            case ANCHOR -> Optional.of("a");
            case FRAME -> Optional.of("frame");
            case REQUISITE -> Optional.of("requisite");
            default -> Optional.empty();
        };
    }

    private Set<String> jsoup(CrawlUrl url, byte[] bytes, String charset) throws IOException {
        var tree = Jsoup.parse(new ByteArrayInputStream(bytes), charset, url.text());
        var base = tree.select("base[href]").first();
        var resolver =
                new LinkResolver(
                        urls,
                        base == null
                                ? url.text()
                                : urls.resolve(url, base.attr("href")).orElse(url).text());
        var links = new TreeSet<String>();
        for (var element : tree.select("a[href], area[href]")) {
            add("a", element, "href", charset, resolver, links);
        }
        for (var element : tree.select("iframe[src], frame[src]")) {
            add("frame", element, "src", charset, resolver, links);
        }
        for (var element :
                tree.select(
                        "img[src], script[src], source[src], audio[src], video[src], track[src],"
                                + " embed[src], input[type=image][src]")) {
            add("requisite", element, "src", charset, resolver, links);
        }
        for (var element : tree.select("object[data]")) {
            add("requisite", element, "data", charset, resolver, links);
        }
        for (var element :
                tree.select(
                        "link[rel~=(?i)\\b(stylesheet|icon|preload|modulepreload|manifest|prefetch|"
                                + "apple-touch-icon|mask-icon)\\b][href]")) {
            add("requisite", element, "href", charset, resolver, links);
        }
        return links;
    }

    private static void add(
            String kind,
            Element element,
            String attribute,
            String charset,
            LinkResolver resolver,
            Set<String> links) {
        var value = element.attr(attribute);
        if (kind.equals("a") || !value.isBlank()) {
            resolver.resolve(value, Charset.forName(charset))
                    .ifPresent(found -> links.add(kind + " " + found.text()));
        }
    }
}
