package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.revisit.Signal;
import dev.orbweaver.model.CrawlUrl;

import java.time.Instant;

/**
 * Hashes of a URL for the schedule of visits.
 *
 * @param url of its key
 * @param pattern of host and the form of its path: pages with the same one are of the same kind
 * @param host of its host
 */
record UrlHashes(long url, long pattern, long host) {

    private static final long SEED = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    static UrlHashes of(CrawlUrl url) {
        var host = SEED;
        for (var i = 0; i < url.host().length(); i++) {
            host = next(host, url.host().charAt(i));
        }
        return new UrlHashes(url.key().high(), pattern(host, url.text()), host);
    }

    /**
     * Hashes the directories of the path with each run of digits as one, the extension of its last
     * segment, and the names in its query.
     */
    private static long pattern(long host, String text) {
        var start = text.indexOf('/', text.indexOf("//") + 2);
        var queryAt = text.indexOf('?');
        var end = queryAt < 0 ? text.length() : queryAt;
        if (start < 0 || start >= end) {
            return host;
        }
        var last = text.lastIndexOf('/', end - 1);
        var hash = host;
        var inNumber = false;
        for (var i = start; i <= last; i++) {
            var c = text.charAt(i);
            var digit = c >= '0' && c <= '9';
            if (!digit || !inNumber) {
                hash = next(hash, digit ? '0' : c);
            }
            inNumber = digit;
        }
        var dot = text.lastIndexOf('.', end - 1);
        for (var i = dot > last ? dot : end; i < end; i++) {
            hash = next(hash, text.charAt(i));
        }
        var inName = true;
        for (var i = end; i < text.length(); i++) {
            var c = text.charAt(i);
            inName = (inName || c == '&') && c != '=';
            if (inName) {
                hash = next(hash, c);
            }
        }
        return hash;
    }

    private static long next(long hash, char c) {
        return (hash ^ c) * PRIME;
    }

    Signal signal(Instant changed) {
        return new Signal(url, host, changed);
    }
}
