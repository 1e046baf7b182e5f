package dev.orbweaver.testkit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a correct polite crawler must end with, computed by a breadth-first walk over the declared
 * links: no HTML is parsed, no robots.txt is read. A seed is a page in scope: one that redirects
 * elsewhere does not widen the scope here.
 *
 * @param pages the URLs that must be stored with status 200, each once
 * @param denied found, and forbidden by a readable robots.txt
 * @param robotsUnreachable found on a host whose robots.txt is unreachable, so not to be fetched
 * @param redirects by URL, with their targets
 * @param missing URLs that answer 404 or 410
 * @param failing URLs that never get a usable response: 5xx, or a host that does not exist
 * @param truncated URLs whose body always breaks off early; they have no links
 * @param skipped links to media that the crawl does not want
 * @param sitemaps the sitemap files that are read on the way
 */
public record GroundTruth(
        SortedSet<String> pages,
        SortedSet<String> denied,
        SortedSet<String> robotsUnreachable,
        SortedMap<String, String> redirects,
        SortedSet<String> missing,
        SortedSet<String> failing,
        SortedSet<String> truncated,
        SortedSet<String> skipped,
        SortedSet<String> sitemaps) {

    /**
     * Walks the web from the seeds.
     *
     * @param port where the web is served, since it is in every URL
     * @throws IllegalArgumentException when a seed is no page of the web
     */
    public static GroundTruth of(
            SimulatedWeb web, int port, Collection<String> seeds, CrawlAssumptions terms) {
        var walk = new Walk(web, port, terms);
        for (var seed : seeds) {
            walk.reach(
                    web.find(seed)
                            .orElseThrow(
                                    () -> new IllegalArgumentException("no such page: " + seed)));
        }
        walk.run();
        return walk.groundTruth;
    }

    /** All URLs but the skipped. */
    public int size() {
        return pages.size()
                + denied.size()
                + robotsUnreachable.size()
                + redirects.size()
                + missing.size()
                + failing.size()
                + truncated.size();
    }

    /** A SHA-256 of everything, equal on any machine. */
    public String hash() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static GroundTruth empty() {
        return new GroundTruth(
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeMap<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>());
    }

    /** Reaches each page once and reads each host's sitemaps at the first visit. */
    private static final class Walk {

        private final SimulatedWeb web;
        private final int port;
        private final CrawlAssumptions terms;
        private final GroundTruth groundTruth = empty();
        private final BitSet reached = new BitSet();
        private final BitSet visitedHosts = new BitSet();
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();

        Walk(SimulatedWeb web, int port, CrawlAssumptions terms) {
            this.web = web;
            this.port = port;
            this.terms = terms;
        }

        void reach(int page) {
            var inScope = terms.scope().test(web.hostName(web.pages().host(page)));
            if (inScope && !reached.get(page)) {
                reached.set(page);
                queue.add(page);
            }
        }

        void run() {
            while (!queue.isEmpty()) {
                visit(queue.remove());
            }
        }

        private void visit(int page) {
            var host = web.pages().host(page);
            var path = web.pages().path(page);
            var url = web.url(page, port);
            var policy = web.hosts().policy(host);
            if (terms.isSkipped(path)) {
                groundTruth.skipped.add(url);
            } else if (!web.hosts().isLive(host)) {
                groundTruth.failing.add(url);
            } else if (terms.obeyRobots() && !policy.isReachable()) {
                groundTruth.robotsUnreachable.add(url);
            } else {
                readSitemaps(host);
                if (terms.obeyRobots() && !policy.allows(path)) {
                    groundTruth.denied.add(url);
                } else {
                    fetch(page, url);
                }
            }
        }

        private void fetch(int page, String url) {
            switch (web.pages().kind(page).outcome()) {
                case HTML -> {
                    groundTruth.pages.add(url);
                    follow(page);
                }
                case BINARY -> groundTruth.pages.add(url);
                case REDIRECT -> {
                    var target = web.pages().target(page);
                    groundTruth.redirects.put(url, web.url(target, port));
                    reach(target);
                }
                case MISSING -> groundTruth.missing.add(url);
                case FAILING -> groundTruth.failing.add(url);
                case TRUNCATED -> groundTruth.truncated.add(url);
            }
        }

        private void follow(int page) {
            if (terms.obeyNofollowMeta() && web.pages().kind(page) == PageKind.NOFOLLOW) {
                return;
            }
            for (var link : web.links(page)) {
                if (terms.followNofollowLinks() || !link.nofollow()) {
                    reach(link.target());
                }
            }
        }

        private void readSitemaps(int host) {
            if (!terms.readSitemaps() || visitedHosts.get(host)) {
                return;
            }
            visitedHosts.set(host);
            for (var file : web.sitemaps().files(host)) {
                groundTruth.sitemaps.add(web.spec().scheme() + web.authority(host, port) + file);
            }
            web.sitemaps().listedPages(host).forEach(this::reach);
        }
    }
}
