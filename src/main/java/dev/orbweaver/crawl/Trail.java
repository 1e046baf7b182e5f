package dev.orbweaver.crawl;

import dev.orbweaver.crawl.Pattern.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.url.RegistrableDomain;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The patterns that one URL belongs to, from its registrable domain down: host name, each folder of
 * the path, the path, each parameter of the query. A hot path: made once, walked for each URL, no
 * allocation.
 *
 * <p>In every name, digits are as good as other digits, and something long of hexadecimal digits or
 * of digits and letters mixed is as good as any other such thing. Where very many names stand side
 * by side, each is as good as any other too; that is learned. A segment with the same pattern as
 * the one before it adds nothing, so that a path does not get away by growing.
 */
final class Trail {

    private static final int SEGMENTS_MAX = 16;
    private static final int PARAMETERS_MAX = 16;
    private static final int HOSTS_MAX = 4096;
    private static final int CODE_LENGTH = 8;
    private static final int MIXED_LENGTH = 16;

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long MORE = 0xBF58476D1CE4E5B9L;
    private static final long CODE = 0x1234567;
    private static final long ANY = 0x7654321;

    private final PatternTable table;
    private final int most;
    private final Map<String, Place> places = new HashMap<>();
    private final @Nullable Pattern[] patterns = new Pattern[2 + SEGMENTS_MAX + PARAMETERS_MAX];
    private int size;
    private int pathAt;
    private final @Nullable Pattern[] unheard = new Pattern[1 + SEGMENTS_MAX];
    private int unheardSize;
    private long name;

    /** Where a host name belongs. */
    private record Place(long domain, long label, long shape) {}

    Trail(PatternTable table, int most) {
        this.table = table;
        this.most = most;
    }

    /** How many patterns there are; some may not be known. */
    int size() {
        return size;
    }

    @Nullable Pattern at(int i) {
        return patterns[i];
    }

    /** Which of them is the path, whatever the query. */
    int pathAt() {
        return pathAt;
    }

    /** The URL that was walked is a new one. */
    void count() {
        for (var i = 0; i < size; i++) {
            count(patterns[i]);
        }
        for (var i = 0; i < unheardSize; i++) {
            count(unheard[i]);
        }
    }

    private static void count(@Nullable Pattern pattern) {
        if (pattern != null) {
            pattern.found++;
        }
    }

    /**
     * Walks a URL.
     *
     * @param learning whether patterns that are not known yet are made, and names remembered
     */
    void walk(CrawlUrl url, boolean learning) {
        var place = place(url.host());
        Arrays.fill(patterns, 0, size, null);
        size = 0;
        unheardSize = 0;
        var domain = step(place.domain, Kind.DOMAIN, learning);
        var key = host(place, domain, learning);
        var pattern = step(key, name == ANY ? Kind.PATH : Kind.HOST, learning);
        var text = url.text();
        var at = text.indexOf('/', url.https() ? 8 : 7) + 1;
        var query = text.indexOf('?', at);
        var end = query < 0 ? text.length() : query;
        var before = 0L;
        for (var segments = 0; at < end && segments < SEGMENTS_MAX; segments++) {
            var slash = text.indexOf('/', at);
            var segmentEnd = slash < 0 || slash > end ? end : slash;
            var made = read(text, at, segmentEnd);
            var alone = segmentEnd == end && query < 0 && !made;
            at = segmentEnd + 1;
            var next = below(pattern, key, alone ? Kind.PARAMETER : Kind.PATH, learning);
            if (alone && name != ANY) {
                break; // A page of its own name: nothing else is like it.
            }
            if (name != before) {
                before = name;
                key = next;
                pattern = step(key, Kind.PATH, learning);
            }
        }
        pathAt = size - 1;
        if (query >= 0) {
            parameters(text, query + 1, key, learning);
        }
    }

    /**
     * The key of a host name. Where several differ in their digits only, those of them that have no
     * more than a few URLs are one.
     */
    private long host(Place place, @Nullable Pattern domain, boolean learning) {
        name = place.label;
        if (place.shape != place.label) {
            var own = mix(place.domain + place.label);
            var alike = mix(place.domain + place.shape);
            var crowd = learning ? table.obtain(alike, Kind.HOST, most) : table.find(alike);
            if (crowd != null && learning) {
                crowd.named(own);
            }
            if (crowd != null && crowd.crowded() && !established(own, Kind.HOST, learning)) {
                name = ANY;
                return mix(alike + ANY);
            }
        }
        return below(domain, place.domain, Kind.HOST, learning);
    }

    /**
     * The key of the name just read, below a pattern. That one may have too many names to tell them
     * apart; then only those count that many URLs have.
     */
    private long below(@Nullable Pattern above, long key, Kind kind, boolean learning) {
        var own = mix(key + name);
        if (above == null || name == CODE) {
            return own;
        }
        if (learning && !above.wild()) {
            above.named(own);
        }
        if (!above.wild() || established(own, kind, learning)) {
            return own;
        }
        name = ANY;
        return mix(key + ANY);
    }

    private boolean established(long key, Kind kind, boolean learning) {
        if (kind == Kind.PARAMETER) {
            return false; // A page alone is the one URL of its name.
        }
        var own = learning ? table.obtain(key, kind, most) : table.find(key);
        if (own == null || own.established()) {
            return own != null;
        }
        unheard[unheardSize++] = own; // It may become one by and by.
        return false;
    }

    private @Nullable Pattern step(long key, Kind kind, boolean learning) {
        var pattern = learning ? table.obtain(key, kind, most) : table.find(key);
        patterns[size++] = pattern;
        return pattern;
    }

    private void parameters(String text, int start, long path, boolean learning) {
        var at = start;
        for (var count = 0; at < text.length() && count < PARAMETERS_MAX; count++) {
            var and = text.indexOf('&', at);
            var end = and < 0 ? text.length() : and;
            var equals = text.indexOf('=', at);
            var _ = read(text, at, equals < 0 || equals > end ? end : equals);
            var _ = step(mix(path ^ (name + MORE)), Kind.PARAMETER, learning);
            at = end + 1;
        }
    }

    /** What a word is as good as. */
    long shape(String word) {
        var _ = read(word, 0, word.length());
        return name;
    }

    /** Reads a name, as what it is as good as, and says whether it looks made, not chosen. */
    private boolean read(String text, int start, int end) {
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
        var made = digits > 0;
        var code = length >= CODE_LENGTH && digits + hexadecimal == length && hexadecimal > 0;
        var mixed = length >= MIXED_LENGTH && digits + hexadecimal + letters == length;
        name = made && (code || mixed) ? CODE : hash;
        return made;
    }

    private Place place(String host) {
        var known = places.get(host);
        if (known != null) {
            return known;
        }
        if (places.size() >= HOSTS_MAX) {
            places.clear();
        }
        var domain = RegistrableDomain.of(host);
        var labels = host.substring(0, Math.max(0, host.length() - domain.length()));
        var label = hash(labels, 11);
        var made = read(labels, 0, labels.length());
        var place = new Place(hash(domain, 7), label, made ? name : label);
        places.put(host, place);
        return place;
    }

    static long hash(String text, long start) {
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
