package dev.orbweaver.lab;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The pages of a web and their paths. A page is a number; the pages of a host are neighbours, its
 * front page first, then the other ordinary pages, then what its traits put there. A kind and one
 * number are all that is kept of a page: a path is worked out from the page's number and carries
 * that number, so the way back needs no table either.
 */
final class PageTable {

    private static final long PATHS = 11;

    private static final String[] SECTIONS = {"news", "docs", "wiki", "blog", "guide", "archive"};

    private final WebSpec spec;
    private final int[] first;
    private final PageKind[] kind;
    private final int[] target;

    PageTable(WebSpec spec, HostTable hosts) {
        this.spec = spec;
        var layout = new PageLayout(spec, hosts);
        first = layout.first();
        kind = layout.kinds();
        target = layout.targets();
    }

    int count() {
        return kind.length;
    }

    /** The front page of a host; with the number of hosts, the end of all pages. */
    int first(int host) {
        return first[host];
    }

    int host(int page) {
        var found = Arrays.binarySearch(first, page);
        return found >= 0 ? found : -found - 2;
    }

    PageKind kind(int page) {
        return kind[page];
    }

    /** The one page that this one exists to point at: a redirect's, a copy's. */
    int target(int page) {
        return target[page];
    }

    /** Path and query, as a request names them. */
    String path(int page) {
        var local = page - first[host(page)];
        var kindOfPage = kind(page);
        return switch (kindOfPage) {
            case ORDINARY -> local == 0 ? "/" : ordinaryPath(page, local);
            case PRIVATE -> kindOfPage.folder + (local % 2 == 0 ? "open-" : "shut-") + local;
            case DRAFT -> kindOfPage.folder + local + (local % 2 == 0 ? ".draft" : ".draft?v=x");
            case REDIRECT, REDIRECT_HOP -> kindOfPage.folder + local;
            // The page it redirects to comes next, and has the same path but for the slash.
            case SLASH_REDIRECT -> kindOfPage.folder + (local + 1);
            case SLASH_PAGE -> kindOfPage.folder + local + "/";
            case IMAGE -> kindOfPage.folder + local + ".png";
            case ARCHIVE -> kindOfPage.folder + local + ".zip";
            case CANONICAL_COPY -> kindOfPage.folder + local + "&ref=feed";
            case ERROR_500, ERROR_503, FLAKY -> kindOfPage.folder + local;
            case SITEMAP_ONLY,
                    NOT_FOUND,
                    GONE,
                    SLOW,
                    CUT_SHORT,
                    NOINDEX,
                    NOFOLLOW,
                    HIDDEN,
                    SPONSORED,
                    WIDE,
                    BEHIND_WIDE ->
                    kindOfPage.folder + local + ".html";
        };
    }

    /** The page behind a path and query, as they stand in a request. */
    OptionalInt find(int host, String path) {
        if (path.equals("/")) {
            return OptionalInt.of(first[host]);
        }
        var local = number(path);
        // A path without its slash stands one place before the one with it.
        for (var guess = local; guess >= local - 1 && guess > 0; guess--) {
            var page = first[host] + guess;
            if (page < first[host + 1] && path(page).equals(path)) {
                return OptionalInt.of(page);
            }
        }
        return OptionalInt.empty();
    }

    private String ordinaryPath(int page, int local) {
        var dice = new Dice(spec.seed(), PATHS, page);
        var section = dice.pick(SECTIONS);
        return switch (dice.below(6)) {
            case 0 -> "/p/" + local;
            case 1 -> "/x?id=" + local + "&y=" + dice.below(9);
            case 2 -> "/" + section + "/" + Prose.word(dice) + "/" + local + "/";
            case 3 -> "/" + section + "/about%20" + Prose.word(dice) + "-" + local + ".html";
            case 4 -> "/" + Prose.word(dice) + "-" + local;
            default -> "/" + section + "/" + Prose.word(dice) + "-" + local + ".html";
        };
    }

    /** The number that a path carries: behind {@code id=}, or else its last one. */
    private static int number(String path) {
        var id = path.indexOf("id=");
        var end = id < 0 ? path.length() : id + 3;
        if (id >= 0) {
            while (end < path.length() && digit(path.charAt(end))) {
                end++;
            }
        } else {
            while (end > 0 && !digit(path.charAt(end - 1))) {
                end--;
            }
        }
        var start = end;
        while (start > 0 && digit(path.charAt(start - 1))) {
            start--;
        }
        return end == start || end - start > 9 ? -1 : Integer.parseInt(path, start, end, 10);
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }
}
