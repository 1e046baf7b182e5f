package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.revisit.Signal;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Fingerprints;
import dev.orbweaver.model.CrawlUrl;

import java.time.Instant;

/**
 * Hashes of a URL for the schedule of visits, under the frontier's secret key: pages whose hashes
 * share a bucket share a prior rate, and a site must not be able to choose whose (ADR 14).
 *
 * @param url of its key
 * @param pattern of host and the form of its path: pages with the same one are of the same kind
 * @param host of its host
 */
public record UrlHashes(long url, long pattern, long host) {

    /** Begins a text that is no normal form of a URL. */
    private static final char HOST = ' ';

    public static UrlHashes of(CrawlUrl url, FingerprintKey key) {
        var text = new StringBuilder(url.text().length() + 2).append(HOST).append(url.host());
        var host = hash(text, key);
        appendPattern(text.append(HOST), url.text());
        return new UrlHashes(url.key().high(), hash(text, key), host);
    }

    private static long hash(StringBuilder text, FingerprintKey key) {
        var bytes = text.toString().getBytes(ISO_8859_1);
        return Fingerprints.of(key, bytes, 0, bytes.length).high();
    }

    /**
     * Appends the directories of the path with each run of digits as one, the extension of its last
     * segment, and the names in its query.
     */
    private static void appendPattern(StringBuilder out, String text) {
        var start = text.indexOf('/', text.indexOf("//") + 2);
        var queryAt = text.indexOf('?');
        var end = queryAt < 0 ? text.length() : queryAt;
        if (start < 0 || start >= end) {
            return;
        }
        var last = text.lastIndexOf('/', end - 1);
        var inNumber = false;
        for (var i = start; i <= last; i++) {
            var c = text.charAt(i);
            var digit = c >= '0' && c <= '9';
            if (!digit || !inNumber) {
                out.append(digit ? '0' : c);
            }
            inNumber = digit;
        }
        var dot = text.lastIndexOf('.', end - 1);
        out.append(text, dot > last ? dot : end, end);
        var inName = true;
        for (var i = end; i < text.length(); i++) {
            var c = text.charAt(i);
            inName = (inName || c == '&') && c != '=';
            if (inName) {
                out.append(c);
            }
        }
    }

    Signal signal(Instant changed) {
        return new Signal(url, host, changed);
    }
}
