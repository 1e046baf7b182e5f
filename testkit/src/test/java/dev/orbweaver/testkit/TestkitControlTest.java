package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.testing.Slow;

import io.netty.channel.epoll.Epoll;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Tests the control of a served web in another process. */
@Slow
class TestkitControlTest {

    private static final WebSpec SPEC =
            new WebSpec(
                    4, 20, 150, 900, 0.4, 70, EnumSet.of(Quirk.SITEMAPS, Quirk.TRUNCATED_BODIES));

    private static TestkitControl lab;

    @BeforeAll
    static void start() throws IOException {
        lab = TestkitControl.start(SPEC);
    }

    @AfterAll
    static void end() {
        lab.close();
    }

    @BeforeEach
    void forget() throws IOException {
        lab.clear();
    }

    @Test
    void itServesTheWebThatTheSpecDescribes() throws IOException {
        for (var page = 0; page < lab.web().pageCount(); page++) {
            var wireResponse = lab.web().response(page, lab.port(), 0, false);
            var served = HttpTestClient.get(lab.web(), lab.web().url(page, lab.port()));
            assertThat(served.body()).isEqualTo(wireResponse.body());
        }
        assertThat(lab.requests()).isEqualTo(lab.web().pageCount());
        var terms = CrawlAssumptions.polite(CrawlAssumptions.ANY, Set.of());
        assertThat(lab.groundTruth(terms).pages()).hasSizeGreaterThan(140);
    }

    @Test
    void itReturnsTheAudit() throws IOException {
        var hub = lab.hubUrl();
        assertThat(HttpTestClient.get(lab.web(), hub).status()).isEqualTo(200);
        assertThat(HttpTestClient.get(lab.web(), hub).status()).isEqualTo(200);
        assertThat(HttpTestClient.get(lab.web(), hub + "nowhere").status()).isEqualTo(404);
        var hour = Duration.ofHours(1);
        var report = lab.report(AuditRules.of(hour, hour));
        assertThat(report.requests()).isEqualTo(3);
        assertThat(report.earlyOnHost()).hasSize(2);
        assertThat(report.earlyOnIp().getFirst().requiredNanos()).isEqualTo(hour.toNanos());
        assertThat(report.beforeRobots()).containsExactly(hub, hub, hub + "nowhere");
        assertThat(report.unknown()).containsExactly(hub + "nowhere");
        assertThat(report.repeated()).containsEntry(hub, 2).hasSize(1);
        assertThat(report.refetched()).isEqualTo(1);
        assertThat(lab.requestCounts())
                .containsEntry(hub, 2)
                .containsEntry(hub + "nowhere", 1)
                .hasSize(2);
        assertThat(lab.cpuTime()).isPositive();
    }

    @Test
    void aTruncatedBodyMayBeRequestedAgain() throws IOException {
        var page = 0;
        while (lab.web().pages().kind(page) != PageKind.TRUNCATED) {
            page++;
        }
        var url = lab.web().url(page, lab.port());
        for (var i = 0; i < 2; i++) {
            assertThat(HttpTestClient.get(lab.web(), url).complete()).isFalse();
        }
        var report = lab.report(AuditRules.of(Duration.ZERO, Duration.ZERO));
        assertThat(report.refetched()).isZero();
        assertThat(lab.requestCounts()).containsEntry(url, 2);
    }

    /**
     * The server is stopped (SIGSTOP) while a request arrives. If it recorded the time at which it
     * continued, the next request, sent right after the response, would appear early.
     */
    @Test
    void theArrivalIsIndependentOfTheTimeOfTheRead() throws Exception {
        assumeTrue(Epoll.isAvailable(), "kernel timestamps need the epoll transport");
        var authority = URI.create(lab.hubUrl()).getAuthority();
        var address = lab.web().resolve("hub.test").orElseThrow();
        try (var httpTestClient = new HttpTestClient(address, lab.port())) {
            httpTestClient.sendTarget(authority, "/robots.txt", "");
            assertThat(httpTestClient.receive().status()).isEqualTo(200);
            Thread.sleep(400);
            signal("STOP");
            try {
                httpTestClient.sendTarget(authority, "/", "");
                Thread.sleep(400);
            } finally {
                signal("CONT");
            }
            assertThat(httpTestClient.receive().status()).isEqualTo(200);
            httpTestClient.sendTarget(authority, "/robots.txt", "");
            assertThat(httpTestClient.receive().status()).isEqualTo(200);
        }
        var report = lab.report(AuditRules.of(Duration.ZERO, Duration.ofMillis(400)));
        assertThat(report.requests()).isEqualTo(3);
        assertThat(report.earlyOnIp()).isEmpty();
    }

    @Test
    void aServerThatCannotStartSaysSo() {
        assertThatThrownBy(() -> TestkitControl.start(SPEC, "--port", Integer.toString(lab.port())))
                .isInstanceOf(IOException.class)
                .hasMessage("the server has ended");
    }

    private static void signal(String name) throws Exception {
        var pid = Long.toString(lab.process().pid());
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }
}
