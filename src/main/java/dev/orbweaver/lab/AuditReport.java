package dev.orbweaver.lab;

import java.util.List;
import java.util.Map;

/**
 * What a crawler did, judged from the server's side.
 *
 * @param requests how many requests came, robots.txt and sitemaps included
 * @param earlyOnHost requests that came before the host's delay was over
 * @param earlyOnIp the same for addresses
 * @param earlyOnDomain the same for registrable domains
 * @param forbidden URLs that were requested though robots.txt forbids them or cannot be had
 * @param beforeRobots URLs that were requested before the host's robots.txt had been answered
 * @param unknown requests for what the web never linked to, such as links inside comments
 * @param repeated how often a URL was answered in full with 200 or a redirect, where more than once
 */
public record AuditReport(
        long requests,
        List<EarlyHit> earlyOnHost,
        List<EarlyHit> earlyOnIp,
        List<EarlyHit> earlyOnDomain,
        List<String> forbidden,
        List<String> beforeRobots,
        List<String> unknown,
        Map<String, Integer> repeated) {

    /** A request that came too soon after another. */
    public record EarlyHit(String gate, String url, long gapNanos, long requiredNanos) {}

    /** Keeps the findings unchangeable. */
    public AuditReport {
        earlyOnHost = List.copyOf(earlyOnHost);
        earlyOnIp = List.copyOf(earlyOnIp);
        earlyOnDomain = List.copyOf(earlyOnDomain);
        forbidden = List.copyOf(forbidden);
        beforeRobots = List.copyOf(beforeRobots);
        unknown = List.copyOf(unknown);
        repeated = Map.copyOf(repeated);
    }

    /** Whether nobody was hit early and nothing forbidden was asked for. */
    public boolean polite() {
        return earlyOnHost.isEmpty()
                && earlyOnIp.isEmpty()
                && earlyOnDomain.isEmpty()
                && forbidden.isEmpty()
                && beforeRobots.isEmpty();
    }

    /** The counts as one line of JSON. */
    public String json() {
        return "{\"requests\":"
                + requests
                + ",\"earlyOnHost\":"
                + earlyOnHost.size()
                + ",\"earlyOnIp\":"
                + earlyOnIp.size()
                + ",\"earlyOnDomain\":"
                + earlyOnDomain.size()
                + ",\"forbidden\":"
                + forbidden.size()
                + ",\"beforeRobots\":"
                + beforeRobots.size()
                + ",\"unknown\":"
                + unknown.size()
                + ",\"repeated\":"
                + repeated.size()
                + ",\"polite\":"
                + polite()
                + "}";
    }
}
