package dev.orbweaver.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Generates the sitemaps of hosts: a single file, or an index of two, one of them gzipped. They
 * list the pages that are not linked, and a few others.
 */
record Sitemaps(SimulatedHosts hosts, PageTable pages, PageVersions versions) {

    private static final String MAIN = "/sitemap.xml";
    private static final String PLAIN_PART = "/sitemap-plain.xml";
    private static final String GZIPPED_PART = "/sitemap-packed.xml.gz";
    private static final int ORDINARY_LISTED = 5;
    private static final String NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

    /** The sitemap that robots.txt lists first. */
    List<String> files(int host) {
        if (!hosts.has(host, Trait.SITEMAP)) {
            return List.of();
        }
        return hosts.has(host, Trait.SITEMAP_INDEX)
                ? List.of(MAIN, PLAIN_PART, GZIPPED_PART)
                : List.of(MAIN);
    }

    List<Integer> listedPages(int host) {
        var listed = new ArrayList<Integer>();
        if (hosts.has(host, Trait.SITEMAP)) {
            var specials = pages.first(host) + hosts.ordinaryPages(host);
            for (var page = pages.first(host);
                    page < Math.min(specials, pages.first(host) + ORDINARY_LISTED);
                    page++) {
                listed.add(page);
            }
            for (var page = specials; page < pages.first(host + 1); page++) {
                if (pages.kind(page) == PageKind.SITEMAP_ONLY) {
                    listed.add(page);
                }
            }
        }
        return listed;
    }

    Optional<WireResponse> response(
            int host, String path, String origin, IntFunction<String> url, Duration now) {
        if (!files(host).contains(path)) {
            return Optional.empty();
        }
        var listed = listedPages(host);
        return Optional.of(
                switch (path) {
                    case PLAIN_PART -> xml(urlSet(everySecond(listed, 0), url, now));
                    case GZIPPED_PART ->
                            WireResponse.of(
                                    200,
                                    "application/gzip",
                                    Gzip.compress(utf8(urlSet(everySecond(listed, 1), url, now))));
                    default ->
                            xml(
                                    hosts.has(host, Trait.SITEMAP_INDEX)
                                            ? index(origin)
                                            : urlSet(listed, url, now));
                });
    }

    private static List<Integer> everySecond(List<Integer> listed, int offset) {
        var half = new ArrayList<Integer>();
        for (var i = offset; i < listed.size(); i += 2) {
            half.add(listed.get(i));
        }
        return half;
    }

    private String urlSet(List<Integer> listed, IntFunction<String> url, Duration now) {
        var out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        out.append("<urlset xmlns=\"").append(NAMESPACE).append("\">\n");
        for (var page : listed) {
            var loc = url.apply(page).replace("&", "&amp;");
            out.append("  <url><loc>").append(loc).append("</loc>").append(lastModified(page, now));
            out.append("<priority>0.5</priority></url>\n");
        }
        return out.append("</urlset>\n").toString();
    }

    /** Half of the hosts claim that every page has changed just now. */
    private String lastModified(int page, Duration now) {
        var host = pages.host(page);
        if (!hosts.has(host, Trait.SITEMAP_DATES)) {
            return "";
        }
        var date =
                isHonest(host)
                        ? versions.modifiedAt(page, now).toInstant()
                        : SimulatedWeb.FIRST_DAY.plus(now).truncatedTo(ChronoUnit.SECONDS);
        return "<lastmod>" + date + "</lastmod>";
    }

    /** Whether the dates in a host's sitemaps, if it has some, are those of changes. */
    static boolean isHonest(int host) {
        return host % 2 == 1;
    }

    private static String index(String origin) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\""
                + NAMESPACE
                + "\">\n  <sitemap><loc>"
                + origin
                + PLAIN_PART
                + "</loc></sitemap>\n  <sitemap><loc>"
                + origin
                + GZIPPED_PART
                + "</loc></sitemap>\n</sitemapindex>\n";
    }

    private static WireResponse xml(String text) {
        return WireResponse.of(200, "application/xml; charset=utf-8", utf8(text));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
