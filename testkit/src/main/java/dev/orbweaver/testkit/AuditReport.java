package dev.orbweaver.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of an audit: the behaviour of a crawler as seen from the server.
 *
 * @param requests number of requests, including robots.txt and sitemaps
 * @param uncertain requests without a kernel timestamp; they are evaluated in the crawler's favour
 * @param earlyOnHost requests before the host's delay was over
 * @param earlyOnIp requests before the address's delay was over
 * @param earlyOnDomain requests before the registrable domain's delay was over
 * @param forbidden URLs requested although robots.txt disallows them or is unreachable
 * @param beforeRobots URLs requested before the host's robots.txt was received
 * @param unknown requests for URLs that are not linked, such as false links in comments
 * @param trapRequests requests for URLs in a trap
 * @param repeated number of complete responses with 200 or a redirect, for URLs with more than one
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
     * A request that arrived too early after another.
     *
     * @param connection the server's number of its connection
     * @param before the previous request and its connection, which distinguishes a request that was
     *     sent twice from two requests
     */
    public record EarlyHit(
            String gate,
            String url,
            int connection,
            String before,
            long gapNanos,
            long requiredNanos) {}

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

    /** Whether there were no early or forbidden requests. */
    public boolean isPolite() {
        return earlyOnHost.isEmpty()
                && earlyOnIp.isEmpty()
                && earlyOnDomain.isEmpty()
                && forbidden.isEmpty()
                && beforeRobots.isEmpty();
    }

    /** The number of repeated complete responses, which only kills of the crawler may cause. */
    public long refetched() {
        return repeated.values().stream().mapToLong(times -> times - 1).sum();
    }

    /** Returns one line of JSON with some of the findings. */
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

    /** Returns a JSON string (RFC 8259, section 7); a target may contain any character. */
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
