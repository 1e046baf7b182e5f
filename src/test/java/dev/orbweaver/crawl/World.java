package dev.orbweaver.crawl;

import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.lab.Reply;
import dev.orbweaver.lab.Rulebook;
import dev.orbweaver.lab.SimulatedWeb;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Everything around a simulated process: the web, chance, true time, and the clock on the wall. */
final class World {

    static final int PORT = 8080;
    static final long BEGUN = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final int SERVICE_UNAVAILABLE = 503;

    final Random random;
    final Rulebook rules;
    final Judge judge;
    final Visitors visitors;
    private final SimulatedWeb web;
    private final Map<String, Integer> refusals = new HashMap<>();
    private long now = BEGUN;
    private long wallAhead;

    World(Terms terms, SimulatedWeb web) {
        this.random = new Random(terms.seed());
        this.web = web;
        this.rules = new Rulebook(web);
        this.judge = new Judge(terms.politeness(), rules);
        this.visitors = new Visitors(web);
    }

    /** True time, which only goes forward, in milliseconds. */
    long now() {
        return now;
    }

    void passUntil(long time) {
        now = Math.max(now, time);
    }

    /** What the clock on the wall shows: all that a process can know of time. */
    Instant wall() {
        return Instant.ofEpochMilli(now + wallAhead);
    }

    /** True time from a time on the wall. */
    long trueTime(Instant wall) {
        return wall.toEpochMilli() - wallAhead;
    }

    /** Somebody sets the clock. */
    void setWall(long byMillis) {
        wallAhead += byMillis;
    }

    String hub() {
        return web.hubUrl(PORT);
    }

    Resolution resolve(CrawlUrl url) {
        return web.resolve(url.host())
                .<Resolution>map(Resolution.Found::new)
                .orElseGet(() -> new Resolution.NotFound("no such name"));
    }

    /** What a host answers; nothing where nobody listens. */
    Optional<Reply> reply(CrawlUrl url) {
        var before = refusals.getOrDefault(url.text(), 0);
        var reply = web.reply(url.host(), url.pathAndQuery(), PORT, before);
        if (reply.isPresent() && reply.get().status() == SERVICE_UNAVAILABLE) {
            refusals.merge(url.text(), 1, Integer::sum);
        }
        return reply;
    }

    FetchResult failed(CrawlUrl url, FailureCause cause) {
        return new FetchResult.Failed(url, cause, cause.word(), wall());
    }

    /** An answer as a fetcher would hand it over now. */
    FetchResult result(CrawlUrl url, Reply reply, InetAddress address, long sent) {
        if (reply.cutShort()) {
            return failed(url, FailureCause.DISCONNECT);
        }
        var head = new StringBuilder("HTTP/1.1 ").append(reply.status()).append(" X\r\n");
        reply.fields().forEach(field -> head.append(field).append("\r\n"));
        var raw = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        var exchange =
                new Exchange(
                        url,
                        new byte[0],
                        new ResponseHead(raw, reply.status()),
                        new Body.InMemory(reply.body(), reply.body().length),
                        address,
                        new Timings(
                                Instant.ofEpochMilli(sent + wallAhead),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ofMillis(now - sent)),
                        Optional.empty());
        var location = exchange.head().field("location");
        return location.isPresent() && reply.status() / 100 == 3
                ? new FetchResult.Redirected(exchange, location.get())
                : new FetchResult.Fetched(exchange);
    }
}
