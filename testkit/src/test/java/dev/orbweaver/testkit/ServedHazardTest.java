package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

/** Tests hazards over sockets, and their audit. */
class ServedHazardTest {

    private static final AuditRules RULES = AuditRules.of(Duration.ofHours(1), Duration.ZERO);

    private static SimulatedWeb web;
    private static SimulatedWebServer server;

    @BeforeAll
    static void serve() throws IOException {
        web =
                SimulatedWeb.of(
                        WebSpec.allHazards(7, 120, 2_000).without(Hazard.LATENCY, Hazard.FAILURES));
        server = SimulatedWebServer.start(web, ServerSettings.defaults());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.auditor().clear();
    }

    @Test
    void aKnownVersionGets304UntilDaysHavePassed() throws IOException {
        var page = 0;
        while (web.pages().kind(page) != PageKind.ORDINARY
                || !web.hosts().has(web.pages().host(page), Trait.VALIDATORS)
                || web.pages().host(page) % 3 == 0
                || web.hosts().has(web.pages().host(page), Trait.HIDDEN_LIMIT)
                || web.version(page, Duration.ZERO) == web.version(page, Duration.ofDays(8))) {
            page++;
        }
        var url = web.url(page, server.port());
        var first = HttpTestClient.get(web, url);
        var known = "If-None-Match: " + first.field("etag") + "\r\n";
        assertThat(first.field("etag")).isNotEmpty();
        var again = HttpTestClient.get(web, url, known);
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.field("etag")).isEqualTo(first.field("etag"));
        server.advanceTime(Duration.ofDays(8));
        var later = HttpTestClient.get(web, url, known);
        assertThat(later.status()).isEqualTo(200);
        assertThat(later.field("etag")).isNotEqualTo(first.field("etag"));
        assertThat(later.content()).isNotEqualTo(first.content());
    }

    @Test
    void aHiddenLimitReturns429() throws IOException {
        var host = host(Trait.HIDDEN_LIMIT);
        var url = web.frontUrl(host, server.port());
        var refused = 0;
        try (var httpTestClient =
                new HttpTestClient(web.resolve(web.hostName(host)).orElseThrow(), server.port())) {
            for (var i = 0; i < 200; i++) {
                httpTestClient.send(url + "robots.txt", "");
            }
            for (var i = 0; i < 200; i++) {
                var response = httpTestClient.receive();
                refused += response.status() == 429 ? 1 : 0;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aClosedRobotsTxtHasNoResponse() {
        var host = 1;
        while (web.hosts().policy(host) != SimulatedRobots.CLOSED) {
            host++;
        }
        var url = web.frontUrl(host, server.port()) + "robots.txt";
        assertThatThrownBy(() -> HttpTestClient.get(web, url)).isInstanceOf(IOException.class);
    }

    @Test
    void wildcardNamesAreSeparateHostsAndTrapRequests() throws IOException {
        var name = web.hostName(host(Trait.SUBDOMAINS));
        var wild = "http://w5." + name + ":" + server.port() + "/";
        assertThat(
                        HttpTestClient.get(
                                        web, "http://" + name + ":" + server.port() + "/robots.txt")
                                .status())
                .isIn(200, 404, 403);
        assertThat(HttpTestClient.get(web, wild + "robots.txt").status()).isEqualTo(404);
        assertThat(HttpTestClient.get(web, wild).text())
                .contains("//w10." + name)
                .contains("//w11." + name);
        var report = server.auditor().report(RULES);
        assertThat(report.trapRequests()).containsExactly(wild);
        assertThat(report.unknown()).isEmpty();
        assertThat(report.beforeRobots()).isEmpty();
        assertThat(report.earlyOnHost()).hasSize(1);
        assertThat(report.earlyOnHost().getFirst().gate()).isEqualTo("w5." + name);
    }

    @Test
    void aPageMayBeRequestedOnlyAfterTheLastRedirectOfRobotsTxt() throws IOException {
        var host = 1;
        while (web.hosts().policy(host) != SimulatedRobots.REDIRECTED) {
            host++;
        }
        var front = web.frontUrl(host, server.port());
        assertThat(HttpTestClient.get(web, front + "robots.txt").status()).isEqualTo(301);
        assertThat(HttpTestClient.get(web, front).status()).isEqualTo(200);
        for (var i = 1; i <= SimulatedRobots.REDIRECTED.redirectCount(host); i++) {
            assertThat(HttpTestClient.get(web, front + "robots-" + i + ".txt").status())
                    .isIn(200, 301);
        }
        assertThat(HttpTestClient.get(web, front).status()).isEqualTo(200);
        var report = server.auditor().report(RULES);
        assertThat(report.beforeRobots()).containsExactly(front);
        assertThat(report.unknown()).isEmpty();
        assertThat(report.forbidden()).isEmpty();
    }

    private static int host(Trait trait) {
        var host = 1;
        while (!web.hosts().has(host, trait)) {
            host++;
        }
        return host;
    }
}
