package dev.orbweaver.crawl;

import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.HostSignal;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Outcome;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.frontier.Settlement;
import dev.orbweaver.model.Capture;
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

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All decisions about one lease, without a thread, socket or clock: each method is told what
 * happened and says what to do next. The loop carries the steps out over the network, the
 * laboratory in virtual time; both run this code.
 *
 * <p>A visit makes at most one request. If the host's robots.txt is not known, that request is for
 * robots.txt, and the lease goes back with the host's delay running: so politeness has one path and
 * needs no exceptions.
 */
final class Visit {

    private static final Duration WAIT_FOR_ANOTHERS_ROBOTS = Duration.ofMillis(50);

    private final Lease lease;
    private final Etiquette etiquette;
    private Optional<CrawlUrl> robotsUrl = Optional.empty();

    Visit(Lease lease, Etiquette etiquette) {
        this.lease = lease;
        this.etiquette = etiquette;
    }

    /** Begins: robots.txt first, because what it forbids costs no request. */
    Step begin(Instant now) {
        if (!etiquette.settings().obeyRobots()) {
            return new Step.Resolve(lease.url());
        }
        return switch (etiquette.robots().claim(lease.url(), now)) {
            case RobotsBook.Standing.Known(var rules) -> judged(rules, now);
            case RobotsBook.Standing.Ask(var url) -> {
                robotsUrl = Optional.of(url);
                yield new Step.Resolve(url);
            }
            case RobotsBook.Standing.BeingAsked _ ->
                    giveBack(new Pause.Gate(now.plus(WAIT_FOR_ANOTHERS_ROBOTS)));
            case RobotsBook.Standing.Unreachable(var asked, var until) ->
                    giveBack(new Pause.RobotsUnreachable(asked, until));
        };
    }

    private Step judged(RobotsRules rules, Instant now) {
        var verdict = rules.judge(lease.url().pathAndQuery());
        if (verdict.allowed()) {
            return new Step.Resolve(lease.url());
        }
        return withdraw(Refusal.ROBOTS, "line " + verdict.line() + ": " + verdict.rule(), now);
    }

    /** The address was looked up. */
    Step resolved(Resolution resolution, Instant now) {
        var target = robotsUrl.orElse(lease.url());
        var elsewhere = !target.host().equals(lease.url().host());
        return switch (resolution) {
            case Resolution.Found(var address) -> new Step.Pass(target, address);
            case Resolution.Forbidden(var why) when elsewhere -> robotsFailed(why, now);
            case Resolution.NotFound(var why) when elsewhere -> robotsFailed(why, now);
            case Resolution.Forbidden(var why) -> withdraw(Refusal.ADDRESS, why, now);
            case Resolution.NotFound(var why) ->
                    failed(
                            FailureCause.DNS,
                            why,
                            Optional.empty(),
                            new HostSignal.Failing(now),
                            now);
        };
    }

    /** The gates were tried. */
    Step passed(Step.Pass pass, Optional<Instant> closedUntil) {
        return closedUntil
                .<Step>map(until -> giveBack(new Pause.Gate(until)))
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
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    hostIsDown(cause)
                            ? failed(
                                    cause,
                                    detail,
                                    Optional.empty(),
                                    new HostSignal.Failing(ended),
                                    now)
                            : robotsFailed(detail, ended);
        };
    }

    /**
     * Without a connection there is nothing to be said about robots.txt: the URL itself has failed,
     * as any URL would.
     */
    private boolean hostIsDown(FailureCause cause) {
        var ownHost = robotsUrl.filter(url -> url.host().equals(lease.url().host())).isPresent();
        return ownHost && (cause == FailureCause.CONNECT || cause == FailureCause.TLS);
    }

    /** The content of robots.txt was read. */
    Step robotsRead(Exchange exchange, byte[] content, int length) {
        var outcome =
                RobotsOutcome.ofStatus(
                        exchange.status(),
                        content,
                        length,
                        etiquette.settings().productToken(),
                        etiquette.robots().hops(lease.url()),
                        exchange.head().field("location"));
        return robotsAnswered(outcome, exchange.timings().ended(), Optional.of(exchange));
    }

    private Step robotsFailed(String why, Instant ended) {
        return robotsAnswered(RobotsOutcome.ofFailure(why), ended, Optional.empty());
    }

    private Step robotsAnswered(RobotsOutcome outcome, Instant ended, Optional<Exchange> exchange) {
        var asked = robotsUrl.orElseThrow();
        var standing = etiquette.robots().answer(lease.url(), asked, outcome, ended);
        robotsUrl = Optional.empty();
        var capture =
                exchange.map(e -> capture(asked, Kind.ROBOTS, exchange, Page.EMPTY, "", "", ended));
        return switch (standing) {
            case RobotsBook.Standing.Known(var rules) ->
                    new Step.GiveBack(
                            lease,
                            new Pause.RobotsFetched(ended),
                            Optional.of(rules.crawlDelay().orElse(Duration.ZERO)),
                            etiquette.sitemaps(rules.sitemaps(), asked),
                            capture);
            case RobotsBook.Standing.Unreachable(_, var until) ->
                    giveBack(new Pause.RobotsUnreachable(ended, until), capture);
            case RobotsBook.Standing.Ask _, RobotsBook.Standing.BeingAsked _ ->
                    giveBack(new Pause.RobotsFetched(ended), capture);
        };
    }

    private Step pageFetched(FetchResult result, Instant now) {
        return switch (result) {
            case FetchResult.Fetched(var exchange) -> answered(exchange);
            case FetchResult.NotModified(var exchange) -> done(exchange, Kind.ERROR, Page.EMPTY);
            case FetchResult.Redirected(var exchange, var location) ->
                    redirected(exchange, location);
            case FetchResult.Refused(_, var why) -> withdraw(Refusal.CONTENT, why, now);
            case FetchResult.Failed(_, var cause, var detail, var ended) ->
                    failed(cause, detail, Optional.empty(), new HostSignal.Failing(ended), now);
        };
    }

    private Step answered(Exchange exchange) {
        var status = exchange.status();
        if (status >= 200 && status < 300) {
            return new Step.Parse(exchange);
        }
        return status == 429 || status >= 500
                ? serverError(exchange)
                : done(exchange, Kind.ERROR, Page.EMPTY);
    }

    private Step serverError(Exchange exchange) {
        var ended = exchange.timings().ended();
        var status = exchange.status();
        var asked = RetryPolicy.retryAfter(exchange.head().field("retry-after"), ended);
        var own = etiquette.settings().retry().after(lease.attempts()).orElse(Duration.ZERO);
        var wait = asked.compareTo(own) > 0 ? asked : own;
        var signal =
                status == 429 || status == 503
                        ? new HostSignal.Slow(ended, ended.plus(wait))
                        : new HostSignal.Healthy(ended);
        return failed(
                FailureCause.SERVER_ERROR,
                "status " + status,
                Optional.of(exchange),
                signal,
                ended.plus(asked));
    }

    /** The document's links were read. */
    Step parsed(Exchange exchange, Page page) {
        return done(exchange, lease.hop() == Hop.SITEMAP ? Kind.SITEMAP : Kind.PAGE, page);
    }

    private Step done(Exchange exchange, Kind kind, Page page) {
        var sorted = etiquette.sort(page, lease.depth());
        var settlement =
                new Settlement(
                        lease,
                        new Outcome.Done(kind == Kind.PAGE, exchange.body().length()),
                        new HostSignal.Healthy(exchange.timings().ended()),
                        0,
                        sorted.found(),
                        sorted.refused());
        return new Step.Settle(settlement, Optional.of(captureOf(exchange, kind, page)));
    }

    private Step redirected(Exchange exchange, String location) {
        var target = etiquette.urls().resolve(lease.url(), location);
        if (target.isEmpty()) {
            return done(exchange, Kind.ERROR, Page.EMPTY);
        }
        var loops =
                target.get().text().equals(lease.url().text())
                        || (lease.respelled() && target.get().key().equals(lease.url().key()))
                        || lease.hops() >= etiquette.settings().redirectsMax();
        if (loops) {
            return dead(
                    FailureCause.REDIRECT_LOOP,
                    "redirected to " + target.get(),
                    Optional.of(exchange),
                    new HostSignal.Healthy(exchange.timings().ended()),
                    exchange.timings().ended());
        }
        return target.get().key().equals(lease.url().key())
                ? respelled(exchange, target.get())
                : redirectedTo(exchange, target.get());
    }

    private Step respelled(Exchange exchange, CrawlUrl target) {
        return new Step.Settle(
                Settlement.of(
                        lease,
                        new Outcome.Respelled(target),
                        new HostSignal.Healthy(exchange.timings().ended())),
                Optional.of(captureOf(exchange, Kind.REDIRECT, Page.EMPTY)));
    }

    private Step redirectedTo(Exchange exchange, CrawlUrl target) {
        var hop = redirectHop();
        if (hop.seed()) {
            etiquette.addSeed(target);
        }
        var objection = etiquette.objection(target, hop, lease.depth());
        var found =
                objection.isEmpty()
                        ? List.of(new Candidate(target, hop, lease.depth(), lease.hops() + 1))
                        : List.<Candidate>of();
        var settlement =
                new Settlement(
                        lease,
                        new Outcome.Done(false, exchange.body().length()),
                        new HostSignal.Healthy(exchange.timings().ended()),
                        0,
                        found,
                        objection
                                .<Map<Refusal, Integer>>map(why -> Map.of(why, 1))
                                .orElse(Map.of()));
        return new Step.Settle(
                settlement, Optional.of(captureOf(exchange, Kind.REDIRECT, Page.EMPTY)));
    }

    private Hop redirectHop() {
        return switch (lease.hop()) {
            case SEED, GUESSED_SEED -> Hop.SEED;
            case SITEMAP -> Hop.SITEMAP;
            case EMBED -> Hop.EMBED;
            case LINK, REDIRECT -> Hop.REDIRECT;
        };
    }

    /**
     * Something of our own went wrong: the URL is recorded as failed with its cause, and the crawl
     * goes on.
     */
    Step.End broke(Throwable error, Instant now) {
        abandonRobots();
        return dead(
                FailureCause.INTERNAL,
                error.toString(),
                Optional.empty(),
                new HostSignal.Healthy(now),
                now);
    }

    private Step failed(
            FailureCause cause,
            String detail,
            Optional<Exchange> exchange,
            HostSignal signal,
            Instant notBefore) {
        abandonRobots();
        if (lease.hop() == Hop.GUESSED_SEED && exchange.isEmpty() && cause != FailureCause.DNS) {
            return tryHttp(cause, detail, signal, notBefore);
        }
        var retry = etiquette.settings().retry().after(lease.attempts());
        if (!cause.retryable() || retry.isEmpty()) {
            return dead(cause, detail, exchange, signal, notBefore);
        }
        var again = notBefore.plus(retry.get());
        return new Step.Settle(
                Settlement.of(lease, new Outcome.Retry(again, cause), signal), Optional.empty());
    }

    private Step.End dead(
            FailureCause cause,
            String detail,
            Optional<Exchange> exchange,
            HostSignal signal,
            Instant now) {
        return new Step.Settle(
                Settlement.of(lease, new Outcome.Dead(cause), signal),
                Optional.of(
                        capture(
                                lease.url(),
                                Kind.FAILED,
                                exchange,
                                Page.EMPTY,
                                cause.word(),
                                detail,
                                now)));
    }

    private Step tryHttp(FailureCause cause, String detail, HostSignal signal, Instant now) {
        var http = etiquette.urls().parse("http" + lease.url().text().substring("https".length()));
        var found = http.map(url -> List.of(Candidate.seed(url, false))).orElse(List.of());
        http.ifPresent(etiquette::addSeed);
        var settlement =
                new Settlement(
                        lease,
                        new Outcome.Withdrawn(Refusal.SCHEME_GUESS),
                        signal,
                        0,
                        found,
                        Map.of());
        return new Step.Settle(
                settlement,
                Optional.of(withdrawn(Refusal.SCHEME_GUESS, cause.word() + ": " + detail, now)));
    }

    private Step withdraw(Refusal why, String detail, Instant now) {
        abandonRobots();
        return new Step.Settle(
                Settlement.of(lease, new Outcome.Withdrawn(why), new HostSignal.Untouched()),
                Optional.of(withdrawn(why, detail, now)));
    }

    private Capture withdrawn(Refusal why, String detail, Instant now) {
        return capture(
                lease.url(), Kind.WITHDRAWN, Optional.empty(), Page.EMPTY, why.word(), detail, now);
    }

    private Step giveBack(Pause why) {
        abandonRobots();
        return giveBack(why, Optional.empty());
    }

    private Step giveBack(Pause why, Optional<Capture> capture) {
        return new Step.GiveBack(lease, why, Optional.empty(), List.of(), capture);
    }

    /**
     * A duty to ask for robots.txt that was taken on and not fulfilled must not keep others from
     * asking.
     */
    private void abandonRobots() {
        if (robotsUrl.isPresent()) {
            etiquette.robots().abandon(lease.url());
            robotsUrl = Optional.empty();
        }
    }

    private Capture captureOf(Exchange exchange, Kind kind, Page page) {
        return capture(
                lease.url(),
                kind,
                Optional.of(exchange),
                page,
                "",
                "",
                exchange.timings().started());
    }

    private Capture capture(
            CrawlUrl url,
            Kind kind,
            Optional<Exchange> exchange,
            Page page,
            String cause,
            String detail,
            Instant time) {
        return new Capture(
                url,
                kind,
                lease.hop(),
                lease.depth(),
                lease.parent(),
                lease.attempts(),
                time,
                exchange,
                page,
                cause,
                detail);
    }
}
