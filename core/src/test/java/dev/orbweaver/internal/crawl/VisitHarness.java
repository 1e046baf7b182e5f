package dev.orbweaver.internal.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.model.Timings;
import dev.orbweaver.spi.Fetcher.Resolution;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A crawl of a.test without threads and sockets: the test passes events and times to visits. */
final class VisitHarness {

    static final Duration TOOK = Duration.ofMillis(200);
    static final Duration FIRST_RETRY = Duration.ofSeconds(5);
    static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.1");
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    final VisitContext visitContext;
    Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private Hop hop = Hop.LINK;
    private int depth = 2;
    private int hops;
    private int attempts;
    private boolean respelled;

    VisitHarness() {
        this(true, true);
    }

    VisitHarness(boolean obeyRobots, boolean sitemaps) {
        this(obeyRobots, sitemaps, RobotsStore.NO_STORE);
    }

    /** Creates a crawl that stores robots.txt entries. */
    VisitHarness(RobotsStore store) {
        this(true, true, store);
    }

    private VisitHarness(boolean obeyRobots, boolean sitemaps, RobotsStore store) {
        var settings =
                new CrawlSettings(
                        10,
                        obeyRobots,
                        "orbweaver",
                        sitemaps,
                        new RetryPolicy(2, FIRST_RETRY),
                        new CrawlSettings.Limits(
                                Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(1000)),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        Duration.ZERO,
                        3,
                        1 << 20,
                        TrapSettings.OFF);
        var scope =
                new RuleScope(
                        new ScopeSettings(
                                ScopeType.HOST,
                                List.of(),
                                List.of(),
                                5,
                                Set.of(),
                                false,
                                Set.of(),
                                Long.MAX_VALUE),
                        Set.of(url("http://a.test/")));
        this.visitContext = new VisitContext(settings, URLS, scope, store);
    }

    static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }

    VisitHarness withHop(Hop newHop) {
        hop = newHop;
        return this;
    }

    VisitHarness withRedirects(int redirects) {
        hops = redirects;
        return this;
    }

    VisitHarness withAttempts(int number) {
        attempts = number;
        return this;
    }

    VisitHarness respelled() {
        respelled = true;
        return this;
    }

    void advance(Duration time) {
        now = now.plus(time);
    }

    Visit visit(String url) {
        var lease =
                new Lease(
                        7,
                        TestFrontier.JOB,
                        url(url),
                        hop,
                        depth,
                        hops,
                        respelled,
                        CaptureRef.ofLine(3),
                        attempts,
                        now,
                        now.plusSeconds(600));
        return new Visit(lease, visitContext);
    }

    /**
     * Returns a visit to a host whose robots.txt allows everything, at the point where it fetches.
     */
    Visit fetching(String url) {
        if (visitContext.settings().obeyRobots()) {
            var _ = robots(url, 404, "");
        }
        var visit = visit(url);
        var _ = visit.begin(now);
        return visit;
    }

    /** Lets one visit request robots.txt and passes it this response. */
    Step robots(String pageUrl, int status, String body, String... fields) {
        var visit = visit(pageUrl);
        var asked = ((Step.Resolve) visit.begin(now)).url();
        return respondRobots(visit, asked, status, body, fields);
    }

    Step respondRobots(Visit visit, CrawlUrl asked, int status, String body, String... fields) {
        var exchange = exchange(asked, status, body, fields);
        var passGates = (Step.PassGates) visit.resolved(new Resolution.Found(ADDRESS), now);
        var _ = visit.passed(passGates, Optional.empty());
        var location = exchange.head().field("location");
        var result =
                location.isPresent()
                        ? new FetchResult.Redirected(exchange, location.get())
                        : new FetchResult.Fetched(exchange);
        var read = (Step.ReadRobots) visit.fetched(result, now);
        var bytes = body.getBytes(UTF_8);
        var end =
                visit.robotsRead(
                        read.exchange(), new ContentReader.Content(bytes, bytes.length, false));
        visitContext.onCommitted((Step.End) end);
        return end;
    }

    /** Passes the response of a page to a visit. */
    Step page(Visit visit, String url, int status, String... fields) {
        return visit.fetched(new FetchResult.Fetched(exchange(url(url), status, "", fields)), now);
    }

    Step redirect(Visit visit, String url, String location) {
        var exchange = exchange(url(url), 301, "", "Location: " + location);
        return visit.fetched(new FetchResult.Redirected(exchange, location), now);
    }

    Step failure(Visit visit, FailureCause cause) {
        return visit.fetched(
                new FetchResult.Failed(url("http://a.test/"), cause, "so it is", now), now);
    }

    Exchange exchange(CrawlUrl url, int status, String body, String... fields) {
        var head = new StringBuilder("HTTP/1.1 " + status + " X\r\n");
        for (var field : fields) {
            head.append(field).append("\r\n");
        }
        var bytes = body.getBytes(UTF_8);
        return new Exchange(
                url,
                new byte[0],
                new ResponseHead(head.append("\r\n").toString().getBytes(UTF_8), status),
                new Body.InMemory(bytes, bytes.length),
                ADDRESS,
                new Timings(now.minus(TOOK), Duration.ZERO, Duration.ZERO, TOOK),
                Optional.empty());
    }
}
