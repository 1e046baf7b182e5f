package dev.orbweaver.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a crawler did, judged from the server's side.
 *
 * @param requests how many requests came, robots.txt and sitemaps included
 * @param uncertain of how many the kernel could not say when they came, within the allowance; they
 *     are judged in the crawler's favour
 * @param earlyOnHost requests that came before the host's delay was over
 * @param earlyOnIp the same for addresses
 * @param earlyOnDomain the same for registrable domains
 * @param forbidden URLs that were requested though robots.txt forbids them or cannot be had
 * @param beforeRobots URLs that were requested before the host's robots.txt had been answered
 * @param unknown requests for what the web never linked to, such as links inside comments
 * @param trapRequests requests for what lies in a trap
 * @param repeated how often a URL was answered in full with 200 or a redirect, where more than once
 */
public record AuditReport(
        long requests,
        long uncertain,
        List<EarlyHit> earlyOnHost,
        List<EarlyHit> earlyOnIp,
        List<EarlyHit> earlyOnDomain,
        List<String> forbidden,
        List<String> beforeRobots,
        List<String> unknown,
        List<String> trapRequests,
        Map<String, Integer> repeated) {

    private static final int FINDINGS_PER_KIND = 5;

    /**
     * A request that came too soon after another.
     *
     * @param connection the server's number of the connection it came on
     * @param before the request before it and its connection, which is how one that was sent twice
     *     is told from two
     */
    public record EarlyHit(
            String gate,
            String url,
            int connection,
            String before,
            long gapNanos,
            long requiredNanos) {}

    /** Keeps the findings unchangeable. */
    public AuditReport {
        earlyOnHost = List.copyOf(earlyOnHost);
        earlyOnIp = List.copyOf(earlyOnIp);
        earlyOnDomain = List.copyOf(earlyOnDomain);
        forbidden = List.copyOf(forbidden);
        beforeRobots = List.copyOf(beforeRobots);
        unknown = List.copyOf(unknown);
        trapRequests = List.copyOf(trapRequests);
        repeated = Collections.unmodifiableMap(new TreeMap<>(repeated));
    }

    /** Whether nobody was hit early and nothing forbidden was asked for. */
    public boolean isPolite() {
        return earlyOnHost.isEmpty()
                && earlyOnIp.isEmpty()
                && earlyOnDomain.isEmpty()
                && forbidden.isEmpty()
                && beforeRobots.isEmpty();
    }

    /**
     * How many whole answers went to URLs that had been answered whole before: what kills must
     * explain, since nobody asks again for what has come.
     */
    public long refetched() {
        return repeated.values().stream().mapToLong(times -> times - 1).sum();
    }

    /** The counts as one line of JSON, with some of the findings for whoever has to look. */
    public String json() {
        return "{\"requests\":"
                + requests
                + ",\"unsure\":"
                + uncertain
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
                + ",\"wasted\":"
                + trapRequests.size()
                + ",\"repeated\":"
                + repeated.size()
                + ",\"refetched\":"
                + refetched()
                + ",\"polite\":"
                + isPolite()
                + ",\"findings\":["
                + String.join(",", findings())
                + "]}";
    }

    private List<String> findings() {
        var findings = new ArrayList<String>();
        addFindings(findings, "early on host", earlyOnHost);
        addFindings(findings, "early on IP", earlyOnIp);
        addFindings(findings, "early on domain", earlyOnDomain);
        addFindings(findings, "forbidden", forbidden);
        addFindings(findings, "before robots.txt", beforeRobots);
        addFindings(findings, "unknown", unknown);
        addFindings(findings, "wasted", trapRequests);
        addFindings(findings, "repeated", repeated.entrySet());
        return findings;
    }

    private static void addFindings(List<String> findings, String what, Collection<?> found) {
        found.stream()
                .limit(FINDINGS_PER_KIND)
                .forEach(one -> findings.add(quote(what + ": " + one)));
    }

    /** A JSON string (RFC 8259, section 7): a client may ask for any target, quotes included. */
    private static String quote(String text) {
        var out = new StringBuilder("\"");
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(HexFormat.of().toHexDigits((byte) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
