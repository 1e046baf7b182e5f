package dev.orbweaver.lab;

import dev.orbweaver.lab.AuditReport.EarlyHit;
import dev.orbweaver.lab.Auditor.Arrival;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the arrivals once, in order, and holds each against the rules. */
final class Judgement {

    private final SimulatedWeb web;
    private final int port;
    private final AuditRules rules;

    private final List<EarlyHit> earlyOnHost = new ArrayList<>();
    private final List<EarlyHit> earlyOnIp = new ArrayList<>();
    private final List<EarlyHit> earlyOnDomain = new ArrayList<>();
    private final List<String> forbidden = new ArrayList<>();
    private final List<String> beforeRobots = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();
    private final List<String> wasted = new ArrayList<>();
    private final Map<String, Integer> answered = new HashMap<>();

    private final Map<Integer, Visits> hosts = new HashMap<>();
    private final Map<String, Visits> namesBelowHosts = new HashMap<>();
    private final Map<Integer, Long> lastOnAddress = new HashMap<>();
    private final Map<String, Long> lastOnDomain = new HashMap<>();
    private long requests;

    Judgement(SimulatedWeb web, int port, AuditRules rules) {
        this.web = web;
        this.port = port;
        this.rules = rules;
    }

    /** What one host has seen so far. */
    private static final class Visits {
        /** The ends of the answers that may still be running, oldest first. */
        private final ArrayDeque<Long> ends = new ArrayDeque<>();

        private long lastStart;
        private long lastEnd;
        private long robotsEnd = Long.MAX_VALUE;
        private boolean any;
    }

    void judge(Arrival arrival) {
        requests++;
        var url = Auditor.url(web, port, arrival);
        judgeAddress(arrival, url);
        if (arrival.host() < 0) {
            unknown.add(url);
        } else {
            judgeHost(arrival, url);
            judgeDomain(arrival, url);
            judgeTarget(arrival, url);
        }
    }

    AuditReport report() {
        answered.values().removeIf(times -> times < 2);
        return new AuditReport(
                requests,
                earlyOnHost,
                earlyOnIp,
                earlyOnDomain,
                forbidden,
                beforeRobots,
                unknown,
                wasted,
                answered);
    }

    private void judgeHost(Arrival arrival, String url) {
        var visits = visits(arrival);
        var start = arrival.startNanos();
        visits.ends.removeIf(end -> end <= start + rules.allowance().toNanos());
        if (visits.any) {
            var required = hostDelayNanos(arrival.host());
            var since = rules.perHost() == 1 ? visits.lastEnd : visits.lastStart;
            // Below zero when the answer before this was still going out; one that never ended has
            // no time to be subtracted.
            var gap = since == Long.MAX_VALUE ? Long.MIN_VALUE : start - since;
            if (visits.ends.size() >= rules.perHost() || tooEarly(gap, required)) {
                earlyOnHost.add(new EarlyHit(Auditor.name(web, arrival), url, gap, required));
            }
        }
        visits.lastEnd =
                visits.any ? Math.max(visits.lastEnd, arrival.endNanos()) : arrival.endNanos();
        visits.lastStart = start;
        visits.any = true;
        visits.ends.add(arrival.endNanos());
        if (isRobots(arrival)) {
            if (!arrival.label().isEmpty()
                    || web.robots().settles(arrival.host(), arrival.target())) {
                visits.robotsEnd = Math.min(visits.robotsEnd, arrival.endNanos());
            }
        } else if (start + rules.allowance().toNanos() < visits.robotsEnd) {
            beforeRobots.add(url);
        }
    }

    /** Each name is a host of its own, also where all names below another lead to one place. */
    private Visits visits(Arrival arrival) {
        return arrival.label().isEmpty()
                ? hosts.computeIfAbsent(arrival.host(), host -> new Visits())
                : namesBelowHosts.computeIfAbsent(Auditor.name(web, arrival), name -> new Visits());
    }

    private boolean isRobots(Arrival arrival) {
        return arrival.label().isEmpty()
                ? web.robots().holds(arrival.host(), arrival.target())
                : arrival.target().equals(RobotsFiles.ROBOTS_TXT);
    }

    private void judgeAddress(Arrival arrival, String url) {
        var last = lastOnAddress.put(arrival.address(), arrival.startNanos());
        var required = rules.ipDelay().toNanos();
        if (last != null && tooEarly(arrival.startNanos() - last, required)) {
            var address = SimulatedWeb.inetAddress(arrival.address()).getHostAddress();
            earlyOnIp.add(new EarlyHit(address, url, arrival.startNanos() - last, required));
        }
    }

    private void judgeDomain(Arrival arrival, String url) {
        var domain = web.hosts().domain(arrival.host());
        var last = lastOnDomain.put(domain, arrival.startNanos());
        var required = rules.domainDelay().toNanos();
        if (last != null && tooEarly(arrival.startNanos() - last, required)) {
            earlyOnDomain.add(new EarlyHit(domain, url, arrival.startNanos() - last, required));
        }
    }

    private void judgeTarget(Arrival arrival, String url) {
        if (web.isTrap(new SimulatedWeb.Place(arrival.host(), arrival.label()), arrival.target())) {
            wasted.add(url);
        } else if (arrival.page() < 0 && !isFile(arrival)) {
            unknown.add(url);
        }
        if (!isRobots(arrival) && !allowed(arrival)) {
            forbidden.add(url);
        }
        if (arrival.page() >= 0 && arrival.status() >= 200 && arrival.status() < 400) {
            answered.merge(url, 1, Integer::sum);
        }
    }

    private boolean allowed(Arrival arrival) {
        return !arrival.label().isEmpty()
                || web.hosts().policy(arrival.host()).allows(arrival.target());
    }

    private boolean isFile(Arrival arrival) {
        return isRobots(arrival)
                || arrival.target().equals("/sitemap.xml")
                || web.sitemaps().files(arrival.host()).contains(arrival.target());
    }

    private boolean tooEarly(long gapNanos, long requiredNanos) {
        return requiredNanos > 0 && gapNanos < requiredNanos - rules.allowance().toNanos();
    }

    private long hostDelayNanos(int host) {
        var asked = rules.crawlDelays() ? web.hosts().crawlDelayMillis(host) * 1_000_000L : 0;
        return Math.max(rules.hostDelay().toNanos(), asked);
    }
}
