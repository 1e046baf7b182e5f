package dev.orbweaver.testkit;

import dev.orbweaver.testkit.AuditReport.EarlyHit;
import dev.orbweaver.testkit.Auditor.Arrival;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the arrivals once, in order, and checks each against the rules. */
final class AuditEvaluator {

    private final SimulatedWeb web;
    private final int port;
    private final AuditRules rules;

    private final List<EarlyHit> earlyOnHost = new ArrayList<>();
    private final List<EarlyHit> earlyOnIp = new ArrayList<>();
    private final List<EarlyHit> earlyOnDomain = new ArrayList<>();
    private final List<String> forbidden = new ArrayList<>();
    private final List<String> beforeRobots = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();
    private final List<String> trapRequests = new ArrayList<>();
    private final Map<String, Integer> fetchCounts = new HashMap<>();

    private final Map<Integer, HostHistory> hosts = new HashMap<>();
    private final Map<String, HostHistory> subdomains = new HashMap<>();
    private final Map<Integer, Arrival> lastOnAddress = new HashMap<>();
    private final Map<String, Arrival> lastOnDomain = new HashMap<>();
    private long requests;
    private long uncertain;

    AuditEvaluator(SimulatedWeb web, int port, AuditRules rules) {
        this.web = web;
        this.port = port;
        this.rules = rules;
    }

    private static final class HostHistory {
        /** The ends of responses that may still be in progress, oldest first. */
        private final ArrayDeque<Long> ends = new ArrayDeque<>();

        private @Nullable Arrival last;
        private long lastEnd;
        private long robotsEnd = Long.MAX_VALUE;
    }

    void check(Arrival arrival) {
        requests++;
        if (arrival.latestNanos() - arrival.startNanos() > rules.tolerance().toNanos()) {
            uncertain++;
        }
        var url = Auditor.url(web, port, arrival);
        checkAddress(arrival);
        if (arrival.host() < 0) {
            unknown.add(url);
        } else {
            checkHost(arrival, url);
            checkDomain(arrival);
            checkTarget(arrival, url);
        }
    }

    AuditReport report() {
        fetchCounts.values().removeIf(times -> times < 2);
        return new AuditReport(
                requests,
                uncertain,
                earlyOnHost,
                earlyOnIp,
                earlyOnDomain,
                forbidden,
                beforeRobots,
                unknown,
                trapRequests,
                fetchCounts);
    }

    private void checkHost(Arrival arrival, String url) {
        var hostHistory = history(arrival);
        var start = arrival.latestNanos();
        hostHistory.ends.removeIf(end -> end <= start + rules.tolerance().toNanos());
        var last = hostHistory.last;
        if (last != null) {
            var required = hostDelayNanos(arrival.host());
            var since = rules.perHost() == 1 ? hostHistory.lastEnd : last.startNanos();
            // Negative if the previous response was still in progress; a response that never ended
            // has no time to subtract.
            var gap = since == Long.MAX_VALUE ? Long.MIN_VALUE : start - since;
            if (hostHistory.ends.size() >= rules.perHost() || isTooEarly(gap, required)) {
                earlyOnHost.add(hit(Auditor.name(web, arrival), arrival, last, gap, required));
            }
        }
        hostHistory.lastEnd =
                last == null
                        ? arrival.endNanos()
                        : Math.max(hostHistory.lastEnd, arrival.endNanos());
        hostHistory.last = arrival;
        hostHistory.ends.add(arrival.endNanos());
        if (isRobots(arrival)) {
            if (!arrival.label().isEmpty()
                    || web.robots().completesRobots(arrival.host(), arrival.target())) {
                hostHistory.robotsEnd = Math.min(hostHistory.robotsEnd, arrival.endNanos());
            }
        } else if (start + rules.tolerance().toNanos() < hostHistory.robotsEnd) {
            beforeRobots.add(url);
        }
    }

    /** Each name is a separate host, also with wildcard names. */
    private HostHistory history(Arrival arrival) {
        return arrival.label().isEmpty()
                ? hosts.computeIfAbsent(arrival.host(), host -> new HostHistory())
                : subdomains.computeIfAbsent(Auditor.name(web, arrival), name -> new HostHistory());
    }

    private boolean isRobots(Arrival arrival) {
        return arrival.label().isEmpty()
                ? web.robots().isRobotsFile(arrival.host(), arrival.target())
                : arrival.target().equals(RobotsFiles.ROBOTS_TXT);
    }

    private void checkAddress(Arrival arrival) {
        var last = lastOnAddress.put(arrival.address(), arrival);
        var address = SimulatedWeb.inetAddress(arrival.address()).getHostAddress();
        checkStartGap(address, arrival, last, rules.ipDelay(), earlyOnIp);
    }

    private void checkDomain(Arrival arrival) {
        var domain = web.hosts().domain(arrival.host());
        checkStartGap(
                domain,
                arrival,
                lastOnDomain.put(domain, arrival),
                rules.domainDelay(),
                earlyOnDomain);
    }

    private void checkStartGap(
            String gate,
            Arrival arrival,
            @Nullable Arrival last,
            Duration delay,
            List<EarlyHit> early) {
        var required = delay.toNanos();
        var gap = last == null ? Long.MAX_VALUE : arrival.latestNanos() - last.startNanos();
        if (last != null && isTooEarly(gap, required)) {
            early.add(hit(gate, arrival, last, gap, required));
        }
    }

    private EarlyHit hit(String gate, Arrival arrival, Arrival last, long gap, long required) {
        return new EarlyHit(
                gate,
                Auditor.url(web, port, arrival),
                arrival.connection(),
                Auditor.url(web, port, last) + " on connection " + last.connection(),
                gap,
                required);
    }

    private void checkTarget(Arrival arrival, String url) {
        if (web.isTrap(
                new SimulatedWeb.ResolvedHost(arrival.host(), arrival.label()), arrival.target())) {
            trapRequests.add(url);
        } else if (arrival.page() < 0 && !isFile(arrival)) {
            unknown.add(url);
        }
        if (!isRobots(arrival) && !isAllowed(arrival)) {
            forbidden.add(url);
        }
        if (arrival.page() >= 0 && arrival.status() >= 200 && arrival.status() < 400) {
            fetchCounts.merge(url, 1, Integer::sum);
        }
    }

    private boolean isAllowed(Arrival arrival) {
        return !arrival.label().isEmpty()
                || web.hosts().policy(arrival.host()).allows(arrival.target());
    }

    private boolean isFile(Arrival arrival) {
        return isRobots(arrival)
                || arrival.target().equals("/sitemap.xml")
                || web.sitemaps().files(arrival.host()).contains(arrival.target());
    }

    private boolean isTooEarly(long gapNanos, long requiredNanos) {
        return requiredNanos > 0 && gapNanos < requiredNanos - rules.tolerance().toNanos();
    }

    private long hostDelayNanos(int host) {
        var crawlDelay =
                rules.honourCrawlDelay() ? web.hosts().crawlDelayMillis(host) * 1_000_000L : 0;
        return Math.max(rules.hostDelay().toNanos(), crawlDelay);
    }
}
