package dev.orbweaver.parse;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The links of one page in the order they were found, each URL and kind once. One that is found
 * again without {@code nofollow} is followed.
 *
 * <p>URLs come with a fingerprint, so a table over its bits finds nearly all of them. Those for
 * which the table has no room near their place go into maps keyed by the text, whose order saves
 * them from a page that made its URLs collide.
 */
final class LinkSet {

    /** How many links of a page are taken; what has more is no page for readers. */
    static final int LINKS_MAX = 100_000;

    private static final int PROBES_MAX = 8;
    private static final int NONE = -1;

    private final List<Link> links = new ArrayList<>(64);
    private final Map<LinkKind, Map<String, Integer>> crowded = new EnumMap<>(LinkKind.class);

    /** One more than the number of the link whose fingerprint led here; 0 is a free slot. */
    private int[] slots = new int[256];

    List<Link> links() {
        return links;
    }

    boolean isFull() {
        return links.size() >= LINKS_MAX;
    }

    void add(CrawlUrl url, LinkKind kind, boolean nofollow) {
        if (isFull()) {
            return;
        }
        if (links.size() * 4 >= slots.length) {
            grow();
        }
        var number = place(url, kind, links.size());
        if (number == NONE) {
            links.add(new Link(url, kind, nofollow));
        } else if (!nofollow && links.get(number).nofollow()) {
            links.set(number, new Link(url, kind, false));
        }
    }

    /** The number of the link that is already there; else gives it this one. */
    private int place(CrawlUrl url, LinkKind kind, int number) {
        for (var probe = 0; probe < PROBES_MAX; probe++) {
            var slot = ((int) url.key().high() + probe) & (slots.length - 1);
            if (slots[slot] == 0) {
                slots[slot] = number + 1;
                return NONE;
            }
            if (is(links.get(slots[slot] - 1), url, kind)) {
                return slots[slot] - 1;
            }
        }
        var earlier =
                crowded.computeIfAbsent(kind, _ -> new HashMap<>()).putIfAbsent(url.text(), number);
        return earlier == null ? NONE : earlier;
    }

    private static boolean is(Link link, CrawlUrl url, LinkKind kind) {
        return link.kind() == kind
                && link.url().key().high() == url.key().high()
                && link.url().text().equals(url.text());
    }

    private void grow() {
        slots = new int[slots.length * 4];
        crowded.clear();
        for (var number = 0; number < links.size(); number++) {
            var earlier = place(links.get(number).url(), links.get(number).kind(), number);
            if (earlier != NONE) {
                throw new IllegalStateException("link " + number + " is there twice");
            }
        }
    }
}
