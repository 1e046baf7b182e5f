package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;

class AuditorTest {

    private static final int PORT = 8080;
    private static final long MILLI = 1_000_000;

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.demo(7));
    private final AuditRules rules = AuditRules.of(Duration.ofMillis(100), Duration.ofMillis(20));

    private final Auditor auditor = new Auditor(web, PORT, 1_000, this::now);
    private long now;

    @Test
    void aPoliteVisitIsFoundPolite() {
        var host = host(SimulatedRobots.PRIVATE);
        var front = web.pages().first(host);
        request(host, "/robots.txt");
        for (var i = 0; i < web.hosts().ordinaryPages(host); i++) {
            advance(100);
            request(front + i);
        }
        var report = auditor.report(rules);
        assertThat(report.isPolite()).as(report.json()).isTrue();
        assertThat(report.requests()).isEqualTo(1 + web.hosts().ordinaryPages(host));
        assertThat(report.unknown()).isEmpty();
        assertThat(report.repeated()).isEmpty();
    }

    @Test
    void theHostDelayRunsFromTheEndOfTheResponse() {
        var host = host(SimulatedRobots.NOT_FOUND);
        var front = web.pages().first(host);
        request(host, "/robots.txt");
        advance(100);
        var slow = recordArrival(front);
        advance(80);
        auditor.recordEnd(slow, 200);
        advance(50);
        request(front);
        var report = auditor.report(rules);
        assertThat(report.earlyOnHost()).hasSize(1);
        assertThat(report.earlyOnHost().getFirst().gapNanos()).isEqualTo(50 * MILLI);
        assertThat(report.earlyOnHost().getFirst().gate()).isEqualTo(web.hostName(host));
        assertThat(report.earlyOnIp()).isEmpty();
    }

    @Test
    void twoRequestsAtOnceAreEarlyEvenWithoutADelay() {
        var host = host(SimulatedRobots.NOT_FOUND);
        var front = web.pages().first(host);
        request(host, "/robots.txt");
        advance(10);
        var running = recordArrival(front);
        advance(10);
        request(front);
        advance(10);
        auditor.recordEnd(running, 200);
        var one = AuditRules.of(Duration.ZERO, Duration.ZERO);
        assertThat(auditor.report(one).earlyOnHost()).hasSize(1);
        var two =
                new AuditRules(Duration.ZERO, Duration.ZERO, Duration.ZERO, 2, Duration.ZERO, true);
        assertThat(auditor.report(two).earlyOnHost()).isEmpty();
    }

    @Test
    void theToleranceAppliesToEarlyRequests() {
        var host = host(SimulatedRobots.NOT_FOUND);
        request(host, "/robots.txt");
        advance(99);
        request(web.pages().first(host));
        assertThat(auditor.report(rules).isPolite()).isTrue();
    }

    @Test
    void aLongerCrawlDelayApplies() {
        var host = host(SimulatedRobots.CRAWL_DELAY);
        request(host, "/robots.txt");
        advance(web.hosts().crawlDelayMillis(host) - 10);
        request(web.pages().first(host));
        var lax = AuditRules.of(Duration.ofMillis(1), Duration.ZERO);
        assertThat(auditor.report(lax).earlyOnHost()).hasSize(1);
    }

    @Test
    void twoHostsOnOneAddressShareItsDelay() {
        var host = 2;
        while (web.hosts().address(host) != web.hosts().address(host - 1)) {
            host++;
        }
        request(host, "/robots.txt");
        advance(5);
        request(host - 1, "/robots.txt");
        var report = auditor.report(rules);
        assertThat(report.earlyOnHost()).isEmpty();
        assertThat(report.earlyOnIp()).hasSize(1);
        assertThat(report.earlyOnIp().getFirst().gate()).startsWith("127.77.");
    }

    @Test
    void forbiddenFetchesAreReported() {
        var shut = host(SimulatedRobots.DENY_ALL);
        request(shut, "/robots.txt");
        advance(100);
        request(web.pages().first(shut));
        var unreachable = host(SimulatedRobots.UNREACHABLE);
        request(unreachable, "/robots.txt");
        advance(100);
        request(web.pages().first(unreachable));
        assertThat(auditor.report(rules).forbidden())
                .containsExactly(web.frontUrl(shut, PORT), web.frontUrl(unreachable, PORT));
    }

    @Test
    void aPageBeforeItsRobotsTxtIsReported() {
        var host = host(SimulatedRobots.NOT_FOUND);
        request(web.pages().first(host));
        advance(100);
        request(host, "/robots.txt");
        assertThat(auditor.report(rules).beforeRobots()).containsExactly(web.frontUrl(host, PORT));
    }

    @Test
    void unlinkedAndRepeatedFetchesAreReported() {
        var host = host(SimulatedRobots.NOT_FOUND);
        request(host, "/robots.txt");
        for (var i = 0; i < 2; i++) {
            advance(100);
            request(web.pages().first(host));
            advance(100);
            request(host, "/trap/comment");
        }
        var report = auditor.report(rules);
        var front = web.frontUrl(host, PORT);
        assertThat(report.unknown())
                .containsExactly(front + "trap/comment", front + "trap/comment");
        assertThat(report.repeated()).containsEntry(front, 2).hasSize(1);
        assertThat(auditor.requestCounts()).containsEntry(front + "trap/comment", 2);
    }

    @Test
    void aFailedFetchMayBeRepeated() {
        var host = host(SimulatedRobots.NOT_FOUND);
        request(host, "/robots.txt");
        advance(100);
        auditor.recordEnd(recordArrival(web.pages().first(host)), 503);
        advance(100);
        auditor.recordEnd(recordArrival(web.pages().first(host)), 0);
        advance(100);
        request(web.pages().first(host));
        assertThat(auditor.report(rules).repeated()).isEmpty();
    }

    @Test
    void requestsAreEvaluatedInTheOrderOfArrival() {
        var host = host(SimulatedRobots.NOT_FOUND);
        var robots = new ServedWeb.Route(host, -1, "/robots.txt");
        var front = new ServedWeb.Route(host, web.pages().first(host), "/");
        var address = web.hosts().address(host);
        auditor.recordEnd(auditor.recordArrival(front, address, 1, 200 * MILLI), 200, 210 * MILLI);
        auditor.recordEnd(auditor.recordArrival(robots, address, 2, 0), 404, 100 * MILLI);
        var report = auditor.report(rules);
        assertThat(report.isPolite()).as(report.json()).isTrue();
    }

    @Test
    void aRequestWithAnUncertainTimeMakesNoLaterOneEarly() {
        var host = host(SimulatedRobots.NOT_FOUND);
        var robots = new ServedWeb.Route(host, -1, "/robots.txt");
        var front = new ServedWeb.Route(host, web.pages().first(host), "/");
        var address = web.hosts().address(host);
        auditor.recordEnd(
                auditor.recordArrival(robots, address, 1, 10_000 * MILLI), 404, 10_000 * MILLI);
        // Its client was killed at 10.5 s, and the kernel kept only that time.
        auditor.recordEnd(
                auditor.recordArrival(front, address, 2, 400 * MILLI, 10_500 * MILLI),
                200,
                10_600 * MILLI);
        auditor.recordEnd(
                auditor.recordArrival(front, address, 3, 10_700 * MILLI), 200, 10_700 * MILLI);
        var report = auditor.report(rules);
        assertThat(report.isPolite()).as(report.json()).isTrue();
        assertThat(report.uncertain()).isEqualTo(1);
    }

    @Test
    void aRequestWithAnUncertainTimeIsEarlyOnlyIfItsLatestTimeIs() {
        var host = host(SimulatedRobots.NOT_FOUND);
        var robots = new ServedWeb.Route(host, -1, "/robots.txt");
        var front = new ServedWeb.Route(host, web.pages().first(host), "/");
        var address = web.hosts().address(host);
        auditor.recordEnd(auditor.recordArrival(robots, address, 1, 0), 404, 0);
        auditor.recordEnd(
                auditor.recordArrival(front, address, 1, 1, 500 * MILLI), 200, 500 * MILLI);
        assertThat(auditor.report(rules).isPolite()).isTrue();
        assertThat(auditor.report(rules).uncertain()).isEqualTo(1);
        auditor.clear();
        auditor.recordEnd(auditor.recordArrival(robots, address, 1, 0), 404, 0);
        auditor.recordEnd(auditor.recordArrival(front, address, 2, 1, MILLI), 200, MILLI);
        var report = auditor.report(rules);
        assertThat(report.earlyOnIp()).hasSize(1);
        assertThat(report.earlyOnHost()).hasSize(1);
        assertThat(report.earlyOnIp().getFirst().connection()).isEqualTo(2);
        assertThat(report.earlyOnIp().getFirst().before()).endsWith("/robots.txt on connection 1");
    }

    @Test
    void completeResponsesAfterTheFirstAreRefetches() {
        var host = host(SimulatedRobots.NOT_FOUND);
        for (var i = 0; i < 3; i++) {
            request(web.pages().first(host));
        }
        auditor.recordEnd(recordArrival(web.pages().first(host)), 0);
        assertThat(auditor.report(rules).refetched()).isEqualTo(2);
    }

    @Test
    void aReportCanBeEncodedAndDecoded() throws Exception {
        var host = host(SimulatedRobots.DENY_ALL);
        request(web.pages().first(host));
        request(host, "/robots.txt");
        request(host, "/a\t\\tb\nc\\");
        request(web.pages().first(host));
        var report =
                auditor.report(
                        new AuditRules(
                                Duration.ofMillis(30),
                                Duration.ofMillis(20),
                                Duration.ofMillis(10),
                                1,
                                Duration.ZERO,
                                false));
        assertThat(report.earlyOnDomain()).isNotEmpty();
        var lines = new ArrayDeque<>(AuditCodec.write(report));
        lines.add(AuditCodec.END);
        assertThat(AuditCodec.readReport(lines::remove)).isEqualTo(report);
        assertThat(AuditCodec.rules(AuditCodec.values(AuditCodec.rules(rules)))).isEqualTo(rules);
    }

    @Test
    void moreRequestsThanTheLimitGiveNoReport() {
        for (var i = 0; i <= 1_000; i++) {
            request(0, "/robots.txt");
        }
        assertThatThrownBy(() -> auditor.report(rules))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1001 requests");
    }

    private long now() {
        return now;
    }

    private void advance(long millis) {
        now += millis * MILLI;
    }

    private int host(SimulatedRobots policy) {
        var host = 1;
        while (web.hosts().policy(host) != policy || !web.hosts().isLive(host)) {
            host++;
        }
        return host;
    }

    private void request(int page) {
        auditor.recordEnd(recordArrival(page), 200);
    }

    private long recordArrival(int page) {
        var host = web.pages().host(page);
        var route = new ServedWeb.Route(host, page, web.pages().path(page));
        return auditor.recordArrival(route, web.hosts().address(host), 1);
    }

    private void request(int host, String target) {
        var route = new ServedWeb.Route(host, -1, target);
        auditor.recordEnd(auditor.recordArrival(route, web.hosts().address(host), 1), 200);
    }
}
