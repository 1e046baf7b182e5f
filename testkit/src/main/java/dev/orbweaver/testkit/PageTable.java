package dev.orbweaver.testkit;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The pages of a web and their paths. A page is a number. The pages of a host are consecutive: the
 * front page, the other ordinary pages, then those of its traits. Only the first page of each host
 * is stored; kind and path are computed from the number, which is part of the path.
 */
final class PageTable {

    private static final long PATHS = 11;

    private static final String[] SECTIONS = {"news", "docs", "wiki", "blog", "guide", "archive"};

    /** The maximum number of hosts for which computed special pages are cached. */
    private static final int KEPT_HOSTS_MAX = 16_384;

    private final WebSpec spec;
    private final SimulatedHosts hosts;
    private final PageLayout layout;
    private final int[] first;
    private final AtomicReferenceArray<PageLayout.@Nullable Specials> kept;

    PageTable(WebSpec spec, SimulatedHosts hosts) {
        this.spec = spec;
        this.hosts = hosts;
        layout = new PageLayout(spec, hosts);
        first = new int[hosts.count() + 1];
        for (var host = 0; host < hosts.count(); host++) {
            var specials = layout.of(host, first[host]).count();
            first[host + 1] = Math.addExact(first[host], hosts.ordinaryPages(host) + specials);
        }
        kept = new AtomicReferenceArray<>(hosts.count() <= KEPT_HOSTS_MAX ? hosts.count() : 0);
    }

    int count() {
        return first[hosts.count()];
    }

    /** Returns the front page of a host; for the number of hosts, the end of all pages. */
    int first(int host) {
        return first[host];
    }

    int host(int page) {
        var found = Arrays.binarySearch(first, page);
        return found >= 0 ? found : -found - 2;
    }

    PageKind kind(int page) {
        var host = host(page);
        var special = page - first[host] - hosts.ordinaryPages(host);
        return special < 0 ? PageKind.ORDINARY : specials(host).kind(special);
    }

    /** Returns the target of a redirect or a copy. */
    int target(int page) {
        var host = host(page);
        var special = page - first[host] - hosts.ordinaryPages(host);
        var target = special < 0 ? page : specials(host).target(special);
        return target == PageLayout.OTHER_HOST ? pageOnOtherHost(page) : target;
    }

    private int pageOnOtherHost(int page) {
        var seededRandom = layout.otherHostRandom(page);
        var host = seededRandom.nextInt(hosts.count());
        return hosts.isLive(host)
                ? first[host] + seededRandom.nextInt(hosts.ordinaryPages(host))
                : first[SimulatedHosts.HUB];
    }

    private PageLayout.Specials specials(int host) {
        if (kept.length() == 0) {
            return layout.of(host, first[host]);
        }
        var known = kept.get(host);
        if (known == null) {
            known = layout.of(host, first[host]);
            kept.set(host, known);
        }
        return known;
    }

    String path(int page) {
        var local = page - first[host(page)];
        var kindOfPage = kind(page);
        return switch (kindOfPage) {
            case ORDINARY -> local == 0 ? "/" : ordinaryPath(page, local);
            case PRIVATE -> kindOfPage.directory + (local % 2 == 0 ? "open-" : "shut-") + local;
            case DRAFT -> kindOfPage.directory + local + (local % 2 == 0 ? ".draft" : ".draft?v=x");
            case REDIRECT, REDIRECT_HOP -> kindOfPage.directory + local;
            // The target is the next page and has the same path with a trailing slash.
            case SLASH_REDIRECT -> kindOfPage.directory + (local + 1);
            case SLASH_PAGE -> kindOfPage.directory + local + "/";
            case IMAGE -> kindOfPage.directory + local + ".png";
            case ARCHIVE -> kindOfPage.directory + local + ".zip";
            case CANONICAL_COPY -> kindOfPage.directory + local + "&ref=feed";
            case ERROR_500, ERROR_503, FLAKY -> kindOfPage.directory + local;
            case SITEMAP_ONLY,
                    NOT_FOUND,
                    GONE,
                    SLOW,
                    TRUNCATED,
                    NOINDEX,
                    NOFOLLOW,
                    HIDDEN,
                    SPONSORED,
                    UTF_16,
                    LINKED_FROM_UTF_16 ->
                    kindOfPage.directory + local + ".html";
        };
    }

    OptionalInt find(int host, String path) {
        if (path.equals("/")) {
            return OptionalInt.of(first[host]);
        }
        var local = number(path);
        // The path without the slash is the page before the one with it.
        for (var guess = local; guess >= local - 1 && guess > 0; guess--) {
            var page = first[host] + guess;
            if (page < first[host + 1] && path(page).equals(path)) {
                return OptionalInt.of(page);
            }
        }
        return OptionalInt.empty();
    }

    private String ordinaryPath(int page, int local) {
        var seededRandom = new SeededRandom(spec.seed(), PATHS, page);
        var section = seededRandom.pick(SECTIONS);
        return switch (seededRandom.nextInt(6)) {
            case 0 -> "/p/" + local;
            case 1 -> "/x?id=" + local + "&y=" + seededRandom.nextInt(9);
            case 2 -> "/" + section + "/" + Prose.word(seededRandom) + "/" + local + "/";
            case 3 ->
                    "/" + section + "/about%20" + Prose.word(seededRandom) + "-" + local + ".html";
            case 4 -> "/" + Prose.word(seededRandom) + "-" + local;
            default -> "/" + section + "/" + Prose.word(seededRandom) + "-" + local + ".html";
        };
    }

    /** Returns the number in a path: after {@code id=}, or otherwise the last one. */
    private static int number(String path) {
        var id = path.indexOf("id=");
        var end = id < 0 ? path.length() : id + 3;
        if (id >= 0) {
            while (end < path.length() && isDigit(path.charAt(end))) {
                end++;
            }
        } else {
            while (end > 0 && !isDigit(path.charAt(end - 1))) {
                end--;
            }
        }
        var start = end;
        while (start > 0 && isDigit(path.charAt(start - 1))) {
            start--;
        }
        return end == start || end - start > 9 ? -1 : Integer.parseInt(path, start, end, 10);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
