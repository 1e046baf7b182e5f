package dev.orbweaver.export;

import dev.orbweaver.model.Link;

import java.util.Arrays;
import java.util.List;

/**
 * The order in which a person would read a site: a page, then the pages that it was the first to
 * link to, each with its own behind it.
 *
 * <p>A page log is in the order of responses; documentation has an order of its own in its tables
 * of contents. So each page is below the first page that links to it, in the order of the links.
 * Twenty-eight to forty bytes a page.
 */
final class ReadingOrder {

    private static final int INITIAL_CAPACITY = 1024;
    private static final int NONE = -1;

    private final LongIndex pages;
    private int[] parent = filled(INITIAL_CAPACITY);
    private int[] firstChild = filled(INITIAL_CAPACITY);
    private int[] lastChild = filled(INITIAL_CAPACITY);
    private int[] nextSibling = filled(INITIAL_CAPACITY);
    private boolean[] visited = new boolean[INITIAL_CAPACITY];

    /**
     * @param pages the keys of the pages to put in order; links to others are ignored
     */
    ReadingOrder(LongIndex pages) {
        this.pages = pages;
        var size = Math.max(INITIAL_CAPACITY, pages.size());
        parent = filled(size);
        firstChild = filled(size);
        lastChild = filled(size);
        nextSibling = filled(size);
        visited = new boolean[size];
    }

    private static int[] filled(int length) {
        var places = new int[length];
        Arrays.fill(places, NONE);
        return places;
    }

    /** In the order of the log. */
    void add(long key, List<Link> links) {
        var page = pages.find(key);
        if (page == NONE) {
            return;
        }
        visited[page] = true;
        for (var link : links) {
            var child = pages.find(link.url().key().high());
            // A page that was shown before hangs where it was found, or stands at the top.
            if (child != NONE && child != page && parent[child] == NONE && !visited[child]) {
                attach(child, page);
            }
        }
    }

    private void attach(int child, int page) {
        parent[child] = page;
        if (firstChild[page] == NONE) {
            firstChild[page] = child;
        } else {
            nextSibling[lastChild[page]] = child;
        }
        lastChild[page] = child;
    }

    /** The rank of each page, by its number. */
    int[] ranks() {
        var ranks = new int[pages.size()];
        var rank = 0;
        for (var top = 0; top < pages.size(); top++) {
            if (parent[top] == NONE) {
                rank = walk(top, rank, ranks);
            }
        }
        return ranks;
    }

    /** Down, along and up again, without a stack: trees may be as deep as there are pages. */
    private int walk(int top, int from, int[] ranks) {
        var rank = from;
        var at = top;
        while (true) {
            ranks[at] = rank++;
            if (firstChild[at] != NONE) {
                at = firstChild[at];
                continue;
            }
            while (at != top && nextSibling[at] == NONE) {
                at = parent[at];
            }
            if (at == top) {
                return rank;
            }
            at = nextSibling[at];
        }
    }
}
