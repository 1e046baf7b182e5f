package dev.orbweaver.internal.traps;

import dev.orbweaver.internal.traps.UrlPattern.Kind;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The patterns of one URL, from its registrable domain down: host name, each directory of the path,
 * the path, each parameter of the query. A hot path: one instance is reused for all URLs, without
 * allocation.
 *
 * <p>In every name all digits are equivalent, and so are all long names of hexadecimal digits or of
 * mixed digits and letters. Where very many names are siblings, they are learned to be equivalent
 * too. A segment with the same pattern as the one before it adds no level, so that a growing path
 * does not escape its pattern.
 */
public final class UrlPatternPath {

    private static final int SEGMENTS_MAX = 16;
    private static final int PARAMETERS_MAX = 16;
    private static final int HOSTS_MAX = 4096;
    private static final int CODE_LENGTH = 8;
    private static final int MIXED_LENGTH = 16;

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long MORE = 0xBF58476D1CE4E5B9L;
    private static final long CODE = 0x1234567;
    private static final long ANY = 0x7654321;

    private final UrlPatternTable table;
    private final int budget;
    private final Map<String, HostHashes> hostHashes = new HashMap<>();
    private final @Nullable UrlPattern[] urlPatterns =
            new UrlPattern[2 + SEGMENTS_MAX + PARAMETERS_MAX];
    private int size;
    private int pathIndex;
    private final @Nullable UrlPattern[] unestablished = new UrlPattern[1 + SEGMENTS_MAX];
    private int unestablishedSize;
    private long nameHash;

    private record HostHashes(long domain, long label, long shape) {}

    UrlPatternPath(UrlPatternTable table, int budget) {
        this.table = table;
        this.budget = budget;
    }

    /** Returns the number of patterns, of which some may be unknown. */
    int size() {
        return size;
    }

    @Nullable UrlPattern get(int i) {
        return urlPatterns[i];
    }

    /** Returns the index of the path's pattern. */
    int pathIndex() {
        return pathIndex;
    }

    void countUrl() {
        for (var i = 0; i < size; i++) {
            countUrl(urlPatterns[i]);
        }
        for (var i = 0; i < unestablishedSize; i++) {
            countUrl(unestablished[i]);
        }
    }

    private static void countUrl(@Nullable UrlPattern urlPattern) {
        if (urlPattern != null) {
            urlPattern.found++;
        }
    }

    /**
     * Finds the patterns of a URL.
     *
     * @param learning whether unknown patterns are created and names recorded
     */
    void match(CrawlUrl url, boolean learning) {
        var hostHashes = hashesOf(url.host());
        Arrays.fill(urlPatterns, 0, size, null);
        size = 0;
        unestablishedSize = 0;
        var domain = append(hostHashes.domain, Kind.DOMAIN, learning);
        var key = hostKey(hostHashes, domain, learning);
        var urlPattern = append(key, nameHash == ANY ? Kind.PATH : Kind.HOST, learning);
        var text = url.text();
        var at = text.indexOf('/', url.isHttps() ? 8 : 7) + 1;
        var query = text.indexOf('?', at);
        var end = query < 0 ? text.length() : query;
        var before = 0L;
        for (var segments = 0; at < end && segments < SEGMENTS_MAX; segments++) {
            var slash = text.indexOf('/', at);
            var segmentEnd = slash < 0 || slash > end ? end : slash;
            var generated = readName(text, at, segmentEnd);
            var alone = segmentEnd == end && query < 0 && !generated;
            at = segmentEnd + 1;
            var next = childKey(urlPattern, key, alone ? Kind.PARAMETER : Kind.PATH, learning);
            if (alone && nameHash != ANY) {
                break; // A page with a name of its own belongs to no pattern.
            }
            if (nameHash != before) {
                before = nameHash;
                key = next;
                urlPattern = append(key, Kind.PATH, learning);
            }
        }
        pathIndex = size - 1;
        if (query >= 0) {
            appendParameters(text, query + 1, key, learning);
        }
    }

    /**
     * Returns the key of a host name. Hosts with few URLs that differ only in their digits share
     * one.
     */
    private long hostKey(HostHashes hostHashes, @Nullable UrlPattern domain, boolean learning) {
        nameHash = hostHashes.label;
        if (hostHashes.shape != hostHashes.label) {
            var own = mix(hostHashes.domain + hostHashes.label);
            var alike = mix(hostHashes.domain + hostHashes.shape);
            var crowd = learning ? table.getOrCreate(alike, Kind.HOST, budget) : table.find(alike);
            if (crowd != null && learning) {
                crowd.addName(own);
            }
            if (crowd != null && crowd.isCrowded() && !isEstablished(own, Kind.HOST, learning)) {
                nameHash = ANY;
                return mix(alike + ANY);
            }
        }
        return childKey(domain, hostHashes.domain, Kind.HOST, learning);
    }

    /**
     * Returns the key of the last name read; among too many names only those with many URLs have
     * their own.
     */
    private long childKey(@Nullable UrlPattern above, long key, Kind kind, boolean learning) {
        var own = mix(key + nameHash);
        if (above == null || nameHash == CODE) {
            return own;
        }
        if (learning && !above.isWildcard()) {
            above.addName(own);
        }
        if (!above.isWildcard() || isEstablished(own, kind, learning)) {
            return own;
        }
        nameHash = ANY;
        return mix(key + ANY);
    }

    private boolean isEstablished(long key, Kind kind, boolean learning) {
        if (kind == Kind.PARAMETER) {
            return false; // A single page is the only URL with its name.
        }
        var own = learning ? table.getOrCreate(key, kind, budget) : table.find(key);
        if (own == null || own.isEstablished()) {
            return own != null;
        }
        unestablished[unestablishedSize++] = own; // It may become established later.
        return false;
    }

    private @Nullable UrlPattern append(long key, Kind kind, boolean learning) {
        var urlPattern = learning ? table.getOrCreate(key, kind, budget) : table.find(key);
        urlPatterns[size++] = urlPattern;
        return urlPattern;
    }

    private void appendParameters(String text, int start, long path, boolean learning) {
        var at = start;
        for (var count = 0; at < text.length() && count < PARAMETERS_MAX; count++) {
            var and = text.indexOf('&', at);
            var end = and < 0 ? text.length() : and;
            var equals = text.indexOf('=', at);
            var _ = readName(text, at, equals < 0 || equals > end ? end : equals);
            var _ = append(mix(path ^ (nameHash + MORE)), Kind.PARAMETER, learning);
            at = end + 1;
        }
    }

    /** Returns the hash of a word's equivalence class. */
    long shapeHash(String word) {
        var _ = readName(word, 0, word.length());
        return nameHash;
    }

    /**
     * Reads a name into {@link #nameHash} by its equivalence class; returns whether it looks
     * generated.
     */
    private boolean readName(String text, int start, int end) {
        var hash = 1L;
        var digits = 0;
        var hexadecimal = 0;
        var letters = 0;
        var before = ' ';
        for (var i = start; i < end; i++) {
            var c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                digits++;
                c = '#';
            } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
                hexadecimal++;
            } else if ((c | 0x20) > 'f' && (c | 0x20) <= 'z') {
                letters++;
            }
            if (c != '#' || before != '#') {
                hash = (hash ^ c) * MIX;
                hash ^= hash >>> 32;
            }
            before = c;
        }
        var length = end - start;
        var generated = digits > 0;
        var code = length >= CODE_LENGTH && digits + hexadecimal == length && hexadecimal > 0;
        var mixed = length >= MIXED_LENGTH && digits + hexadecimal + letters == length;
        nameHash = generated && (code || mixed) ? CODE : hash;
        return generated;
    }

    private HostHashes hashesOf(String host) {
        var known = this.hostHashes.get(host);
        if (known != null) {
            return known;
        }
        if (this.hostHashes.size() >= HOSTS_MAX) {
            this.hostHashes.clear();
        }
        var domain = RegistrableDomain.of(host);
        var labels = host.substring(0, Math.max(0, host.length() - domain.length()));
        var label = hash(labels, 11);
        var generated = readName(labels, 0, labels.length());
        var hostHashes = new HostHashes(hash(domain, 7), label, generated ? nameHash : label);
        this.hostHashes.put(host, hostHashes);
        return hostHashes;
    }

    public static long hash(String text, long start) {
        var hash = start;
        for (var i = 0; i < text.length(); i++) {
            hash = mix(hash + text.charAt(i));
        }
        return hash;
    }

    static long mix(long value) {
        var mixed = (value ^ (value >>> 31)) * MIX;
        mixed = (mixed ^ (mixed >>> 29)) * MORE;
        return mixed ^ (mixed >>> 32);
    }
}
