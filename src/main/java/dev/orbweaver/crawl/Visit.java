package dev.orbweaver.crawl;

import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.robots.RobotsOutcome;
import dev.orbweaver.robots.RobotsRules;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * All decisions about one lease, without a thread, socket or clock: each method is told what
 * happened and says what to do next. The loop carries the steps out over the network, the
 * laboratory in virtual time; both run this code.
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

    private static final Duration WAIT_FOR_ANOTHERS_ROBOTS = Duration.ofMillis(50);

    private final Lease lease;
    private final Etiquette etiquette;
    private final Ending ending;
    private Optional<CrawlUrl> robotsUrl = Optional.empty();
    private boolean reading;

    Visit(Lease lease, Etiquette etiquette) {
        this.lease = lease;
        this.etiquette = etiquette;
        this.ending = new Ending(lease, etiquette);
    }

    /** Begins with what costs no request: whether the URL is worth one, then robots.txt. */
    Step begin(Instant now) {
        var forbidden = etiquette.forbids(lease);
        if (forbidden.isPresent()) {
            return ending.withdrawn(Refusal.RULE, forbidden.get(), now);
        }
        var trap = etiquette.novelty().objection(lease.url(), lease.hop());
        if (trap.isPresent()) {
            return ending.trapped(trap.get(), now);
        }
        return switch (etiquette.settings().robots()) {
            case RobotsPolicy.Obey _ -> byOwnRobots(now);
            case RobotsPolicy.Ignore _ -> new Step.Resolve(lease.url());
            case RobotsPolicy.Custom(var rules, var file, _) -> judged(rules, file + " ", now);
        };
    }

    private Step byOwnRobots(Instant now) {
        return switch (etiquette.robots().claim(lease.url(), now)) {
            case RobotsBook.Standing.Known(var rules) -> judged(rules, "", now);
            case RobotsBook.Standing.Ask(var url) -> {
                robotsUrl = Optional.of(url);
                yield new Step.Resolve(url);
            }
            case RobotsBook.Standing.BeingAsked _ ->
                    later(new Pause.Gate(now.plus(WAIT_FOR_ANOTHERS_ROBOTS)));
            case RobotsBook.Standing.Unreachable(var asked, var until) ->
                    later(new Pause.RobotsUnreachable(asked, until));
        };
    }

    private Step judged(RobotsRules rules, String file, Instant now) {
        var verdict = rules.judge(lease.url().pathAndQuery());
        return verdict.allowed()
                ? new Step.Resolve(lease.url())
                : ending.withdrawn(
                        Refusal.ROBOTS,
                        file + "line " + verdict.line() + ": " + verdict.rule(),
                        now);
    }

    /** The address was looked up. */
    Step resolved(Resolution resolution, Instant now) {
        var target = robotsUrl.orElse(lease.url());
        return switch (resolution) {
            case Resolution.Found(var address) -> new Step.Pass(target, address);
            case Resolution.Forbidden(var why) ->
                    robotsElsewhere()
                            ? robotsFailed(why, now)
                            : unasked(ending.withdrawn(Refusal.ADDRESS, why, now));
            case Resolution.NotFound(var why) ->
                    robotsElsewhere()
                            ? robotsFailed(why, now)
                            : unasked(ending.failed(FailureCause.DNS, why, now));
        };
    }

    /** The gates were tried. */
    Step passed(Step.Pass pass, Optional<Instant> closedUntil) {
        return closedUntil
                .<Step>map(until -> later(new Pause.Gate(until)))
                .orElseGet(() -> new Step.Fetch(pass.url(), pass.address()));
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
            case FetchResult.Unanswered(_, var ended, _) -> later(new Pause.Unanswered(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    hostIsDown(cause)
                            ? unasked(ending.failed(cause, detail, ended))
                            : robotsFailed(detail, ended);
        };
    }

    /**
     * Without a connection there is nothing to be said about robots.txt: the URL itself has failed,
     * as any URL would. A seed whose scheme was guessed gives its guess up on any failure.
     */
    private boolean hostIsDown(FailureCause cause) {
        var noConnection = cause == FailureCause.CONNECT || cause == FailureCause.TLS;
        return !robotsElsewhere() && (noConnection || lease.hop() == Hop.GUESSED_SEED);
    }

    /** Whether the request of this visit is for robots.txt. */
    boolean asksForRobots() {
        return robotsUrl.isPresent();
    }

    private boolean robotsElsewhere() {
        return robotsUrl.filter(url -> !url.host().equals(lease.url().host())).isPresent();
    }

    /** The content of robots.txt was read. */
    Step robotsRead(Exchange exchange, ContentReader.Content content) {
        var ended = exchange.timings().ended();
        var retry = etiquette.settings().retry();
        var quiet = retry.retryAfter(exchange.head().field("retry-after"), ended);
        var outcome = robotsOutcome(exchange, content);
        var hasFile = exchange.status() / 100 == 2 && !isUndecodable(exchange, content);
        var reply =
                new RobotsBook.Reply(
                        outcome,
                        "status " + exchange.status(),
                        hasFile ? Arrays.copyOf(content.bytes(), content.length()) : new byte[0],
                        ended,
                        quiet);
        return robotsAnswered(reply, Optional.of(exchange));
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
                etiquette.settings().productToken(),
                etiquette.robots().hops(lease.url()),
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
        return robotsAnswered(
                RobotsBook.Reply.without(outcome, why, ended, Duration.ZERO), Optional.empty());
    }

    private Step robotsAnswered(RobotsBook.Reply reply, Optional<Exchange> exchange) {
        var asked = robotsUrl.orElseThrow();
        var ended = reply.at();
        var standing = etiquette.robots().answer(lease.url(), asked, reply);
        robotsUrl = Optional.empty();
        var capture = exchange.map(e -> ending.robots(asked, e));
        return switch (standing) {
            case RobotsBook.Standing.Known(var rules) ->
                    ending.robotsLearnt(
                            ended,
                            etiquette.robots().delayOfHost(lease.url()),
                            etiquette.sitemaps(rules.sitemaps(), asked, ended),
                            capture);
            case RobotsBook.Standing.Unreachable(_, var until) ->
                    ending.later(new Pause.RobotsUnreachable(ended, until), capture);
            case RobotsBook.Standing.Ask _, RobotsBook.Standing.BeingAsked _ ->
                    ending.later(new Pause.RobotsFetched(ended), capture);
        };
    }

    private Step pageFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> answered(exchange);
            case FetchResult.NotModified(var exchange) ->
                    ending.done(exchange, Kind.ERROR, Page.EMPTY);
            case FetchResult.Redirected(var exchange, var location) ->
                    ending.redirected(exchange, location);
            case FetchResult.Refused(_, var why) -> ending.unwanted(why, now);
            case FetchResult.Unanswered(_, var ended, _) -> later(new Pause.Unanswered(ended));
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    ending.failed(cause, detail, ended);
        };
    }

    private Step answered(Exchange exchange) {
        var status = exchange.status();
        if (status >= 200 && status < 300) {
            reading = true;
            return new Step.Parse(exchange);
        }
        return status == 429 || status >= 500
                ? ending.serverError(exchange)
                : ending.done(exchange, Kind.ERROR, Page.EMPTY);
    }

    /** The document's links were read. */
    Step parsed(Exchange exchange, Page page) {
        reading = false;
        return lease.hop() == Hop.SITEMAP
                ? ending.done(exchange, Kind.SITEMAP, page)
                : ending.read(exchange, page);
    }

    /**
     * Something of our own went wrong: the URL is recorded as failed with its cause, and the crawl
     * goes on.
     */
    Step.End broke(Throwable error, Instant now) {
        var cause = reading ? FailureCause.PARSE : FailureCause.INTERNAL;
        return unasked(ending.broken(cause, error, now));
    }

    /** What came could not be kept. */
    Step.End failedLocally(IOException error, Instant now) {
        return unasked(ending.failedLocally(error, now));
    }

    private Step.End later(Pause why) {
        return unasked(ending.later(why, Optional.empty()));
    }

    /** Ends the visit and, if it had the duty to ask for robots.txt, leaves that to the next. */
    private Step.End unasked(Step.End end) {
        if (robotsUrl.isPresent()) {
            etiquette.robots().abandon(lease.url());
            robotsUrl = Optional.empty();
        }
        return end;
    }
}
