package dev.orbweaver.internal.robots;

import java.nio.charset.StandardCharsets;

/**
 * Splits robots.txt into lines, and lines into a key and a value. It is as lenient as Google's open
 * source parser, because site owners test against that one. CR, LF and CRLF end a line. A byte
 * order mark, even an incomplete one, is skipped. A missing colon is accepted if the line has
 * exactly two words. Common misspellings of a key count as the key.
 *
 * <p>A line truncated by the size limit is dropped, because a part of {@code Allow: /a/b} may allow
 * more than the whole line.
 */
final class RobotsLines {

    /** Longer lines are truncated here; eight times the URL length limit of common browsers. */
    private static final int LINE_BYTES_MAX = 8 * 2083;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final byte[] bytes;
    private final int end;

    /** The known directives. */
    enum Key {
        USER_AGENT,
        ALLOW,
        DISALLOW,
        CRAWL_DELAY,
        SITEMAP,
        CONTENT_USAGE,
        CONTENT_SIGNAL,
        UNKNOWN
    }

    /** Receives the lines that have a key; the value is {@code bytes[start, end)}. */
    interface LineHandler {
        void line(int number, Key key, byte[] bytes, int start, int end);
    }

    RobotsLines(byte[] bytes, int length) {
        this.bytes = bytes;
        this.end = endOfLastWholeLine(bytes, Math.min(length, bytes.length));
    }

    void forEach(LineHandler lineHandler) {
        var start = bomLength();
        for (var number = 1; start < end; number++) {
            var stop = lineEnd(start);
            line(number, start, Math.min(stop, start + LINE_BYTES_MAX), lineHandler);
            var crlf = stop + 1 < end && bytes[stop] == '\r' && bytes[stop + 1] == '\n';
            start = stop + (crlf ? 2 : 1);
        }
    }

    private void line(int number, int from, int to, LineHandler lineHandler) {
        var stop = trimEnd(from, indexOf('#', from, to));
        var start = trimStart(from, stop);
        var colon = indexOf(':', start, stop);
        var keyEnd = colon < stop ? trimEnd(start, colon) : endOfFirstOfTwoWords(start, stop);
        if (keyEnd > start) {
            var value = trimStart(colon < stop ? colon + 1 : keyEnd, stop);
            var key = key(new String(bytes, start, keyEnd - start, StandardCharsets.ISO_8859_1));
            lineHandler.line(number, key, bytes, value, stop);
        }
    }

    /** Returns the end of the first word if there are exactly two, otherwise the start. */
    private int endOfFirstOfTwoWords(int start, int stop) {
        var gap = start;
        while (gap < stop && !isSpace(bytes[gap])) {
            gap++;
        }
        for (var i = trimStart(gap, stop); i < stop; i++) {
            if (isSpace(bytes[i])) {
                return start;
            }
        }
        return gap < stop ? gap : start;
    }

    private static Key key(String name) {
        if (startsWithAny(name, "user-agent", "useragent", "user agent")) {
            return Key.USER_AGENT;
        }
        if (startsWithAny(name, "allow")) {
            return Key.ALLOW;
        }
        if (startsWithAny(
                name, "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")) {
            return Key.DISALLOW;
        }
        if (startsWithAny(name, "crawl-delay", "crawldelay", "crawl delay")) {
            return Key.CRAWL_DELAY;
        }
        if (startsWithAny(name, "sitemap", "site-map")) {
            return Key.SITEMAP;
        }
        if (name.equalsIgnoreCase("content-usage")) {
            return Key.CONTENT_USAGE;
        }
        return name.equalsIgnoreCase("content-signal") ? Key.CONTENT_SIGNAL : Key.UNKNOWN;
    }

    private static boolean startsWithAny(String name, String... spellings) {
        for (var spelling : spellings) {
            if (name.regionMatches(true, 0, spelling, 0, spelling.length())) {
                return true;
            }
        }
        return false;
    }

    private int bomLength() {
        var i = 0;
        while (i < BYTE_ORDER_MARK.length && i < end && bytes[i] == BYTE_ORDER_MARK[i]) {
            i++;
        }
        return i;
    }

    private static int endOfLastWholeLine(byte[] bytes, int length) {
        if (length < RobotsRules.BYTES_MAX) {
            return length;
        }
        // A caller may have truncated at the limit, so a length of exactly the limit counts as
        // truncated.
        var end = RobotsRules.BYTES_MAX;
        if (end < length && (bytes[end] == '\r' || bytes[end] == '\n')) {
            return end;
        }
        while (end > 0 && bytes[end - 1] != '\r' && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    private int lineEnd(int start) {
        var i = start;
        while (i < end && bytes[i] != '\n' && bytes[i] != '\r') {
            i++;
        }
        return i;
    }

    private int indexOf(char wanted, int from, int to) {
        var i = from;
        while (i < to && bytes[i] != wanted) {
            i++;
        }
        return i;
    }

    private int trimStart(int from, int to) {
        var i = from;
        while (i < to && isSpace(bytes[i])) {
            i++;
        }
        return i;
    }

    private int trimEnd(int from, int to) {
        var i = to;
        while (i > from && isSpace(bytes[i - 1])) {
            i--;
        }
        return i;
    }

    static boolean isSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }
}
