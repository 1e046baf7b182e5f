package dev.orbweaver.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** The auditor behind real sockets: what it says must hold for what really went over the wire. */
class AuditedServerTest {

    private static final Duration DELAY = Duration.ofMillis(40);

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.light(9, 12, 120));
    private final AuditRules rules = AuditRules.of(DELAY, Duration.ofMillis(10));
    private LabServer server;

    @BeforeEach
    void serve() throws IOException {
        server = LabServer.start(web, ServerSettings.defaults());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aPoliteClientIsFoundPolite() throws Exception {
        get("robots.txt");
        for (var i = 0; i < 10; i++) {
            Thread.sleep(DELAY);
            get(i % 2 == 0 ? "" : "robots.txt");
        }
        var report = server.auditor().report(rules);
        assertThat(report.polite()).as(report.json()).isTrue();
        assertThat(report.requests()).isEqualTo(11);
    }

    @Test
    void aHastyClientIsFoundOut() throws Exception {
        get("robots.txt");
        get("");
        get("a\"b\\c");
        var report = server.auditor().report(rules);
        assertThat(report.earlyOnHost()).hasSize(2);
        assertThat(report.earlyOnIp()).isNotEmpty();
        assertThat(report.unknown()).hasSize(1);
        var json = JsonMapper.shared().readTree(report.json());
        assertThat(json.get("earlyOnHost").asInt()).isEqualTo(2);
        assertThat(json.get("findings").toString()).contains("a\\\"b\\\\c");
    }

    @Test
    void aClientThatHangsUpEndsItsRequestAndDoesNotCountAsServed() throws Exception {
        var slow = 0;
        while (web.pages().kind(slow) != PageKind.SLOW) {
            slow++;
        }
        var url = web.url(slow, server.port());
        var address = web.resolve(URI.create(url).getHost()).orElseThrow();
        try (var http = new Http(address, server.port())) {
            http.send(url, "");
            while (server.auditor().requests() == 0) {
                Thread.sleep(1);
            }
        }
        Thread.sleep(DELAY.multipliedBy(2));
        assertThat(Http.get(web, url).status()).isEqualTo(200);
        var report = server.auditor().report(rules);
        assertThat(report.earlyOnHost()).isEmpty();
        assertThat(report.repeated()).isEmpty();
        assertThat(server.auditor().counts()).containsEntry(url, 2);
    }

    private void get(String path) throws IOException {
        var url = web.hubUrl(server.port());
        try (var http = new Http(web.resolve("hub.test").orElseThrow(), server.port())) {
            http.sendTarget(URI.create(url).getAuthority(), "/" + path, "");
            assertThat(http.receive().status()).isIn(200, 404);
        }
    }
}
