package dev.orbweaver.lab;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The robots.txt of every host, and the stations on the way where it lies behind redirects. */
final class RobotsFiles {

    static final String ROBOTS_TXT = "/robots.txt";
    private static final String STATION = "/robots-";
    private static final String ENDING = ".txt";

    private final HostTable hosts;
    private final Sitemaps sitemaps;

    RobotsFiles(HostTable hosts, Sitemaps sitemaps) {
        this.hosts = hosts;
        this.sitemaps = sitemaps;
    }

    /** Whether a target is the host's robots.txt or a station on the way to its text. */
    boolean holds(int host, String target) {
        var station = station(target);
        return station >= 0 && station <= redirects(host);
    }

    /**
     * Whether a crawler that has the answer to a target knows all it can of the host's rules: it
     * has the text, or has followed as many redirects as it must.
     */
    boolean settles(int host, String target) {
        return station(target) == Math.min(redirects(host), RobotsPolicy.REDIRECTS_FOLLOWED);
    }

    Optional<Answer> answer(int host, String target, String origin) {
        if (!holds(host, target)) {
            return Optional.empty();
        }
        var station = station(target);
        return Optional.of(
                station < redirects(host)
                        ? Answer.redirect(301, STATION + (station + 1) + ENDING)
                        : text(host, origin));
    }

    private Answer text(int host, String origin) {
        var policy = hosts.policy(host);
        if (policy.status() == 0) {
            return Answer.nothing();
        }
        // A host with a sitemap needs a robots.txt to name it, if only for that.
        if (policy.status() != 200 && sitemaps.files(host).isEmpty()) {
            return Answer.error(policy.status());
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
        return Answer.of(200, "text/plain", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private int redirects(int host) {
        return hosts.policy(host).redirects(host);
    }

    /** How many redirects lie before a target; -1 for what is no station. */
    private static int station(String target) {
        if (target.equals(ROBOTS_TXT)) {
            return 0;
        }
        var digit = STATION.length();
        return target.length() == digit + 1 + ENDING.length()
                        && target.startsWith(STATION)
                        && target.endsWith(ENDING)
                        && target.charAt(digit) > '0'
                        && target.charAt(digit) <= '9'
                ? target.charAt(digit) - '0'
                : -1;
    }
}
