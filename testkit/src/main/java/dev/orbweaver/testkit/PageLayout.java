package dev.orbweaver.testkit;

import java.util.Arrays;

/** Computes the pages that a host's traits add, from the seed on demand, without state. */
record PageLayout(WebSpec spec, SimulatedHosts hosts) {

    /** Placeholder for the target of a redirect to another host. */
    static final int OTHER_HOST = -1;

    private static final long SPECIALS = 21;
    private static final int INITIAL_CAPACITY = 32;

    /** The special pages of one host, in order, with the numbers of their target pages. */
    static final class Specials {

        private final int first;
        private PageKind[] kinds = new PageKind[INITIAL_CAPACITY];
        private int[] targets = new int[INITIAL_CAPACITY];
        private int count;

        private Specials(int first) {
            this.first = first;
        }

        int count() {
            return count;
        }

        PageKind kind(int index) {
            return kinds[index];
        }

        int target(int index) {
            return targets[index];
        }

        private int next() {
            return first + count;
        }

        private void addMany(PageKind kind, int howMany) {
            for (var i = 0; i < howMany; i++) {
                add(kind, next());
            }
        }

        private void add(PageKind kind, int target) {
            if (count == kinds.length) {
                kinds = Arrays.copyOf(kinds, count * 2);
                targets = Arrays.copyOf(targets, count * 2);
            }
            kinds[count] = kind;
            targets[count] = target;
            count++;
        }
    }

    /**
     * @param front the number of the host's front page
     */
    Specials of(int host, int front) {
        var size = hosts.ordinaryPages(host);
        var pages = new Specials(front + size);
        if (hosts.isLive(host)) {
            add(pages, host, front, size, new SeededRandom(spec.seed(), SPECIALS, host));
        }
        return pages;
    }

    /** Returns the random numbers that select the target of a redirect to another host. */
    SeededRandom otherHostRandom(int page) {
        return new SeededRandom(spec.seed(), SPECIALS, -1L - page);
    }

    private void add(Specials pages, int host, int front, int size, SeededRandom seededRandom) {
        var policy = hosts.policy(host);
        if (policy.hasPrivatePages()) {
            pages.addMany(PageKind.PRIVATE, 2 + seededRandom.nextInt(3));
        }
        if (policy == SimulatedRobots.WILDCARDS) {
            pages.addMany(PageKind.DRAFT, 2);
        }
        if (hosts.has(host, Trait.SITEMAP)) {
            pages.addMany(PageKind.SITEMAP_ONLY, 3 + seededRandom.nextInt(4));
        }
        if (hosts.has(host, Trait.REDIRECTS)) {
            addRedirects(pages, front, size, seededRandom);
        }
        if (hosts.has(host, Trait.LOOP)) {
            pages.add(PageKind.REDIRECT, pages.next() + 1);
            pages.add(PageKind.REDIRECT_HOP, pages.next() - 1);
        }
        if (hosts.has(host, Trait.MISSING)) {
            pages.addMany(PageKind.NOT_FOUND, 1 + seededRandom.nextInt(2));
            pages.addMany(PageKind.GONE, 1);
        }
        if (hosts.has(host, Trait.ERRORS)) {
            pages.addMany(seededRandom.oneIn(2) ? PageKind.ERROR_500 : PageKind.ERROR_503, 1);
            pages.addMany(PageKind.FLAKY, 1);
        }
        if (hosts.has(host, Trait.META)) {
            pages.addMany(PageKind.NOINDEX, 1);
            pages.add(PageKind.NOFOLLOW, pages.next() + 1);
            pages.addMany(PageKind.HIDDEN, 1);
            pages.addMany(PageKind.SPONSORED, 1);
            pages.add(PageKind.CANONICAL_COPY, front + seededRandom.nextInt(size));
        }
        if (hosts.has(host, Trait.MEDIA)) {
            pages.addMany(PageKind.IMAGE, 2);
            pages.addMany(PageKind.ARCHIVE, 1);
        }
        if (hosts.has(host, Trait.SLOW)) {
            pages.addMany(PageKind.SLOW, 2);
        }
        if (hosts.has(host, Trait.TRUNCATED)) {
            pages.addMany(PageKind.TRUNCATED, 1);
        }
        if (hosts.has(host, Trait.UTF_16)) {
            pages.add(PageKind.UTF_16, pages.next() + 1);
            pages.addMany(PageKind.LINKED_FROM_UTF_16, 1);
        }
    }

    private static void addRedirects(
            Specials pages, int front, int size, SeededRandom seededRandom) {
        pages.add(PageKind.REDIRECT, front + seededRandom.nextInt(size));
        pages.add(PageKind.REDIRECT, OTHER_HOST);
        pages.add(PageKind.REDIRECT, pages.next() + 1);
        pages.add(PageKind.REDIRECT_HOP, pages.next() + 1);
        pages.add(PageKind.REDIRECT_HOP, front + seededRandom.nextInt(size));
        pages.add(PageKind.SLASH_REDIRECT, pages.next() + 1);
        pages.addMany(PageKind.SLASH_PAGE, 1);
    }
}
