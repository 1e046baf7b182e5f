package dev.orbweaver.internal.crawl;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;
import dev.orbweaver.spi.Fetcher.Resolution;
import dev.orbweaver.testkit.HostRules;
import dev.orbweaver.testkit.SimulatedResponse;
import dev.orbweaver.testkit.SimulatedWeb;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** The environment of a simulated process: the web, randomness, true time, and the wall clock. */
final class SimulatedEnvironment {

    static final int PORT = 8080;
    static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final int SERVICE_UNAVAILABLE = 503;

    final Random random;
    final HostRules rules;
    final PolitenessChecker politenessChecker;
    final RequestCounter requestCounter;
    private final SimulatedWeb web;
    private final Map<String, Integer> refusals = new HashMap<>();
    private long now = START;
    private long clockOffset;

    SimulatedEnvironment(SimulationSettings simulationSettings, SimulatedWeb web) {
        this.random = new Random(simulationSettings.seed());
        this.web = web;
        this.rules = new HostRules(web);
        this.politenessChecker = new PolitenessChecker(simulationSettings.politeness(), rules);
        this.requestCounter = new RequestCounter(web);
    }

    /** Returns true time, which only moves forward, in milliseconds. */
    long now() {
        return now;
    }

    void advanceTo(long time) {
        now = Math.max(now, time);
    }

    /** Returns the wall clock time, the only time that a process can observe. */
    Instant wall() {
        return Instant.ofEpochMilli(now + clockOffset);
    }

    /** Converts wall clock time to true time. */
    long trueTime(Instant wall) {
        return wall.toEpochMilli() - clockOffset;
    }

    /** Sets the wall clock. */
    void stepClock(long byMillis) {
        clockOffset += byMillis;
    }

    String hub() {
        return web.hubUrl(PORT);
    }

    Resolution resolve(CrawlUrl url) {
        return web.resolve(url.host())
                .<Resolution>map(Resolution.Found::new)
                .orElseGet(() -> new Resolution.NotFound("no such name"));
    }

    /** Returns the response of a host; empty if it does not listen. */
    Optional<SimulatedResponse> reply(CrawlUrl url) {
        var before = refusals.getOrDefault(url.text(), 0);
        var simulatedResponse = web.respond(url.host(), url.pathAndQuery(), PORT, before);
        if (simulatedResponse.isPresent()
                && simulatedResponse.get().status() == SERVICE_UNAVAILABLE) {
            refusals.merge(url.text(), 1, Integer::sum);
        }
        return simulatedResponse;
    }

    FetchResult failed(CrawlUrl url, FailureCause cause) {
        return new FetchResult.Failed(url, cause, cause.id(), wall());
    }

    /** Returns a response as a fetcher would return it now. */
    FetchResult result(
            CrawlUrl url, SimulatedResponse simulatedResponse, InetAddress address, long sent) {
        if (simulatedResponse.truncated()) {
            return failed(url, FailureCause.DISCONNECT);
        }
        var head =
                new StringBuilder("HTTP/1.1 ").append(simulatedResponse.status()).append(" X\r\n");
        simulatedResponse.fields().forEach(field -> head.append(field).append("\r\n"));
        var raw = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        var exchange =
                new Exchange(
                        url,
                        new byte[0],
                        new ResponseHead(raw, simulatedResponse.status()),
                        new Body.InMemory(
                                simulatedResponse.body(), simulatedResponse.body().length),
                        address,
                        new Timings(
                                Instant.ofEpochMilli(sent + clockOffset),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ofMillis(now - sent)),
                        Optional.empty());
        var location = exchange.head().field("location");
        return location.isPresent() && simulatedResponse.status() / 100 == 3
                ? new FetchResult.Redirected(exchange, location.get())
                : new FetchResult.Fetched(exchange);
    }
}
