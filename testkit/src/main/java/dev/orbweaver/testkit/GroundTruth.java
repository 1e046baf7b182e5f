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
 * The expected result of a correct, polite crawler, computed by a breadth-first walk over the
 * declared links: no HTML is parsed, no robots.txt is read. A seed must be a page in scope; a seed
 * that redirects to another host does not widen the scope.
 *
 * @param pages the URLs that must be stored with status 200, each once
 * @param denied URLs that were found and that a readable robots.txt disallows
 * @param robotsUnreachable URLs of hosts whose robots.txt is unreachable, so not to be fetched
 * @param redirects targets of redirects, by URL
 * @param missing URLs with status 404 or 410
 * @param failing URLs that never get a usable response: 5xx, or a host that does not exist
 * @param truncated URLs whose body is always truncated; they have no links
 * @param skipped links to media types that the crawl skips
 * @param sitemaps the sitemap files that a crawl reads
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
     * @param port the port of the web, which is part of every URL
     * @throws IllegalArgumentException if a seed is not a page of the web
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

    /** Returns all URLs except the skipped ones. */
    public int size() {
        return pages.size()
                + denied.size()
                + robotsUnreachable.size()
                + redirects.size()
                + missing.size()
                + failing.size()
                + truncated.size();
    }

    /** Returns a SHA-256 of all sets, equal on every machine. */
    public String hash() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
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

    /** Visits each page once, and each host's sitemaps with its first page. */
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
