package dev.orbweaver.internal.robots;

import dev.orbweaver.internal.xml.XmlTokenizer;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.util.ArrayList;

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
        var sitemaps = new ArrayList<String>();
        var entries = new ArrayList<Sitemap.Entry>();
        var handler =
                new SitemapHandler() {
                    @Override
                    public void sitemap(String listed) {
                        sitemaps.add(listed);
                    }

                    @Override
                    public void page(Sitemap.Entry entry) {
                        entries.add(entry);
                    }
                };
        var bytes = new ByteArrayInputStream(content, 0, Math.min(length, content.length));
        try {
            var whole = parse(bytes, mediaType, url, new Limits(BYTES_MAX, ENTRIES_MAX), handler);
            return new Sitemap(sitemaps, entries, !whole);
        } catch (IOException e) {
            // The bytes are in memory, so this is an invalid gzip header, and there is no text.
            return new Sitemap(sitemaps, entries, true);
        }
    }

    /**
     * Limits of one file.
     *
     * @param bytes maximum size after decompression
     * @param entries maximum number of entries
     */
    public record Limits(long bytes, long entries) {}

    /**
     * Parses a sitemap from a stream in constant memory.
     *
     * @return whether the file is of a known type, complete and within the limits; entries before
     *     that were passed on
     * @throws IOException if the stream cannot be read at its start
     */
    public static boolean parse(
            InputStream content,
            String mediaType,
            String url,
            Limits limits,
            SitemapHandler handler)
            throws IOException {
        var collector = new SitemapCollector(url, limits.entries(), handler);
        var text = new SitemapDecoder(content, mediaType, limits.bytes());
        var whole = read(new BufferedReader(text.reader()), collector);
        return whole && !text.isTruncated() && !collector.isFull();
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
