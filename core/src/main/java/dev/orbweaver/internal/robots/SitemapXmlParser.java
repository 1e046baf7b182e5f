package dev.orbweaver.internal.robots;

import dev.orbweaver.internal.xml.FeedHandler;
import dev.orbweaver.internal.xml.FeedReader;
import dev.orbweaver.internal.xml.XmlTokenizer;

import java.io.IOException;
import java.util.Locale;

/**
 * Interprets the elements of a sitemap or an index; feeds are parsed by {@link FeedReader}.
 *
 * <p>Only elements with the prefix of the root element are used, so that {@code image:loc} of an
 * extension is not taken for a page. The namespace of the prefix is ignored, because many files
 * have a wrong one. A second {@code loc} without a new {@code url} before it starts a new entry,
 * and an entry without a {@code loc} may contain its URL as text: both occur in practice.
 */
final class SitemapXmlParser implements FeedHandler {

    private final XmlTokenizer xmlTokenizer;
    private final SitemapCollector collector;
    private boolean isIndex;
    private String prefix = "";
    private boolean inEntry;

    SitemapXmlParser(XmlTokenizer xmlTokenizer, SitemapCollector collector) {
        this.xmlTokenizer = xmlTokenizer;
        this.collector = collector;
    }

    /** Parses to the end; returns false if the document is of unknown type or truncated. */
    boolean read() throws IOException {
        if (xmlTokenizer.next() != XmlTokenizer.Token.START) {
            return false;
        }
        var root = xmlTokenizer.name().toLowerCase(Locale.ROOT);
        var colon = root.indexOf(':');
        prefix = root.substring(0, colon + 1);
        switch (root.substring(colon + 1)) {
            case "urlset" -> isIndex = false;
            case "sitemapindex" -> isIndex = true;
            default -> {
                return new FeedReader(xmlTokenizer, this).read();
            }
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
        if (isEntry(name)) {
            flush();
            inEntry = true;
            xmlTokenizer.clearText();
        } else if (name.equals("loc") || name.equals("lastmod") || name.equals("priority")) {
            xmlTokenizer.clearText();
        }
    }

    private void end(String name) {
        if (!inEntry) {
            return;
        }
        if (isEntry(name)) {
            if (!collector.hasUrl()) {
                bareUrl();
            }
            flush();
            return;
        }
        switch (name) {
            case "loc" -> {
                if (collector.hasUrl()) {
                    collector.endEntry(isIndex);
                }
                collector.url(xmlTokenizer.text());
                xmlTokenizer.clearText();
            }
            case "lastmod" -> collector.lastModified(xmlTokenizer.text());
            case "priority" -> collector.priority(xmlTokenizer.text());
            default -> {}
        }
    }

    private boolean isEntry(String name) {
        return name.equals(isIndex ? "sitemap" : "url");
    }

    /**
     * Takes the text as the URL if it is one word; otherwise it belongs to other elements of the
     * entry.
     */
    private void bareUrl() {
        var text = SitemapCollector.trim(xmlTokenizer.text());
        if (text.chars().noneMatch(c -> c <= ' ')) {
            collector.url(text);
        }
    }

    private void flush() {
        if (inEntry) {
            collector.endEntry(isIndex);
        }
        inEntry = false;
    }

    @Override
    public void entryLink(String target) {
        if (!collector.hasUrl()) {
            collector.url(target);
        }
    }

    @Override
    public void date(String text) {
        collector.lastModified(text);
    }

    @Override
    public void endEntry(String id) {
        entryLink(id);
        collector.endEntry(false);
    }

    @Override
    public boolean isFull() {
        return collector.isFull();
    }

    /** Returns the name without the root's prefix; empty for an element of an extension. */
    private String local() {
        var name = xmlTokenizer.name().toLowerCase(Locale.ROOT);
        var ours = name.startsWith(prefix) && name.indexOf(':', prefix.length()) < 0;
        return ours ? name.substring(prefix.length()) : "";
    }
}
