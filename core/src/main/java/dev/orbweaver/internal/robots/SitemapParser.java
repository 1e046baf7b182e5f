package dev.orbweaver.internal.robots;

import dev.orbweaver.internal.xml.XmlTokenizer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/**
 * Parses sitemaps of arbitrary bytes: XML lists and indexes (sitemaps.org), text, RSS, Atom,
 * optionally with gzip.
 */
public final class SitemapParser {

    /** Maximum size after decompression, as allowed by sitemaps.org. */
    public static final int BYTES_MAX = 50 * 1024 * 1024;

    /** Maximum number of entries: twice what sitemaps.org allows. */
    public static final int ENTRIES_MAX = 100_000;

    private SitemapParser() {}

    /**
     * Parses a sitemap. The content decides its type, because servers often declare a wrong one.
     *
     * @param mediaType the value of Content-Type; only its charset parameter is used
     * @param url the URL of the file, against which paths in it are resolved
     */
    public static Sitemap parse(byte[] content, int length, String mediaType, String url) {
        var collector = new SitemapCollector(url, ENTRIES_MAX);
        try {
            var text = new SitemapDecoder(content, length, mediaType, BYTES_MAX);
            var whole = read(new BufferedReader(text.reader()), collector);
            return collector.sitemap(!whole || text.isTruncated() || collector.isFull());
        } catch (IOException e) {
            // The bytes are in memory, so this is an invalid gzip header, and there is no text.
            return collector.sitemap(true);
        }
    }

    /** Parses a list or a feed if the text starts with a tag, otherwise lines. */
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

    /** Parses one URL per line (sitemaps.org, "Text file"); other lines are skipped. */
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
