package dev.orbweaver.lab;

import dev.orbweaver.lab.AuditReport.EarlyHit;
import dev.orbweaver.lab.Auditor.Arrival;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
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
    private final Map<Integer, Arrival> lastOnAddress = new HashMap<>();
    private final Map<String, Arrival> lastOnDomain = new HashMap<>();
    private long requests;
    private long unsure;

    Judgement(SimulatedWeb web, int port, AuditRules rules) {
        this.web = web;
        this.port = port;
        this.rules = rules;
    }

    /** What one host has seen so far. */
    private static final class Visits {
        /** The ends of the answers that may still be running, oldest first. */
        private final ArrayDeque<Long> ends = new ArrayDeque<>();

        private @Nullable Arrival last;
        private long lastEnd;
        private long robotsEnd = Long.MAX_VALUE;
    }

    void judge(Arrival arrival) {
        requests++;
        if (arrival.latestNanos() - arrival.startNanos() > rules.allowance().toNanos()) {
            unsure++;
        }
        var url = Auditor.url(web, port, arrival);
        judgeAddress(arrival);
        if (arrival.host() < 0) {
            unknown.add(url);
        } else {
            judgeHost(arrival, url);
            judgeDomain(arrival);
            judgeTarget(arrival, url);
        }
    }

    AuditReport report() {
        answered.values().removeIf(times -> times < 2);
        return new AuditReport(
                requests,
                unsure,
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
        var start = arrival.latestNanos();
        visits.ends.removeIf(end -> end <= start + rules.allowance().toNanos());
        var last = visits.last;
        if (last != null) {
            var required = hostDelayNanos(arrival.host());
            var since = rules.perHost() == 1 ? visits.lastEnd : last.startNanos();
            // Below zero when the answer before this was still going out; one that never ended has
            // no time to be subtracted.
            var gap = since == Long.MAX_VALUE ? Long.MIN_VALUE : start - since;
            if (visits.ends.size() >= rules.perHost() || tooEarly(gap, required)) {
                earlyOnHost.add(hit(Auditor.name(web, arrival), arrival, last, gap, required));
            }
        }
        visits.lastEnd =
                last == null ? arrival.endNanos() : Math.max(visits.lastEnd, arrival.endNanos());
        visits.last = arrival;
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

    private void judgeAddress(Arrival arrival) {
        var last = lastOnAddress.put(arrival.address(), arrival);
        var address = SimulatedWeb.inetAddress(arrival.address()).getHostAddress();
        judgeStarts(address, arrival, last, rules.ipDelay(), earlyOnIp);
    }

    private void judgeDomain(Arrival arrival) {
        var domain = web.hosts().domain(arrival.host());
        judgeStarts(
                domain,
                arrival,
                lastOnDomain.put(domain, arrival),
                rules.domainDelay(),
                earlyOnDomain);
    }

    private void judgeStarts(
            String gate,
            Arrival arrival,
            @Nullable Arrival last,
            Duration delay,
            List<EarlyHit> early) {
        var required = delay.toNanos();
        var gap = last == null ? Long.MAX_VALUE : arrival.latestNanos() - last.startNanos();
        if (last != null && tooEarly(gap, required)) {
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
