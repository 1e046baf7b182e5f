package dev.orbweaver.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Computes the links of pages. The ordinary pages of a host form a tree in which page i has the
 * children 8i+1 to 8i+8, so that each is reachable from the front page. There are also links to
 * neighbours, to popular pages, and to other hosts. Nothing is stored.
 */
record LinkGraph(WebSpec spec, SimulatedHosts hosts, PageTable pages) {

    private static final long LINKS = 31;
    private static final int BRANCHES = 8;

    /** A link; {@code nofollow} is its rel attribute. */
    record Link(int target, boolean nofollow) {}

    /** Returns the links of an HTML page: distinct targets, without the page itself. */
    List<Link> of(int page) {
        var host = pages.host(page);
        var front = pages.first(host);
        var targets = new ArrayList<Integer>();
        switch (pages.kind(page)) {
            case ORDINARY -> {
                if (host == SimulatedHosts.HUB) {
                    addHub(page, targets);
                } else {
                    addOrdinary(page, host, targets);
                }
            }
            case NOFOLLOW, UTF_16, CANONICAL_COPY -> {
                targets.add(front);
                targets.add(pages.target(page));
            }
            case PRIVATE,
                    DRAFT,
                    SITEMAP_ONLY,
                    SLASH_PAGE,
                    FLAKY,
                    SLOW,
                    NOINDEX,
                    HIDDEN,
                    SPONSORED,
                    LINKED_FROM_UTF_16 ->
                    targets.add(front);
            case REDIRECT,
                    REDIRECT_HOP,
                    SLASH_REDIRECT,
                    NOT_FOUND,
                    GONE,
                    ERROR_500,
                    ERROR_503,
                    TRUNCATED,
                    IMAGE,
                    ARCHIVE -> {
                // These have no links, so it does not matter whether a crawler reads them.
            }
        }
        return distinct(page, targets);
    }

    private List<Link> distinct(int page, List<Integer> targets) {
        var links = new LinkedHashMap<Integer, Link>();
        for (var target : targets) {
            if (target != page) {
                links.put(target, new Link(target, pages.kind(target) == PageKind.SPONSORED));
            }
        }
        return List.copyOf(links.values());
    }

    private void addHub(int page, List<Integer> targets) {
        if (page == pages.first(SimulatedHosts.HUB)) {
            for (var other = 1; other < hosts.ordinaryPages(SimulatedHosts.HUB); other++) {
                targets.add(page + other);
            }
        }
        var listed = hosts.listedHosts(page);
        for (var host = listed[0]; host < listed[1]; host++) {
            targets.add(pages.first(host));
        }
    }

    private void addOrdinary(int page, int host, List<Integer> targets) {
        var front = pages.first(host);
        var size = hosts.ordinaryPages(host);
        var local = page - front;
        var seededRandom = new SeededRandom(spec.seed(), LINKS, page);
        targets.add(front);
        targets.add(front + Math.max(0, (local - 1) / BRANCHES));
        var firstBelow = (long) local * BRANCHES + 1;
        for (var below = firstBelow; below < Math.min(firstBelow + BRANCHES, size); below++) {
            targets.add(front + (int) below);
        }
        targets.add(front + Math.min(local + 1, size - 1));
        targets.add(front + Math.max(local - 1, 0));
        for (var i = seededRandom.nextInt(4); i >= 0; i--) {
            targets.add(popular(host, seededRandom));
        }
        addSpecials(host, local, targets);
        for (var i = seededRandom.nextInt(3); i > 0; i--) {
            var other = seededRandom.nextInt(hosts.count());
            if (hosts.isLive(other)) {
                targets.add(popular(other, seededRandom));
            }
        }
    }

    /** The j-th special page of a host is linked from its j-th ordinary page. */
    private void addSpecials(int host, int local, List<Integer> targets) {
        var size = hosts.ordinaryPages(host);
        for (var page = pages.first(host) + size + local;
                page < pages.first(host + 1);
                page += size) {
            if (pages.kind(page).isLinked()) {
                targets.add(page);
            }
        }
    }

    /** Returns a random ordinary page of a host; low numbers are much more frequent. */
    private int popular(int host, SeededRandom seededRandom) {
        var unit = seededRandom.nextDouble();
        return pages.first(host) + (int) (hosts.ordinaryPages(host) * unit * unit * unit);
    }
}
