package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.LinkKind;

import java.util.Arrays;

/**
 * The attribute values of a page that contain links, by their position in the page.
 *
 * <p>They are resolved only after the page was scanned to its end, because a {@code <base>} also
 * applies to the links before it (HTML standard, 4.2.3).
 *
 * <p><b>Repeated values.</b> Half the links of a real page repeat earlier ones, or differ only in
 * their fragment. A table of hashes over the bytes finds them before they cost a URL. It is only an
 * optimization: it probes a few neighboring slots, and a repetition that it misses is found by
 * {@link LinkSet}. So a page with colliding values gains nothing.
 */
final class UnresolvedLinks {

    enum ValueSyntax {
        URL,
        SRCSET,
        REFRESH
    }

    private static final int PROBES_MAX = 8;

    private final byte[] bytes;
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private LinkKind[] kinds = new LinkKind[64];
    private ValueSyntax[] valueSyntaxs = new ValueSyntax[64];
    private boolean[] nofollows = new boolean[64];
    private int size;
    private boolean full;

    /** One more than the number of the candidate with this hash; 0 is a free slot. */
    private int[] slots = new int[256];

    UnresolvedLinks(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Adds a value, up to the maximum number of links of a page. */
    void add(int start, int end, LinkKind kind, ValueSyntax valueSyntax, boolean nofollow) {
        var until = valueSyntax == ValueSyntax.URL ? withoutFragment(start, end) : end;
        if (size == starts.length) {
            grow();
        }
        starts[size] = start;
        ends[size] = until;
        kinds[size] = kind;
        valueSyntaxs[size] = valueSyntax;
        nofollows[size] = nofollow;
        if (size == LinkSet.LINKS_MAX) {
            full = true;
        } else if (isNew()) {
            size++;
        }
    }

    int size() {
        return size;
    }

    /** Keeps only the first {@code count} values. */
    void truncate(int count) {
        size = Math.min(size, count);
        Arrays.fill(slots, 0);
    }

    void visit(HtmlParser.ReferenceVisitor visitor) {
        for (var i = 0; i < size; i++) {
            visitor.reference(bytes, starts[i], ends[i], kinds[i]);
        }
    }

    void resolve(PageText text, LinkResolver resolver, LinkSet links) {
        var resolved = 0;
        for (var i = 0; i < size && !links.isFull(); i++) {
            resolve(i, text, resolver, links);
            resolved = i + 1;
        }
        if (resolved < size) {
            links.truncateAtLimit();
        } else if (full) {
            links.truncate("more than " + LinkSet.LINKS_MAX + " references");
        }
    }

    private void resolve(int number, PageText text, LinkResolver resolver, LinkSet links) {
        var start = starts[number];
        var end = ends[number];
        switch (valueSyntaxs[number]) {
            case URL -> {
                var url = text.resolve(start, end, resolver);
                links.add(
                        url, end - start, resolver.baseLength(), kinds[number], nofollows[number]);
            }
            case SRCSET -> {
                for (var reference : Srcset.urls(text.attribute(start, end))) {
                    add(reference, number, text, resolver, links);
                }
            }
            case REFRESH ->
                    MetaRefresh.parse(text.attribute(start, end))
                            .flatMap(MetaRefresh::url)
                            .ifPresent(reference -> add(reference, number, text, resolver, links));
        }
    }

    private void add(
            String reference, int number, PageText text, LinkResolver resolver, LinkSet links) {
        if (links.isFull()) {
            links.truncateAtLimit();
        } else {
            links.add(
                    text.resolve(reference, resolver),
                    reference.length(),
                    resolver.baseLength(),
                    kinds[number],
                    nofollows[number]);
        }
    }

    /**
     * Returns the start of the fragment. After an ampersand the {@code #} may belong to a character
     * reference, and after a space it prevents that space from being trimmed; such values are kept
     * whole.
     */
    private int withoutFragment(int start, int end) {
        var hash = ByteScan.indexOf(bytes, start, end, (byte) '#');
        var whole =
                hash == end
                        || (hash > start && bytes[hash - 1] >= 0 && bytes[hash - 1] <= ' ')
                        || ByteScan.indexOf(bytes, start, hash, (byte) '&') < hash;
        return whole ? end : hash;
    }

    /** Returns whether the candidate after the last one is not known yet. */
    private boolean isNew() {
        var hash = ByteScan.hash(bytes, starts[size], ends[size]);
        for (var probe = 0; probe < PROBES_MAX; probe++) {
            var slot = (hash + probe) & (slots.length - 1);
            if (slots[slot] == 0) {
                slots[slot] = size + 1;
                return true;
            }
            if (equalsLast(slots[slot] - 1)) {
                return false;
            }
        }
        return true;
    }

    private boolean equalsLast(int number) {
        return kinds[number] == kinds[size]
                && valueSyntaxs[number] == valueSyntaxs[size]
                && nofollows[number] == nofollows[size]
                && Arrays.equals(
                        bytes, starts[number], ends[number], bytes, starts[size], ends[size]);
    }

    /** Doubles the capacity; the table becomes four times as large and is emptied. */
    private void grow() {
        starts = Arrays.copyOf(starts, size * 2);
        ends = Arrays.copyOf(ends, size * 2);
        kinds = Arrays.copyOf(kinds, size * 2);
        valueSyntaxs = Arrays.copyOf(valueSyntaxs, size * 2);
        nofollows = Arrays.copyOf(nofollows, size * 2);
        slots = new int[starts.length * 4];
    }
}
