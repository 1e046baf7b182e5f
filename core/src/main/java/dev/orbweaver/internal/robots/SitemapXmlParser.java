package dev.orbweaver.internal.robots;

import java.io.IOException;
import java.util.Locale;

/**
 * What the tags of a sitemap, an index or a feed mean.
 *
 * <p>Only elements with the root's own prefix count, so that the {@code image:loc} of an extension
 * is not taken for a page; the namespace behind the prefix is not looked at, since many files have
 * it wrong. A second {@code loc} without a new {@code url} before it begins a new entry, and an
 * entry without a {@code loc} may hold its URL bare: both are seen in the wild.
 */
final class SitemapXmlParser {

    private final XmlTokenizer xmlTokenizer;
    private final SitemapCollector collector;
    private Kind kind = Kind.UNKNOWN;
    private String prefix = "";
    private boolean inEntry;
    private boolean updated;

    /** The kinds of document, by root element. */
    private enum Kind {
        URLSET("url"),
        INDEX("sitemap"),
        RSS("item"),
        ATOM("entry"),
        UNKNOWN("");

        private final String entry;

        Kind(String entry) {
            this.entry = entry;
        }

        static Kind of(String root) {
            return switch (root) {
                case "urlset" -> URLSET;
                case "sitemapindex" -> INDEX;
                case "rss", "rdf" -> RSS;
                case "feed" -> ATOM;
                default -> UNKNOWN;
            };
        }
    }

    SitemapXmlParser(XmlTokenizer xmlTokenizer, SitemapCollector collector) {
        this.xmlTokenizer = xmlTokenizer;
        this.collector = collector;
    }

    /** Reads to the end; false when the document is of no known kind or breaks off. */
    boolean read() throws IOException {
        if (xmlTokenizer.next() != XmlTokenizer.Token.START) {
            return false;
        }
        var root = xmlTokenizer.name().toLowerCase(Locale.ROOT);
        var colon = root.indexOf(':');
        kind = Kind.of(root.substring(colon + 1));
        // RSS 1.0 has a prefix on its root and on nothing else.
        prefix = kind == Kind.RSS ? "" : root.substring(0, colon + 1);
        if (kind == Kind.UNKNOWN) {
            return false;
        }
        while (!collector.isFull()) {
            switch (xmlTokenizer.next()) {
                case START -> start(local());
                case END -> {
                    if (xmlTokenizer.name().equalsIgnoreCase(root)) {
                        flush();
                        return true;
                    }
                    end(local());
                }
                case EOF -> {
                    flush();
                    return false;
                }
            }
        }
        return false;
    }

    private void start(String name) {
        if (name.equals(kind.entry)) {
            flush();
            inEntry = true;
            xmlTokenizer.clearText();
            return;
        }
        if (inEntry && kind == Kind.ATOM && name.equals("link")) {
            atomLink();
        }
        switch (name) {
            case "loc", "lastmod", "priority" -> xmlTokenizer.clearText();
            case "link", "guid", "pubdate", "date" -> xmlTokenizer.clearText();
            case "updated", "published" -> xmlTokenizer.clearText();
            default -> {}
        }
    }

    private void atomLink() {
        var rel = xmlTokenizer.rel();
        if (!collector.hasUrl() && (rel.isEmpty() || rel.equals("alternate"))) {
            collector.url(xmlTokenizer.href());
        }
    }

    private void end(String name) {
        if (!inEntry) {
            return;
        }
        if (name.equals(kind.entry)) {
            if (!collector.hasUrl() && (kind == Kind.INDEX || kind == Kind.URLSET)) {
                bareUrl();
            }
            flush();
            return;
        }
        switch (kind) {
            case URLSET, INDEX -> endOfListPart(name);
            case RSS -> endOfItemPart(name);
            case ATOM -> endOfAtomPart(name);
            case UNKNOWN -> {}
        }
    }

    /** The text is the URL if it is one word; else it is what other elements of the entry hold. */
    private void bareUrl() {
        var text = SitemapCollector.trim(xmlTokenizer.text());
        if (text.chars().noneMatch(c -> c <= ' ')) {
            collector.url(text);
        }
    }

    private void endOfListPart(String name) {
        switch (name) {
            case "loc" -> {
                if (collector.hasUrl()) {
                    collector.endEntry(kind == Kind.INDEX);
                }
                collector.url(xmlTokenizer.text());
                xmlTokenizer.clearText();
            }
            case "lastmod" -> collector.lastModified(xmlTokenizer.text());
            case "priority" -> collector.priority(xmlTokenizer.text());
            default -> {}
        }
    }

    private void endOfItemPart(String name) {
        switch (name) {
            case "link" -> collector.url(xmlTokenizer.text());
            case "guid" -> {
                if (!collector.hasUrl() && SitemapCollector.isAbsolute(guid())) {
                    collector.url(guid());
                }
            }
            case "pubdate", "date" -> collector.lastModified(xmlTokenizer.text());
            default -> {}
        }
    }

    private String guid() {
        return xmlTokenizer.isNotPermaLink() ? "" : SitemapCollector.trim(xmlTokenizer.text());
    }

    /** An update counts more than the first publication, whichever comes first. */
    private void endOfAtomPart(String name) {
        if (name.equals("updated") || (name.equals("published") && !updated)) {
            collector.lastModified(xmlTokenizer.text());
        }
        updated |= name.equals("updated");
    }

    private void flush() {
        if (inEntry) {
            collector.endEntry(kind == Kind.INDEX);
        }
        inEntry = false;
        updated = false;
    }

    /** The name without the root's prefix; empty for an element of an extension. */
    private String local() {
        var name = xmlTokenizer.name().toLowerCase(Locale.ROOT);
        if (kind == Kind.RSS && name.equals("dc:date")) {
            return "date";
        }
        var ours = name.startsWith(prefix) && name.indexOf(':', prefix.length()) < 0;
        return ours ? name.substring(prefix.length()) : "";
    }
}
