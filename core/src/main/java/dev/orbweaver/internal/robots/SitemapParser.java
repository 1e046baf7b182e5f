package dev.orbweaver.internal.robots;

import dev.orbweaver.internal.xml.XmlTokenizer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/** Reads sitemaps of any bytes: XML lists and indexes (sitemaps.org), text, RSS, Atom; gzip too. */
public final class SitemapParser {

    /** How much is read of a file after unpacking: what sitemaps.org allows. */
    public static final int BYTES_MAX = 50 * 1024 * 1024;

    /** How many entries are kept: twice what sitemaps.org allows. */
    public static final int ENTRIES_MAX = 100_000;

    private SitemapParser() {}

    /**
     * The content decides which kind it is, because servers seldom know.
     *
     * @param mediaType the Content-Type field's value; used for its charset parameter only
     * @param url where the file came from: paths in it are completed from there
     */
    public static Sitemap parse(byte[] content, int length, String mediaType, String url) {
        var collector = new SitemapCollector(url, ENTRIES_MAX);
        try {
            var text = new SitemapDecoder(content, length, mediaType, BYTES_MAX);
            var whole = read(new BufferedReader(text.reader()), collector);
            return collector.sitemap(!whole || text.isTruncated() || collector.isFull());
        } catch (IOException e) {
            // The bytes lie in memory: this is a gzip header that is none, so there is no text.
            return collector.sitemap(true);
        }
    }

    /** Reads a list or a feed if the text begins with a tag, else lines. */
    private static boolean read(BufferedReader text, SitemapCollector collector)
            throws IOException {
        int first;
        do {
            text.mark(1);
            first = text.read();
        } while (first >= 0 && SitemapCollector.trim(Character.toString(first)).isEmpty());
        text.reset();
        return first == '<'
                ? new SitemapXmlParser(new XmlTokenizer(text), collector).read()
                : readLines(text, collector);
    }

    /** One URL a line (sitemaps.org, "Text file"); lines that are none are passed over. */
    private static boolean readLines(Reader text, SitemapCollector collector) throws IOException {
        var line = new StringBuilder();
        var tooLong = false;
        int c;
        do {
            c = text.read();
            if (c >= 0 && c != '\n' && c != '\r') {
                tooLong |= line.length() >= XmlTokenizer.TEXT_CHARS_MAX;
                if (!tooLong) {
                    line.append((char) c);
                }
                continue;
            }
            var trimmed = SitemapCollector.trim(line.toString());
            if (!tooLong && SitemapCollector.isAbsolute(trimmed)) {
                collector.url(trimmed);
                collector.endEntry(false);
            }
            line.setLength(0);
            tooLong = false;
        } while (c >= 0 && !collector.isFull());
        return !collector.isEmpty();
    }
}
