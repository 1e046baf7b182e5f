package dev.orbweaver.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Serves the robots.txt of every host, and the redirects to it. */
record RobotsFiles(SimulatedHosts hosts, Sitemaps sitemaps) {

    static final String ROBOTS_TXT = "/robots.txt";
    private static final String HOP_PREFIX = "/robots-";
    private static final String EXTENSION = ".txt";

    /** Whether a target is the host's robots.txt or a redirect to it. */
    boolean isRobotsFile(int host, String target) {
        var station = redirectIndex(target);
        return station >= 0 && station <= redirectCount(host);
    }

    /**
     * Whether a crawler with this response knows the host's rules: it has the text, or has followed
     * the maximum number of redirects.
     */
    boolean completesRobots(int host, String target) {
        return redirectIndex(target)
                == Math.min(redirectCount(host), SimulatedRobots.REDIRECTS_FOLLOWED);
    }

    Optional<WireResponse> response(int host, String target, String origin) {
        if (!isRobotsFile(host, target)) {
            return Optional.empty();
        }
        var station = redirectIndex(target);
        return Optional.of(
                station < redirectCount(host)
                        ? WireResponse.redirect(301, HOP_PREFIX + (station + 1) + EXTENSION)
                        : text(host, origin));
    }

    private WireResponse text(int host, String origin) {
        var policy = hosts.policy(host);
        if (policy.status() == 0) {
            return WireResponse.closedConnection();
        }
        // A host with a sitemap needs a robots.txt that declares it.
        if (policy.status() != 200 && sitemaps.files(host).isEmpty()) {
            return WireResponse.error(policy.status());
        }
        var text = new StringBuilder(policy.text(hosts.crawlDelayMillis(host)));
        sitemaps.files(host).stream()
                .limit(1)
                .forEach(
                        file ->
                                text.append("\nSitemap: ")
                                        .append(origin)
                                        .append(file)
                                        .append('\n'));
        return WireResponse.of(200, "text/plain", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private int redirectCount(int host) {
        return hosts.policy(host).redirectCount(host);
    }

    /** Returns the number of redirects before a target; -1 for any other target. */
    private static int redirectIndex(String target) {
        if (target.equals(ROBOTS_TXT)) {
            return 0;
        }
        var digit = HOP_PREFIX.length();
        return target.length() == digit + 1 + EXTENSION.length()
                        && target.startsWith(HOP_PREFIX)
                        && target.endsWith(EXTENSION)
                        && target.charAt(digit) > '0'
                        && target.charAt(digit) <= '9'
                ? target.charAt(digit) - '0'
                : -1;
    }
}
