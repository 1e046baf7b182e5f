package dev.orbweaver.lab;

import java.util.Arrays;

/** Lays the pages out, host after host: ordinary ones first, then what the traits ask for. */
final class PageLayout {

    private static final long SPECIALS = 21;

    private final WebSpec spec;
    private final HostTable hosts;
    private final int[] first;
    private PageKind[] kinds;
    private int[] targets;
    private int pages;

    PageLayout(WebSpec spec, HostTable hosts) {
        this.spec = spec;
        this.hosts = hosts;
        first = new int[hosts.count() + 1];
        kinds = new PageKind[spec.pages() + spec.pages() / 4 + hosts.count() * 4];
        targets = new int[kinds.length];
        for (var host = 0; host < hosts.count(); host++) {
            first[host] = pages;
            for (var i = 0; i < hosts.ordinary(host); i++) {
                add(PageKind.ORDINARY, pages);
            }
            if (hosts.live(host)) {
                addSpecials(host, new Dice(spec.seed(), SPECIALS, host));
            }
        }
        first[hosts.count()] = pages;
        aimAcrossHosts();
    }

    int[] first() {
        return first;
    }

    PageKind[] kinds() {
        return Arrays.copyOf(kinds, pages);
    }

    int[] targets() {
        return Arrays.copyOf(targets, pages);
    }

    private void addSpecials(int host, Dice dice) {
        var policy = hosts.policy(host);
        if (policy.hasPrivatePages()) {
            addMany(PageKind.PRIVATE, 2 + dice.below(3));
        }
        if (policy == RobotsPolicy.WILDCARDS) {
            addMany(PageKind.DRAFT, 2);
        }
        if (hosts.has(host, Trait.SITEMAP)) {
            addMany(PageKind.SITEMAP_ONLY, 3 + dice.below(4));
        }
        if (hosts.has(host, Trait.REDIRECTS)) {
            addRedirects(host, dice);
        }
        if (hosts.has(host, Trait.LOOP)) {
            add(PageKind.REDIRECT, pages + 1);
            add(PageKind.REDIRECT_HOP, pages - 1);
        }
        if (hosts.has(host, Trait.MISSING)) {
            addMany(PageKind.NOT_FOUND, 1 + dice.below(2));
            addMany(PageKind.GONE, 1);
        }
        if (hosts.has(host, Trait.ERRORS)) {
            addMany(dice.oneIn(2) ? PageKind.ERROR_500 : PageKind.ERROR_503, 1);
            addMany(PageKind.FLAKY, 1);
        }
        if (hosts.has(host, Trait.META)) {
            addMany(PageKind.NOINDEX, 1);
            add(PageKind.NOFOLLOW, pages + 1);
            addMany(PageKind.HIDDEN, 1);
            addMany(PageKind.SPONSORED, 1);
            add(PageKind.CANONICAL_COPY, ordinary(host, dice));
        }
        if (hosts.has(host, Trait.MEDIA)) {
            addMany(PageKind.IMAGE, 2);
            addMany(PageKind.ARCHIVE, 1);
        }
        if (hosts.has(host, Trait.SLOW)) {
            addMany(PageKind.SLOW, 2);
        }
        if (hosts.has(host, Trait.CUT_SHORT)) {
            addMany(PageKind.CUT_SHORT, 1);
        }
        if (hosts.has(host, Trait.WIDE)) {
            add(PageKind.WIDE, pages + 1);
            addMany(PageKind.BEHIND_WIDE, 1);
        }
    }

    private void addRedirects(int host, Dice dice) {
        add(PageKind.REDIRECT, ordinary(host, dice));
        // Aimed at another host once all hosts have their place.
        add(PageKind.REDIRECT, HostTable.HUB);
        add(PageKind.REDIRECT, pages + 1);
        add(PageKind.REDIRECT_HOP, pages + 1);
        add(PageKind.REDIRECT_HOP, ordinary(host, dice));
        add(PageKind.SLASH_REDIRECT, pages + 1);
        addMany(PageKind.SLASH_PAGE, 1);
    }

    private void aimAcrossHosts() {
        for (var page = 0; page < pages; page++) {
            if (kinds[page] == PageKind.REDIRECT && targets[page] == HostTable.HUB) {
                var dice = new Dice(spec.seed(), SPECIALS, -1L - page);
                var host = dice.below(hosts.count());
                targets[page] = hosts.live(host) ? ordinary(host, dice) : first[HostTable.HUB];
            }
        }
    }

    private int ordinary(int host, Dice dice) {
        return first[host] + dice.below(hosts.ordinary(host));
    }

    private void addMany(PageKind kind, int howMany) {
        for (var i = 0; i < howMany; i++) {
            add(kind, pages);
        }
    }

    private void add(PageKind kind, int target) {
        if (pages == kinds.length) {
            kinds = Arrays.copyOf(kinds, pages * 2);
            targets = Arrays.copyOf(targets, pages * 2);
        }
        kinds[pages] = kind;
        targets[pages] = target;
        pages++;
    }
}
