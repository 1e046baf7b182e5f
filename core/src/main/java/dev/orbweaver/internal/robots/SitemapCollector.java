package dev.orbweaver.internal.robots;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/** Joins entries from their parts, passes them on and enforces the limit. */
final class SitemapCollector {

    private final String origin;
    private final SitemapHandler handler;
    private final long entriesMax;
    private long count;
    private String url = "";
    private Optional<Instant> lastModified = Optional.empty();
    private OptionalDouble priority = OptionalDouble.empty();

    SitemapCollector(String sitemapUrl, long entriesMax, SitemapHandler handler) {
        var authority = sitemapUrl.indexOf("://") + "://".length();
        var path = sitemapUrl.indexOf('/', authority);
        this.origin = path < 0 ? sitemapUrl : sitemapUrl.substring(0, path);
        this.entriesMax = entriesMax;
        this.handler = handler;
    }

    /** Sets the entry's URL if the text can be an http or https URL. */
    void url(String text) {
        url = webUrl(trim(text));
    }

    boolean hasUrl() {
        return !url.isEmpty();
    }

    void lastModified(String text) {
        var date = SitemapDates.parse(text);
        if (date.isPresent()) {
            lastModified = date;
        }
    }

    void priority(String text) {
        try {
            var value = Double.parseDouble(trim(text));
            priority = value >= 0 && value <= 1 ? OptionalDouble.of(value) : OptionalDouble.empty();
        } catch (NumberFormatException e) {
            // Not a number: the entry has no priority, as most entries do.
            priority = OptionalDouble.empty();
        }
    }

    /** Ends the entry, which is kept if it has a URL. */
    void endEntry(boolean isSitemap) {
        if (hasUrl() && !isFull()) {
            count++;
            if (isSitemap) {
                handler.sitemap(url);
            } else {
                handler.page(new Sitemap.Entry(url, lastModified, priority));
            }
        }
        url = "";
        lastModified = Optional.empty();
        priority = OptionalDouble.empty();
    }

    boolean isFull() {
        return count >= entriesMax;
    }

    boolean isEmpty() {
        return count == 0;
    }

    private String webUrl(String text) {
        if (isAbsolute(text)) {
            return text;
        }
        if (text.startsWith("//")) {
            return origin.substring(0, origin.indexOf(':') + 1) + text;
        }
        return text.startsWith("/") ? origin + text : "";
    }

    static boolean isAbsolute(String text) {
        return text.regionMatches(true, 0, "http://", 0, 7)
                || text.regionMatches(true, 0, "https://", 0, 8);
    }

    /** Removes surrounding white space, including Unicode white space. */
    static String trim(String text) {
        var start = 0;
        var end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isSpace(char c) {
        return c <= ' '
                || Character.isWhitespace(c)
                || Character.isSpaceChar(c)
                || c == '\uFEFF'
                || c == '\u200B';
    }
}
