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
 * <p>The maps are keyed by the text, whose order saves them from a page that made its URLs collide.
 */
final class LinkSet {

    /** How many links of a page are taken; what has more is no page for readers. */
    static final int LINKS_MAX = 100_000;

    private final List<Link> links = new ArrayList<>();
    private final Map<LinkKind, Map<String, Integer>> places = new EnumMap<>(LinkKind.class);

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
        var place =
                places.computeIfAbsent(kind, _ -> new HashMap<>())
                        .putIfAbsent(url.text(), links.size());
        if (place == null) {
            links.add(new Link(url, kind, nofollow));
        } else if (!nofollow && links.get(place).nofollow()) {
            links.set(place, new Link(url, kind, false));
        }
    }
}
