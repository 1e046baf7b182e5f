package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The distinct links of one page by URL and kind, in document order. A link found again without
 * {@code nofollow} is followed.
 *
 * <p>URLs have a fingerprint, so a table over its bits finds nearly all of them. Those for which
 * the table has no free slot nearby are stored in maps keyed by the text, whose ordering protects
 * against pages with colliding URLs.
 *
 * <p><b>Budget.</b> A reference of three characters can become a URL of eight thousand, because the
 * base URL is copied into it. So three counters bound the cost of one document, for any bytes: the
 * references resolved, the characters copied to resolve them, and the characters of the links kept.
 * They count steps, not time, so the same bytes always yield the same links. The first counter that
 * is exhausted closes the set and is named in {@link #truncated}.
 */
final class LinkSet {

    /** Maximum number of links of a page; a document with more is not made for readers. */
    static final int LINKS_MAX = 100_000;

    /** Maximum number of references that are resolved, including invalid and repeated ones. */
    static final int REFERENCES_MAX = 2 * LINKS_MAX;

    static final int CHARS_MAX = 8 << 20;

    /** Maximum number of characters read and written to resolve the references of a page. */
    static final int WORK_MAX = 64 << 20;

    private static final int WORK_BASE = 2 << 20;
    private static final int WORK_PER_BYTE = 64;

    private static final int PROBES_MAX = 8;
    private static final int NONE = -1;

    private final List<Link> links = new ArrayList<>(64);
    private final Map<LinkKind, Map<String, Integer>> overflow = new EnumMap<>(LinkKind.class);

    /** One more than the number of the link with this fingerprint; 0 is a free slot. */
    private int[] slots = new int[256];

    private int references;
    private int chars;
    private int work;
    private final int workMax;
    private String truncated = "";

    /**
     * Creates a set whose work limit grows with the document, so that a small document stays cheap.
     */
    LinkSet(int documentBytes) {
        this.workMax = (int) Math.min(WORK_MAX, WORK_BASE + (long) WORK_PER_BYTE * documentBytes);
    }

    /** Returns the limit that dropped links, or an empty string. */
    String truncated() {
        return truncated;
    }

    /** Records a limit that dropped something; the first one is kept. */
    void truncate(String limit) {
        if (truncated.isEmpty()) {
            truncated = limit;
        }
    }

    List<Link> links() {
        return links;
    }

    /** Returns whether a limit is reached, so that nothing further needs to be resolved. */
    boolean isFull() {
        return links.size() >= LINKS_MAX
                || references >= REFERENCES_MAX
                || chars >= CHARS_MAX
                || work >= workMax;
    }

    /** Records which limit was reached when there was more to add. */
    void truncateAtLimit() {
        if (links.size() >= LINKS_MAX) {
            truncate("more than " + LINKS_MAX + " links");
        } else if (chars >= CHARS_MAX) {
            truncate("links with more than " + CHARS_MAX + " characters in total");
        } else if (references >= REFERENCES_MAX) {
            truncate("more than " + REFERENCES_MAX + " references");
        } else {
            truncate("more than " + workMax + " characters of work to resolve its references");
        }
    }

    /** Resolves and adds references of styles, as far as the limits allow. */
    void addAll(List<String> references, LinkResolver resolver) {
        for (var reference : references) {
            add(reference, resolver, LinkKind.REQUISITE);
        }
    }

    /** Resolves and adds a reference of a document whose queries are UTF-8. */
    void add(String reference, LinkResolver resolver, LinkKind kind) {
        if (isFull()) {
            truncateAtLimit();
        } else {
            var url = resolver.resolve(reference, UTF_8);
            add(url, reference.length(), resolver.baseLength(), kind, false);
        }
    }

    /** Adds a resolved reference and counts the cost of resolving it. */
    void add(Optional<CrawlUrl> url, int length, int base, LinkKind kind, boolean nofollow) {
        references++;
        if (url.isPresent()) {
            work += length + url.get().text().length();
            add(url.get(), kind, nofollow);
        } else {
            work += length + base;
        }
    }

    private void add(CrawlUrl url, LinkKind kind, boolean nofollow) {
        if (links.size() >= LINKS_MAX) {
            return;
        }
        if (links.size() * 4 >= slots.length) {
            grow();
        }
        var number = findOrInsert(url, kind, links.size());
        if (number == NONE) {
            links.add(new Link(url, kind, nofollow));
            chars += url.text().length();
        } else if (!nofollow && links.get(number).nofollow()) {
            links.set(number, new Link(url, kind, false));
        }
    }

    /** Returns the number of an equal link, or inserts this one under the given number. */
    private int findOrInsert(CrawlUrl url, LinkKind kind, int number) {
        for (var probe = 0; probe < PROBES_MAX; probe++) {
            var slot = ((int) url.key().high() + probe) & (slots.length - 1);
            if (slots[slot] == 0) {
                slots[slot] = number + 1;
                return NONE;
            }
            if (matches(links.get(slots[slot] - 1), url, kind)) {
                return slots[slot] - 1;
            }
        }
        var earlier =
                overflow.computeIfAbsent(kind, _ -> new HashMap<>())
                        .putIfAbsent(url.text(), number);
        return earlier == null ? NONE : earlier;
    }

    private static boolean matches(Link link, CrawlUrl url, LinkKind kind) {
        return link.kind() == kind
                && link.url().key().high() == url.key().high()
                && link.url().text().equals(url.text());
    }

    private void grow() {
        slots = new int[slots.length * 4];
        overflow.clear();
        for (var number = 0; number < links.size(); number++) {
            var earlier = findOrInsert(links.get(number).url(), links.get(number).kind(), number);
            if (earlier != NONE) {
                throw new IllegalStateException("duplicate link " + number);
            }
        }
    }
}
