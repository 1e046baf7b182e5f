package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Extraction;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A parsed page while extractors work on it. */
final class ParsedExtraction implements Extraction {

    private final Page page;
    private final Document document;
    private final Exchange exchange;
    private final CrawlUrls urls;
    private final Fields fields = new Fields();
    private final List<Link> links;
    private int addedLinks;
    private long addedChars;
    private org.jsoup.nodes.@Nullable Document tree;

    ParsedExtraction(Page page, Document document, Exchange exchange, CrawlUrls urls) {
        this.page = page;
        this.document = document;
        this.exchange = exchange;
        this.urls = urls;
        this.links = new ArrayList<>(page.links());
    }

    Page result() {
        return page.withExtraction(links, fields.toJson(), "");
    }

    @Override
    public String url() {
        return document.url().text();
    }

    @Override
    public int status() {
        return exchange.status();
    }

    @Override
    public String mediaType() {
        return exchange.head().mediaType();
    }

    @Override
    public Optional<String> header(String name) {
        return exchange.head().field(name);
    }

    @Override
    public String title() {
        return page.title();
    }

    @Override
    public String text() {
        return HtmlTree.text(document);
    }

    @Override
    public org.jsoup.nodes.Document document() {
        var parsed = tree;
        if (parsed == null) {
            parsed = HtmlTree.of(document);
            tree = parsed;
        }
        return parsed;
    }

    @Override
    public void put(String name, String value) {
        fields.put(name, value);
    }

    @Override
    public void put(String name, long value) {
        fields.put(name, value);
    }

    @Override
    public void put(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("field '" + name + "' is not finite: " + value);
        }
        fields.put(name, value);
    }

    @Override
    public void put(String name, boolean value) {
        fields.put(name, value);
    }

    @Override
    public void put(String name, List<String> values) {
        fields.put(name, List.copyOf(values));
    }

    @Override
    public List<Link> links() {
        return List.copyOf(links);
    }

    @Override
    public boolean addLink(String url) {
        var resolved = urls.resolve(document.url(), url);
        if (resolved.isEmpty()) {
            return false;
        }
        addedChars += resolved.get().text().length();
        if (++addedLinks > ADDED_LINKS_MAX || addedChars > ADDED_LINK_CHARS_MAX) {
            throw new IllegalStateException(
                    "more than %d added links, or more than %d characters in them"
                            .formatted(ADDED_LINKS_MAX, ADDED_LINK_CHARS_MAX));
        }
        links.add(new Link(resolved.get(), LinkKind.ANCHOR, false));
        return true;
    }

    @Override
    public void removeLinks(Predicate<Link> condition) {
        links.removeIf(condition);
    }
}
