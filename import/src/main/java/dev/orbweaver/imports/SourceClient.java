package dev.orbweaver.imports;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.RetryPolicy;
import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.fetch.NettyFetcher;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.spi.Fetcher.Resolution;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Requests sitemaps, feeds and index servers with the identity, the address guard and the delays of
 * a crawl. For use by one thread, so there is at most one request at a time.
 *
 * <p>A request is retried after a pause that doubles, if the server is overloaded or the response
 * incomplete. A response is returned only when all of it was received and decoded, so a source
 * never takes half a list for a whole one. Bodies beyond a few hundred kilobytes are in temporary
 * files.
 *
 * <p>Sites are requested as their robots.txt permits. Index servers are programming interfaces for
 * exactly these requests; their robots.txt addresses crawlers of their pages and is not fetched.
 */
final class SourceClient implements AutoCloseable {

    /** Maximum size of a response, as transferred and decoded. */
    static final long BODY_BYTES_MAX = 1L << 30;

    private static final int ATTEMPTS_MAX = 5;
    private static final int REDIRECTS_MAX = 5;

    private static final Duration PAUSE_MIN = Duration.ofMillis(10);

    /** Pauses double up to this one. A server that demands a longer one ends the source. */
    private static final Duration PAUSE_MAX = Duration.ofMinutes(5);

    /** Index servers search before they send the first byte; timeouts are at least these. */
    private static final Duration INDEX_FIRST_BYTE = Duration.ofMinutes(2);

    private static final Duration INDEX_TOTAL = Duration.ofMinutes(10);

    /** A URL that robots.txt forbids. */
    static final class ForbiddenException extends SourceException {

        private static final long serialVersionUID = 1;

        ForbiddenException(String message) {
            super(message);
        }
    }

    /** What is requested, and so which rules apply. */
    enum Access {
        SITE,
        ROBOTS,
        INDEX_SERVER
    }

    private final CrawlUrls urls;
    private final Politeness politeness;
    private final RetryPolicy retryPolicy;
    private final Duration indexDelay;
    private final Duration lookupTimeout;
    private final HostSet excluded;
    private final Path temporary;
    private final InstantSource clock;
    private final NettyFetcher siteFetcher;
    private final NettyFetcher indexFetcher;
    private final SiteRobots robots;
    private final HostTurns turns = new HostTurns();

    /**
     * @param excluded hosts that must not be requested
     * @param temporary an existing directory for large bodies
     */
    SourceClient(
            CrawlConfig config,
            SourceSettings settings,
            HostSet excluded,
            Path temporary,
            InstantSource clock) {
        this.urls = config.urls();
        this.politeness = config.politeness();
        this.retryPolicy = config.crawl().retry();
        this.indexDelay = settings.indexDelay();
        this.lookupTimeout = config.networkSettings().fetch(temporary).timeouts().lookup();
        this.excluded = excluded;
        this.temporary = temporary;
        this.clock = clock;
        this.siteFetcher =
                new NettyFetcher(
                        fetchSettings(config, Duration.ZERO, Duration.ZERO, temporary), clock);
        this.indexFetcher =
                new NettyFetcher(
                        fetchSettings(config, INDEX_FIRST_BYTE, INDEX_TOTAL, temporary), clock);
        this.robots =
                new SiteRobots(config.crawl().robots(), config.crawl().productToken(), urls, this);
    }

    private static FetchSettings fetchSettings(
            CrawlConfig config, Duration firstByteMin, Duration totalMin, Path temporary) {
        var crawl = config.networkSettings().fetch(temporary);
        var timeouts = crawl.timeouts();
        return new FetchSettings(
                crawl.userAgent(),
                new FetchSettings.Timeouts(
                        timeouts.lookup(),
                        timeouts.connect(),
                        longer(timeouts.firstByte(), firstByteMin),
                        longer(timeouts.total(), totalMin)),
                crawl.connectionLimits(),
                crawl.headBytesMax(),
                BODY_BYTES_MAX,
                crawl.insecure(),
                crawl.http2(),
                crawl.addressPolicy(),
                crawl.hostOverrides(),
                crawl.nameServer(),
                crawl.requestOptions(),
                crawl.tempDirectory());
    }

    CrawlUrls urls() {
        return urls;
    }

    /** Returns the robots.txt of a site. */
    RobotsRules robots(CrawlUrl url, SeedOutput out) throws IOException, InterruptedException {
        return robots.fetched(url, out);
    }

    /** Returns how long a look-up of an address may take. */
    Duration lookupTimeout() {
        return lookupTimeout;
    }

    /** Finds the address of a host; may be called by several threads. */
    Resolution resolve(CrawlUrl url) {
        return siteFetcher.resolve(url);
    }

    /** Waits until every host may get its next request. */
    void awaitTurns() throws InterruptedException {
        turns.awaitAll();
    }

    /**
     * Requests a URL and follows redirects.
     *
     * @return the last response, of any status that does not ask for a retry
     * @throws SourceException if there is no complete response
     */
    SourceResponse get(CrawlUrl url, Access access, SeedOutput out)
            throws IOException, InterruptedException {
        var next = url;
        for (var hops = 0; hops <= REDIRECTS_MAX; hops++) {
            var response = getOnce(next, access, out);
            var location = redirect(response);
            if (location.isEmpty()) {
                return response;
            }
            response.close();
            next = location.get();
        }
        throw new SourceException("%s redirects more than %d times".formatted(url, REDIRECTS_MAX));
    }

    private Optional<CrawlUrl> redirect(SourceResponse response) {
        return switch (response.status()) {
            case 301, 302, 303, 307, 308 ->
                    response.head()
                            .field("location")
                            .flatMap(location -> urls.resolve(response.url(), location));
            default -> Optional.empty();
        };
    }

    /** Requests a URL without following redirects; retries as long as it makes sense. */
    SourceResponse getOnce(CrawlUrl url, Access access, SeedOutput out)
            throws IOException, InterruptedException {
        if (excluded.contains(url.host())) {
            throw new SourceException(
                    "%s was not requested: exclude-hosts names %s".formatted(url, url.host()));
        }
        if (access == Access.SITE) {
            requireAllowed(url, out);
        }
        var pause = longer(delay(url, access, out), PAUSE_MIN);
        for (var attempt = 1; ; attempt++) {
            turns.await(url.authority());
            var result = attempt(url, access == Access.INDEX_SERVER ? indexFetcher : siteFetcher);
            turns.ended(url.authority(), delay(url, access, out));
            if (Thread.interrupted()) {
                closeResult(result);
                throw new InterruptedException();
            }
            switch (result) {
                case Attempt.Done(var response) -> {
                    return response;
                }
                case Attempt.Failed(var reason) ->
                        throw new SourceException("%s: %s".formatted(url, reason));
                case Attempt.Retry(var reason, var retryAfter) -> {
                    pause = longer(shorter(pause.multipliedBy(2), PAUSE_MAX), retryAfter);
                    if (attempt == ATTEMPTS_MAX) {
                        throw new SourceException(
                                "%s: %s, also at attempt %d; try again later"
                                        .formatted(url, reason, attempt));
                    }
                    if (retryAfter.compareTo(PAUSE_MAX) > 0) {
                        throw new SourceException(
                                "%s: %s and asks to wait %s; try again then"
                                        .formatted(url, reason, text(retryAfter)));
                    }
                    out.progress(
                            "%s: %s; next attempt in %s"
                                    .formatted(url.authority(), reason, text(pause)));
                    turns.ended(url.authority(), pause);
                }
            }
        }
    }

    private void requireAllowed(CrawlUrl url, SeedOutput out)
            throws IOException, InterruptedException {
        var verdict = robots.rules(url, out).evaluate(url.pathAndQuery());
        if (!verdict.allowed()) {
            throw new ForbiddenException(
                    verdict.line() > 0
                            ? "%s was not requested: line %d of robots.txt says '%s'"
                                    .formatted(url, verdict.line(), verdict.rule())
                            : "%s was not requested: %s".formatted(url, verdict.rule()));
        }
    }

    private Duration delay(CrawlUrl url, Access access, SeedOutput out)
            throws IOException, InterruptedException {
        var delay = politeness.forHost(url.host()).hostDelay();
        return switch (access) {
            case INDEX_SERVER -> longer(delay, indexDelay);
            case ROBOTS -> delay;
            case SITE ->
                    longer(
                            delay,
                            shorter(
                                    robots.rules(url, out).crawlDelay().orElse(Duration.ZERO),
                                    PAUSE_MAX));
        };
    }

    /** The outcome of one attempt. */
    private sealed interface Attempt {

        record Done(SourceResponse response) implements Attempt {}

        record Failed(String reason) implements Attempt {}

        record Retry(String reason, Duration retryAfter) implements Attempt {

            Retry(String reason) {
                this(reason, Duration.ZERO);
            }
        }
    }

    private static void closeResult(Attempt result) throws IOException {
        if (result instanceof Attempt.Done(var response)) {
            response.close();
        }
    }

    private Attempt attempt(CrawlUrl url, NettyFetcher fetcher) throws IOException {
        return switch (fetcher.resolve(url)) {
            case Resolution.Found(var address) -> received(fetcher.fetch(url, address));
            case Resolution.Forbidden(var reason) ->
                    new Attempt.Failed(
                            reason + " and was not requested; use --allow-private if it may be");
            case Resolution.NotFound(var reason, _) ->
                    new Attempt.Failed("the host has no address (%s)".formatted(reason));
        };
    }

    private Attempt received(FetchResult result) throws IOException {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> received(exchange);
            case FetchResult.Redirected(var exchange, _) -> received(exchange);
            case FetchResult.NotModified(var exchange) -> received(exchange);
            case FetchResult.Refused(_, var reason) -> new Attempt.Failed(reason);
            case FetchResult.NoResponse(_, _, var problem) ->
                    new Attempt.Retry(
                            problem.orElse("the connection was closed without a response"));
            case FetchResult.Failed(_, var cause, var detail, _) ->
                    cause.isRetryable()
                            ? new Attempt.Retry(cause.id() + ": " + detail)
                            : new Attempt.Failed(cause.id() + ": " + detail);
        };
    }

    private Attempt received(Exchange exchange) throws IOException {
        try {
            if (exchange.truncated().isPresent()) {
                return new Attempt.Failed("the response is larger than 1 GB");
            }
            var decoded = decode(exchange);
            if (decoded.isEmpty()) {
                return new Attempt.Retry("the response could not be decoded completely");
            }
            var response = new SourceResponse(exchange.url(), exchange.head(), decoded.get());
            var overload = overload(response);
            if (overload.isPresent()) {
                response.close();
                var after = exchange.head().field("retry-after");
                return new Attempt.Retry(
                        overload.get(), retryPolicy.retryAfter(after, clock.instant()));
            }
            return new Attempt.Done(response);
        } finally {
            SourceResponse.delete(exchange.body());
        }
    }

    private Optional<Body> decode(Exchange exchange) throws IOException {
        try (var in = new SourceResponse(exchange.url(), exchange.head(), exchange.body()).open();
                var decoded = new SpillBuffer(temporary)) {
            var whole =
                    ContentReader.copyDecoded(
                            exchange.head(),
                            in,
                            exchange.body().length(),
                            new LimitedOutput(decoded, exchange.url()));
            return whole ? Optional.of(decoded.finish()) : Optional.empty();
        }
    }

    /** Returns why a response asks for a later request; empty if it is final. */
    private static Optional<String> overload(SourceResponse response) throws IOException {
        var status = response.status();
        return switch (status) {
            case 429, 503 ->
                    Optional.of("the server asks for fewer requests (status %d)".formatted(status));
            case 502, 504, 509 ->
                    Optional.of("the server is overloaded (status %d)".formatted(status));
            case 500 -> {
                // A gateway passes on the refusal of the storage behind it in the text only.
                var text = response.excerpt();
                yield text.contains("503")
                                || text.contains("slow down")
                                || text.contains("slowdown")
                        ? Optional.of(
                                "the server asks for fewer requests (status 500 with the text of a"
                                        + " 503)")
                        : Optional.of("the server failed (status 500)");
            }
            default -> Optional.empty();
        };
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static String text(Duration duration) {
        return duration.toSeconds() == 0
                ? duration.toMillis() + " ms"
                : duration.toSeconds() + " s";
    }

    @Override
    public void close() {
        try (indexFetcher) {
            siteFetcher.close();
        }
    }
}
