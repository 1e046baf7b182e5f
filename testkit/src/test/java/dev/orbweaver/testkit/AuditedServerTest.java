package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tests the auditor with real sockets. */
class AuditedServerTest {

    private static final Duration DELAY = Duration.ofMillis(40);

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.light(9, 12, 120));
    private final AuditRules rules = AuditRules.of(DELAY, Duration.ofMillis(10));
    private SimulatedWebServer server;

    @BeforeEach
    void serve() throws IOException {
        server = SimulatedWebServer.start(web, ServerSettings.defaults());
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
        assertThat(report.isPolite()).as(report.json()).isTrue();
        assertThat(report.requests()).isEqualTo(11);
    }

    @Test
    void anImpoliteClientIsReported() throws Exception {
        get("robots.txt");
        get("");
        get("a\"b\\c");
        // An hour, so that the client is early even on a slow machine.
        var hour = Duration.ofHours(1);
        var report = server.auditor().report(AuditRules.of(hour, hour));
        assertThat(report.earlyOnHost()).hasSize(2);
        assertThat(report.earlyOnIp()).hasSize(2);
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
        try (var httpTestClient = new HttpTestClient(address, server.port())) {
            httpTestClient.send(url, "");
            Eventually.until("a request arrived", () -> server.auditor().requests() > 0);
        }
        Eventually.until("no request runs", () -> !running());
        Thread.sleep(DELAY);
        assertThat(HttpTestClient.get(web, url).status()).isEqualTo(200);
        var report = server.auditor().report(rules);
        assertThat(report.earlyOnHost()).isEmpty();
        assertThat(report.repeated()).isEmpty();
        assertThat(server.auditor().requestCounts()).containsEntry(url, 2);
    }

    private static boolean ended(Auditor.Arrival arrival) {
        return arrival.endNanos() < Long.MAX_VALUE;
    }

    private boolean running() {
        var running = new AtomicBoolean();
        server.auditor()
                .forEachArrival(arrival -> running.set(arrival.endNanos() == Long.MAX_VALUE));
        return running.get();
    }

    @Test
    void timesAreBetweenTheClientsSendAndTheEndOfItsRead() throws Exception {
        var sent = new ArrayList<Long>();
        var read = new ArrayList<Long>();
        for (var i = 0; i < 20; i++) {
            sent.add(server.auditor().now());
            get("");
            read.add(server.auditor().now());
        }
        var arrivals = new ArrayList<Auditor.Arrival>();
        server.auditor().forEachArrival(arrivals::add);
        // A client may have read the response before the server records its end.
        for (var left = 1000; left > 0 && arrivals.stream().anyMatch(a -> !ended(a)); left--) {
            Thread.sleep(5);
            arrivals.clear();
            server.auditor().forEachArrival(arrivals::add);
        }
        for (var i = 0; i < 20; i++) {
            var arrival = arrivals.get(i);
            assertThat(arrival.startNanos()).isGreaterThanOrEqualTo(sent.get(i));
            assertThat(arrival.endNanos())
                    .isGreaterThanOrEqualTo(arrival.startNanos())
                    .isLessThanOrEqualTo(read.get(i));
        }
    }

    private void get(String path) throws IOException {
        var url = web.hubUrl(server.port());
        try (var httpTestClient =
                new HttpTestClient(web.resolve("hub.test").orElseThrow(), server.port())) {
            httpTestClient.sendTarget(URI.create(url).getAuthority(), "/" + path, "");
            assertThat(httpTestClient.receive().status()).isIn(200, 404);
        }
    }
}
