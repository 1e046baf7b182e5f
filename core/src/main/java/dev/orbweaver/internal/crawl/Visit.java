package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.sink.PreviousVisit;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.spi.Fetcher.Resolution;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * Makes all decisions about one lease, without a thread, socket or clock: each method takes an
 * event and returns the next step. The loop executes the steps over the network, the simulation in
 * virtual time; both run this code.
 *
 * <p>A visit makes at most one request. If the host's robots.txt is not known, that request is for
 * robots.txt, and the lease is released with the host's delay running. So politeness has one code
 * path and needs no exceptions.
 *
 * <p>While {@code robotsUrl} is present, this visit holds the claim to fetch robots.txt for its
 * origin. Every exit path either reports a response or releases the claim; otherwise the origin
 * would wait forever.
 */
final class Visit {

    private static final Duration CONCURRENT_ROBOTS_WAIT = Duration.ofMillis(50);

    private final Lease lease;
    private final VisitContext visitContext;
    private final Optional<PreviousVisit> previous;
    private final VisitOutcomes visitOutcomes;
    private Optional<CrawlUrl> robotsUrl = Optional.empty();
    private boolean parsing;

    Visit(Lease lease, VisitContext visitContext) {
        this(lease, visitContext, Optional.empty());
    }

    /**
     * @param previous the last visit of a URL that is visited again
     */
    Visit(Lease lease, VisitContext visitContext, Optional<PreviousVisit> previous) {
        this.lease = lease;
        this.visitContext = visitContext;
        this.previous = previous;
        this.visitOutcomes = new VisitOutcomes(lease, visitContext, previous);
    }

    /** Starts with the checks that need no request: scope and traps, then robots.txt. */
    Step begin(Instant now) {
        var forbidden = visitContext.forbiddenReason(lease);
        if (forbidden.isPresent()) {
            return visitOutcomes.withdrawn(Refusal.RULE, forbidden.get(), now);
        }
        // A page that was worth a visit is no trap because it has not changed since.
        var trap =
                lease.revisit()
                        ? Optional.<String>empty()
                        : visitContext.trapDetector().trapReason(lease.url(), lease.hop());
        if (trap.isPresent()) {
            return visitOutcomes.trapped(trap.get(), now);
        }
        return switch (visitContext.settings().robots()) {
            case RobotsPolicy.Obey _ -> checkRobots(now);
            case RobotsPolicy.Ignore _ -> new Step.Resolve(lease.url());
            case RobotsPolicy.Custom(var rules, var file, _) -> applyRules(rules, file + " ", now);
        };
    }

    private Step checkRobots(Instant now) {
        return switch (visitContext.robots().claim(lease.url(), now)) {
            case RobotsCache.RobotsState.Known(var rules) -> applyRules(rules, "", now);
            case RobotsCache.RobotsState.Adopted(var rules, var url) -> adopt(rules, url, now);
            case RobotsCache.RobotsState.MustFetch(var url) -> {
                robotsUrl = Optional.of(url);
                yield new Step.Resolve(url);
            }
            case RobotsCache.RobotsState.FetchInProgress _ ->
                    postpone(new ReleaseReason.GateClosed(now.plus(CONCURRENT_ROBOTS_WAIT)));
            case RobotsCache.RobotsState.Unreachable(var attemptedAt, var until) ->
                    postpone(new ReleaseReason.RobotsUnreachable(attemptedAt, until));
        };
    }

    /**
     * Begins with rules that another crawl has fetched: their delay and sitemaps are committed as
     * after a fetch, if there are any.
     */
    private Step adopt(RobotsRules rules, CrawlUrl url, Instant now) {
        var delay = visitContext.robots().hostDelay(lease.url());
        var sitemaps = visitContext.sitemaps(rules.sitemaps(), url, now);
        if (delay.isZero() && sitemaps.isEmpty()) {
            visitContext.robots().persist(lease.url());
            return applyRules(rules, "", now);
        }
        return visitOutcomes.robotsFetched(now, delay, sitemaps, Optional.empty());
    }

    private Step applyRules(RobotsRules rules, String file, Instant now) {
        var verdict = rules.evaluate(lease.url().pathAndQuery());
        return verdict.allowed()
                ? new Step.Resolve(lease.url())
                : visitOutcomes.withdrawn(
                        Refusal.ROBOTS,
                        file + "line " + verdict.line() + ": " + verdict.rule(),
                        now);
    }

    /** Handles the result of address resolution. */
    Step resolved(Resolution resolution, Instant now) {
        var target = robotsUrl.orElse(lease.url());
        return switch (resolution) {
            case Resolution.Found(var address) -> new Step.PassGates(target, address);
            case Resolution.Forbidden(var reason) ->
                    isRobotsOnOtherHost()
                            ? robotsFailed(reason, now)
                            : releaseRobotsClaim(
                                    visitOutcomes.withdrawn(Refusal.ADDRESS, reason, now));
            case Resolution.NotFound(var reason, var nonexistent) ->
                    isRobotsOnOtherHost()
                            ? robotsFailed(reason, now)
                            : releaseRobotsClaim(
                                    nonexistent && lease.hop().isSeed()
                                            ? visitOutcomes.seedWithoutHost(reason, now)
                                            : visitOutcomes.failed(FailureCause.DNS, reason, now));
        };
    }

    /** Handles the result of the gates. */
    Step passed(Step.PassGates passGates, Optional<Instant> closedUntil) {
        return closedUntil
                .<Step>map(until -> postpone(new ReleaseReason.GateClosed(until)))
                .orElseGet(() -> new Step.Fetch(passGates.url(), passGates.address()));
    }

    /** Handles the result of the request. */
    Step fetched(FetchResult result, Instant now) {
        return robotsUrl.isPresent() ? robotsFetched(result, now) : pageFetched(result, now);
    }

    private Step robotsFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> new Step.ReadRobots(exchange);
            case FetchResult.Redirected(var exchange, _) -> new Step.ReadRobots(exchange);
            case FetchResult.NotModified(var exchange) -> new Step.ReadRobots(exchange);
            case FetchResult.Refused(_, var reason) -> robotsFailed(reason, now);
            case FetchResult.NoResponse(_, var ended, _) ->
                    postpone(new ReleaseReason.NoResponse(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    hostIsDown(cause)
                            ? releaseRobotsClaim(visitOutcomes.failed(cause, detail, ended))
                            : robotsFailed(detail, ended);
        };
    }

    /**
     * Returns whether the URL itself has failed. Without a connection nothing is known about
     * robots.txt, so the URL fails as any URL would. A seed with a guessed scheme drops the guess
     * on any failure.
     */
    private boolean hostIsDown(FailureCause cause) {
        var noConnection = cause == FailureCause.CONNECT || cause == FailureCause.TLS;
        return !isRobotsOnOtherHost() && (noConnection || lease.hop() == Hop.GUESSED_SEED);
    }

    /** Returns whether the request of this visit is for robots.txt. */
    boolean isRobotsRequest() {
        return robotsUrl.isPresent();
    }

    private boolean isRobotsOnOtherHost() {
        return robotsUrl.filter(url -> !url.host().equals(lease.url().host())).isPresent();
    }

    /** Handles the decoded content of robots.txt. */
    Step robotsRead(Exchange exchange, ContentReader.Content content) {
        var ended = exchange.timings().ended();
        var retry = visitContext.settings().retry();
        var retryAfter = retry.retryAfter(exchange.head().field("retry-after"), ended);
        var outcome = robotsOutcome(exchange, content);
        var hasFile = exchange.status() / 100 == 2 && !isUndecodable(exchange, content);
        var robotsResponse =
                new RobotsCache.RobotsResponse(
                        outcome,
                        "status " + exchange.status(),
                        hasFile ? Arrays.copyOf(content.bytes(), content.length()) : new byte[0],
                        ended,
                        retryAfter);
        return onRobotsResponse(robotsResponse, Optional.of(exchange));
    }

    private RobotsOutcome robotsOutcome(Exchange exchange, ContentReader.Content content) {
        if (isUndecodable(exchange, content)) {
            return RobotsOutcome.ofUndecodable(
                    String.join(", ", exchange.head().fields("content-encoding")));
        }
        return RobotsOutcome.ofStatus(
                exchange.status(),
                content.bytes(),
                content.length(),
                visitContext.settings().productToken(),
                visitContext.robots().hops(lease.url()),
                exchange.head().field("location"));
    }

    /**
     * Returns whether a file was sent that cannot be decoded even up to the number of bytes that
     * are parsed.
     */
    private static boolean isUndecodable(Exchange exchange, ContentReader.Content content) {
        return exchange.status() / 100 == 2
                && content.damaged()
                && content.length() < RobotsRules.BYTES_MAX;
    }

    private Step robotsFailed(String reason, Instant ended) {
        var outcome = RobotsOutcome.ofFailure(reason);
        return onRobotsResponse(
                RobotsCache.RobotsResponse.withoutBody(outcome, reason, ended, Duration.ZERO),
                Optional.empty());
    }

    private Step onRobotsResponse(
            RobotsCache.RobotsResponse robotsResponse, Optional<Exchange> exchange) {
        var requested = robotsUrl.orElseThrow();
        var ended = robotsResponse.receivedAt();
        var robotsState = visitContext.robots().onResponse(lease.url(), requested, robotsResponse);
        robotsUrl = Optional.empty();
        var capture = exchange.map(e -> visitOutcomes.robotsCapture(requested, e));
        return switch (robotsState) {
            case RobotsCache.RobotsState.Known(var rules) ->
                    visitOutcomes.robotsFetched(
                            ended,
                            visitContext.robots().hostDelay(lease.url()),
                            visitContext.sitemaps(rules.sitemaps(), requested, ended),
                            capture);
            case RobotsCache.RobotsState.Unreachable(_, var until) ->
                    visitOutcomes.postponed(
                            new ReleaseReason.RobotsUnreachable(ended, until), capture);
            case RobotsCache.RobotsState.MustFetch _,
                    RobotsCache.RobotsState.Adopted _,
                    RobotsCache.RobotsState.FetchInProgress _ ->
                    visitOutcomes.postponed(new ReleaseReason.RobotsFetched(ended), capture);
        };
    }

    private Step pageFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> onResponse(exchange);
            case FetchResult.NotModified(var exchange) -> onNotModified(exchange);
            case FetchResult.Redirected(var exchange, var location) ->
                    visitOutcomes.redirected(exchange, location);
            case FetchResult.Refused(_, var reason) -> visitOutcomes.bodyRejected(reason, now);
            case FetchResult.NoResponse(_, var ended, _) ->
                    postpone(new ReleaseReason.NoResponse(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    visitOutcomes.failed(cause, detail, ended);
        };
    }

    /** A 304 to a request that was not conditional is an error of the server. */
    private Step onNotModified(Exchange exchange) {
        return previous.filter(it -> !it.validators().isEmpty())
                .map(it -> visitOutcomes.notModified(exchange, it.entry()))
                .orElseGet(() -> visitOutcomes.done(exchange, Kind.ERROR, Page.EMPTY));
    }

    private Step onResponse(Exchange exchange) {
        var status = exchange.status();
        if (status >= 200 && status < 300) {
            parsing = true;
            return new Step.Parse(exchange);
        }
        return status == 429 || status >= 500
                ? visitOutcomes.serverErrorOrRateLimited(exchange)
                : visitOutcomes.done(exchange, Kind.ERROR, Page.EMPTY);
    }

    /** Handles the parsed document. */
    Step parsed(Exchange exchange, Page page) {
        parsing = false;
        return lease.hop() == Hop.SITEMAP
                ? visitOutcomes.done(exchange, Kind.SITEMAP, page)
                : visitOutcomes.parsed(exchange, page);
    }

    /**
     * Ends the visit after an internal error: the URL is recorded as failed with its cause, and the
     * crawl continues.
     */
    Step.End internalError(Throwable error, Instant now) {
        var cause = parsing ? FailureCause.PARSE : FailureCause.INTERNAL;
        return releaseRobotsClaim(visitOutcomes.internalError(cause, error, now));
    }

    /** Ends the visit because its result could not be stored. */
    Step.End storageFailed(IOException error, Instant now) {
        return releaseRobotsClaim(visitOutcomes.storageFailed(error, now));
    }

    private Step.End postpone(ReleaseReason reason) {
        return releaseRobotsClaim(visitOutcomes.postponed(reason, Optional.empty()));
    }

    /** Ends the visit and releases its claim on robots.txt, if any, to the next visit. */
    private Step.End releaseRobotsClaim(Step.End end) {
        if (robotsUrl.isPresent()) {
            visitContext.robots().releaseClaim(lease.url());
            robotsUrl = Optional.empty();
        }
        return end;
    }
}
