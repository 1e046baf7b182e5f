package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.Fetcher.Resolution;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * All decisions about one lease, without a thread, socket or clock: each method is told what
 * happened and says what to do next. The loop carries the steps out over the network, the
 * simulation in virtual time; both run this code.
 *
 * <p>A visit makes at most one request. If the host's robots.txt is not known, that request is for
 * robots.txt, and the lease goes back with the host's delay running: so politeness has one path and
 * needs no exceptions.
 *
 * <p>While {@code robotsUrl} is present, this visit is the one that must bring the answer for its
 * origin. On every way out it is either answered or abandoned; otherwise the origin would wait for
 * ever.
 */
final class Visit {

    private static final Duration CONCURRENT_ROBOTS_WAIT = Duration.ofMillis(50);

    private final Lease lease;
    private final VisitContext visitContext;
    private final VisitOutcomes visitOutcomes;
    private Optional<CrawlUrl> robotsUrl = Optional.empty();
    private boolean parsing;

    Visit(Lease lease, VisitContext visitContext) {
        this.lease = lease;
        this.visitContext = visitContext;
        this.visitOutcomes = new VisitOutcomes(lease, visitContext);
    }

    /** Begins with what costs no request: whether the URL is worth one, then robots.txt. */
    Step begin(Instant now) {
        var forbidden = visitContext.forbiddenReason(lease);
        if (forbidden.isPresent()) {
            return visitOutcomes.withdrawn(Refusal.RULE, forbidden.get(), now);
        }
        var trap = visitContext.trapDetector().trapReason(lease.url(), lease.hop());
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
            case RobotsCache.RobotsState.MustFetch(var url) -> {
                robotsUrl = Optional.of(url);
                yield new Step.Resolve(url);
            }
            case RobotsCache.RobotsState.FetchInProgress _ ->
                    postpone(new ReleaseReason.GateClosed(now.plus(CONCURRENT_ROBOTS_WAIT)));
            case RobotsCache.RobotsState.Unreachable(var asked, var until) ->
                    postpone(new ReleaseReason.RobotsUnreachable(asked, until));
        };
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

    /** The address was looked up. */
    Step resolved(Resolution resolution, Instant now) {
        var target = robotsUrl.orElse(lease.url());
        return switch (resolution) {
            case Resolution.Found(var address) -> new Step.PassGates(target, address);
            case Resolution.Forbidden(var why) ->
                    isRobotsOnOtherHost()
                            ? robotsFailed(why, now)
                            : releaseRobotsClaim(
                                    visitOutcomes.withdrawn(Refusal.ADDRESS, why, now));
            case Resolution.NotFound(var why) ->
                    isRobotsOnOtherHost()
                            ? robotsFailed(why, now)
                            : releaseRobotsClaim(visitOutcomes.failed(FailureCause.DNS, why, now));
        };
    }

    /** The gates were tried. */
    Step passed(Step.PassGates passGates, Optional<Instant> closedUntil) {
        return closedUntil
                .<Step>map(until -> postpone(new ReleaseReason.GateClosed(until)))
                .orElseGet(() -> new Step.Fetch(passGates.url(), passGates.address()));
    }

    /** The request was made. */
    Step fetched(FetchResult result, Instant now) {
        return robotsUrl.isPresent() ? robotsFetched(result, now) : pageFetched(result, now);
    }

    private Step robotsFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> new Step.ReadRobots(exchange);
            case FetchResult.Redirected(var exchange, _) -> new Step.ReadRobots(exchange);
            case FetchResult.NotModified(var exchange) -> new Step.ReadRobots(exchange);
            case FetchResult.Refused(_, var why) -> robotsFailed(why, now);
            case FetchResult.NoResponse(_, var ended, _) ->
                    postpone(new ReleaseReason.NoResponse(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    hostIsDown(cause)
                            ? releaseRobotsClaim(visitOutcomes.failed(cause, detail, ended))
                            : robotsFailed(detail, ended);
        };
    }

    /**
     * Without a connection there is nothing to be said about robots.txt: the URL itself has failed,
     * as any URL would. A seed whose scheme was guessed gives its guess up on any failure.
     */
    private boolean hostIsDown(FailureCause cause) {
        var noConnection = cause == FailureCause.CONNECT || cause == FailureCause.TLS;
        return !isRobotsOnOtherHost() && (noConnection || lease.hop() == Hop.GUESSED_SEED);
    }

    /** Whether the request of this visit is for robots.txt. */
    boolean isRobotsRequest() {
        return robotsUrl.isPresent();
    }

    private boolean isRobotsOnOtherHost() {
        return robotsUrl.filter(url -> !url.host().equals(lease.url().host())).isPresent();
    }

    /** The content of robots.txt was read. */
    Step robotsRead(Exchange exchange, ContentReader.Content content) {
        var ended = exchange.timings().ended();
        var retry = visitContext.settings().retry();
        var quiet = retry.retryAfter(exchange.head().field("retry-after"), ended);
        var outcome = robotsOutcome(exchange, content);
        var hasFile = exchange.status() / 100 == 2 && !isUndecodable(exchange, content);
        var robotsResponse =
                new RobotsCache.RobotsResponse(
                        outcome,
                        "status " + exchange.status(),
                        hasFile ? Arrays.copyOf(content.bytes(), content.length()) : new byte[0],
                        ended,
                        quiet);
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

    /** Whether a file was sent of which not even as much as is ever read can be decoded. */
    private static boolean isUndecodable(Exchange exchange, ContentReader.Content content) {
        return exchange.status() / 100 == 2
                && content.damaged()
                && content.length() < RobotsRules.BYTES_MAX;
    }

    private Step robotsFailed(String why, Instant ended) {
        var outcome = RobotsOutcome.ofFailure(why);
        return onRobotsResponse(
                RobotsCache.RobotsResponse.withoutBody(outcome, why, ended, Duration.ZERO),
                Optional.empty());
    }

    private Step onRobotsResponse(
            RobotsCache.RobotsResponse robotsResponse, Optional<Exchange> exchange) {
        var asked = robotsUrl.orElseThrow();
        var ended = robotsResponse.receivedAt();
        var robotsState = visitContext.robots().onResponse(lease.url(), asked, robotsResponse);
        robotsUrl = Optional.empty();
        var capture = exchange.map(e -> visitOutcomes.robotsCapture(asked, e));
        return switch (robotsState) {
            case RobotsCache.RobotsState.Known(var rules) ->
                    visitOutcomes.robotsFetched(
                            ended,
                            visitContext.robots().hostDelay(lease.url()),
                            visitContext.sitemaps(rules.sitemaps(), asked, ended),
                            capture);
            case RobotsCache.RobotsState.Unreachable(_, var until) ->
                    visitOutcomes.postponed(
                            new ReleaseReason.RobotsUnreachable(ended, until), capture);
            case RobotsCache.RobotsState.MustFetch _, RobotsCache.RobotsState.FetchInProgress _ ->
                    visitOutcomes.postponed(new ReleaseReason.RobotsFetched(ended), capture);
        };
    }

    private Step pageFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> onResponse(exchange);
            case FetchResult.NotModified(var exchange) ->
                    visitOutcomes.done(exchange, Kind.ERROR, Page.EMPTY);
            case FetchResult.Redirected(var exchange, var location) ->
                    visitOutcomes.redirected(exchange, location);
            case FetchResult.Refused(_, var why) -> visitOutcomes.bodyRejected(why, now);
            case FetchResult.NoResponse(_, var ended, _) ->
                    postpone(new ReleaseReason.NoResponse(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    visitOutcomes.failed(cause, detail, ended);
        };
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

    /** The document's links were read. */
    Step parsed(Exchange exchange, Page page) {
        parsing = false;
        return lease.hop() == Hop.SITEMAP
                ? visitOutcomes.done(exchange, Kind.SITEMAP, page)
                : visitOutcomes.parsed(exchange, page);
    }

    /**
     * Something of our own went wrong: the URL is recorded as failed with its cause, and the crawl
     * goes on.
     */
    Step.End internalError(Throwable error, Instant now) {
        var cause = parsing ? FailureCause.PARSE : FailureCause.INTERNAL;
        return releaseRobotsClaim(visitOutcomes.internalError(cause, error, now));
    }

    /** What came could not be kept. */
    Step.End storageFailed(IOException error, Instant now) {
        return releaseRobotsClaim(visitOutcomes.storageFailed(error, now));
    }

    private Step.End postpone(ReleaseReason why) {
        return releaseRobotsClaim(visitOutcomes.postponed(why, Optional.empty()));
    }

    /** Ends the visit and, if it had the duty to ask for robots.txt, leaves that to the next. */
    private Step.End releaseRobotsClaim(Step.End end) {
        if (robotsUrl.isPresent()) {
            visitContext.robots().releaseClaim(lease.url());
            robotsUrl = Optional.empty();
        }
        return end;
    }
}
