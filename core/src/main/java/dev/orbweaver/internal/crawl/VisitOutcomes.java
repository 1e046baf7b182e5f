package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PreviousVisit;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.VisitNumber;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the possible ends of a visit. Each combines three results so that none can be forgotten:
 * the URL's outcome, the signal about its host, and the capture.
 */
final class VisitOutcomes {

    /** Minimum number of retries after a failure of this machine. */
    private static final int LOCAL_RETRIES = 2;

    private final Lease lease;
    private final VisitContext visitContext;
    private final VisitNumber visit;

    VisitOutcomes(Lease lease, VisitContext visitContext) {
        this(lease, visitContext, Optional.empty());
    }

    VisitOutcomes(Lease lease, VisitContext visitContext, Optional<PreviousVisit> previous) {
        this.lease = lease;
        this.visitContext = visitContext;
        this.visit =
                previous.map(it -> it.entry().visit().next(it.entry().seq()))
                        .orElseGet(() -> visitOf(lease));
    }

    /** Returns the number of a visit whose last one cannot be read. */
    private static VisitNumber visitOf(Lease lease) {
        return lease.revisit()
                ? lease.lastVisit().next(lease.parent().packed())
                : VisitNumber.FIRST;
    }

    /** Ends a visit with a parsed document, which is stored unless its directives forbid it. */
    Step.End parsed(Exchange exchange, Page page) {
        var directives = visitContext.directives(lease.url(), page, exchange.timings().ended());
        var restricted =
                page.withDirectives(page.nofollow(), page.noindex(), Directive.text(directives));
        var purpose = visitContext.settings().directivePolicy().purpose();
        return purpose.firstForbidding(directives)
                .map(
                        directive ->
                                withheld(
                                        exchange,
                                        restricted,
                                        directive.id() + " for " + purpose.id()))
                .orElseGet(() -> done(exchange, Kind.PAGE, restricted));
    }

    /** Ends a visit whose document must not be stored; its links are offered. */
    private Step.End withheld(Exchange exchange, Page page, String reason) {
        var ended = exchange.timings().ended();
        var classifiedLinks = visitContext.classifyLinks(page, lease.depth(), ended);
        var directivesOnly =
                Page.EMPTY.withDirectives(page.nofollow(), page.noindex(), page.directives());
        return settle(
                new Outcome.Withdrawn(Refusal.PURPOSE),
                healthySignal(exchange),
                classifiedLinks.found(),
                classifiedLinks.refused(),
                Optional.of(
                        capture(
                                lease.url(),
                                Kind.WITHDRAWN,
                                Optional.empty(),
                                directivesOnly,
                                Refusal.PURPOSE.id(),
                                reason,
                                ended)));
    }

    /** Ends a visit with a final response and its links. */
    Step.End done(Exchange exchange, Kind kind, Page page) {
        var ended = exchange.timings().ended();
        var classifiedLinks = visitContext.classifyLinks(page, lease.depth(), ended);
        return settle(
                new Outcome.Done(kind == Kind.PAGE, exchange.body().length()),
                healthySignal(exchange),
                classifiedLinks.found(),
                classifiedLinks.refused(),
                Optional.of(capture(exchange, kind, page)));
    }

    /**
     * Ends a visit of a document that is the same as at its last visit. Its links were offered
     * then.
     */
    Step.End notModified(Exchange exchange, PageLogEntry last) {
        return settle(
                new Outcome.Done(last.kind() == Kind.PAGE, 0),
                healthySignal(exchange),
                Optional.of(capture(exchange, last.kind(), Page.EMPTY)));
    }

    /** Ends a visit with a redirect. */
    Step.End redirected(Exchange exchange, String location) {
        return visitContext
                .urls()
                .resolve(lease.url(), location)
                .map(target -> redirectedTo(exchange, target))
                .orElseGet(() -> done(exchange, Kind.ERROR, Page.EMPTY));
    }

    private Step.End redirectedTo(Exchange exchange, CrawlUrl target) {
        var ended = exchange.timings().ended();
        var sameKey = target.key().equals(lease.url().key());
        var loops =
                target.text().equals(lease.url().text())
                        || (lease.equivalentRedirect() && sameKey)
                        || lease.hops() >= visitContext.settings().redirectsMax();
        if (loops) {
            return dead(
                    FailureCause.REDIRECT_LOOP,
                    "redirected to " + target,
                    Optional.of(exchange),
                    healthySignal(exchange),
                    ended);
        }
        return sameKey
                ? redirectedToEquivalent(exchange, target)
                : followRedirect(exchange, target);
    }

    private Step.End redirectedToEquivalent(Exchange exchange, CrawlUrl target) {
        return settle(
                new Outcome.EquivalentRedirect(target),
                healthySignal(exchange),
                Optional.of(capture(exchange, Kind.REDIRECT, Page.EMPTY)));
    }

    private Step.End followRedirect(Exchange exchange, CrawlUrl target) {
        var ended = exchange.timings().ended();
        var hop = redirectHop();
        if (hop.isSeed()) {
            visitContext.addSeed(target);
        }
        var refusal = visitContext.refusal(target, hop, lease.depth(), ended);
        var next = new Candidate(target, hop, lease.depth(), lease.hops() + 1);
        return settle(
                new Outcome.Done(false, exchange.body().length()),
                healthySignal(exchange),
                refusal.isEmpty() ? List.of(next) : List.of(),
                refusal.<Map<Refusal, Integer>>map(reason -> Map.of(reason, 1)).orElse(Map.of()),
                Optional.of(capture(exchange, Kind.REDIRECT, Page.EMPTY)));
    }

    private Hop redirectHop() {
        return switch (lease.hop()) {
            case SEED, GUESSED_SEED -> Hop.SEED;
            case SITEMAP -> Hop.SITEMAP;
            case EMBED -> Hop.EMBED;
            case LINK, REDIRECT -> Hop.REDIRECT;
        };
    }

    /** Ends a visit with status 5xx or 429: retried later, not before the server's Retry-After. */
    Step.End serverErrorOrRateLimited(Exchange exchange) {
        var ended = exchange.timings().ended();
        var status = exchange.status();
        var retryAfter =
                visitContext
                        .settings()
                        .retry()
                        .retryAfter(exchange.head().field("retry-after"), ended);
        var own =
                visitContext.settings().retry().retryDelay(lease.attempts()).orElse(Duration.ZERO);
        var until = ended.plus(longer(retryAfter, own));
        var error = new HostSignal.ServerError(ended, lease.attempts() > 0);
        var signal =
                switch (status) {
                    case 429 -> new HostSignal.RateLimited(ended, until, retryAfter.isPositive());
                    case 503 ->
                            new HostSignal.RateLimited(
                                    ended, until, retryAfter.isPositive(), Optional.of(error));
                    default -> error;
                };
        return retryOrDead(
                FailureCause.SERVER_ERROR,
                "status " + status,
                Optional.of(exchange),
                signal,
                ended,
                retryAfter);
    }

    private static HostSignal healthySignal(Exchange exchange) {
        return new HostSignal.Healthy(exchange.timings().ended(), exchange.timings().total());
    }

    /** Ends a visit that got no response. */
    Step.End failed(FailureCause cause, String detail, Instant ended) {
        return lease.hop() == Hop.GUESSED_SEED && cause != FailureCause.DNS
                ? tryHttp(cause, detail, ended)
                : retryOrDead(
                        cause,
                        detail,
                        Optional.empty(),
                        new HostSignal.Failing(ended),
                        ended,
                        Duration.ZERO);
    }

    /**
     * Ends the visit of a seed whose host does not exist. It is probably mistyped, so the user
     * should not wait for retries; the host of a link may be missing for a moment.
     */
    Step.End seedWithoutHost(String detail, Instant ended) {
        return dead(
                FailureCause.DNS, detail, Optional.empty(), new HostSignal.Failing(ended), ended);
    }

    private Step.End retryOrDead(
            FailureCause cause,
            String detail,
            Optional<Exchange> exchange,
            HostSignal signal,
            Instant ended,
            Duration atLeast) {
        var retry = visitContext.settings().retry().retryDelay(lease.attempts());
        if (!cause.isRetryable() || retry.isEmpty()) {
            return dead(cause, detail, exchange, signal, ended);
        }
        return retried(cause, detail, signal, ended, longer(retry.get(), atLeast));
    }

    private Step.End retried(
            FailureCause cause, String detail, HostSignal signal, Instant ended, Duration after) {
        return settle(
                new Outcome.Retry(ended.plus(after), cause),
                signal,
                Optional.of(
                        capture(
                                lease.url(),
                                Kind.RETRIED,
                                Optional.empty(),
                                Page.EMPTY,
                                cause.id(),
                                detail,
                                ended)));
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    /** Ends a visit after an internal error. */
    Step.End internalError(FailureCause cause, Throwable error, Instant now) {
        return dead(cause, error.toString(), Optional.empty(), new HostSignal.Healthy(now), now);
    }

    /**
     * Ends a visit whose result could not be stored on this machine. The attempt counts; after the
     * last retry the URL is a dead letter.
     */
    Step.End storageFailed(IOException error, Instant now) {
        var cause = FailureCause.INTERNAL;
        var detail = "could not store the response: " + error.getMessage();
        var signal = new HostSignal.Inconclusive(now);
        var retry = visitContext.settings().retry();
        return new RetryPolicy(Math.max(LOCAL_RETRIES, retry.retries()), retry.firstDelay())
                .retryDelay(lease.attempts())
                .map(delay -> retried(cause, detail, signal, now, delay))
                .orElseGet(() -> dead(cause, detail, Optional.empty(), signal, now));
    }

    private Step.End dead(
            FailureCause cause,
            String detail,
            Optional<Exchange> exchange,
            HostSignal signal,
            Instant ended) {
        return settle(
                new Outcome.Dead(cause),
                signal,
                Optional.of(
                        capture(
                                lease.url(),
                                Kind.FAILED,
                                exchange,
                                Page.EMPTY,
                                cause.id(),
                                detail,
                                ended)));
    }

    /**
     * Ends a visit of a seed without a scheme for which https was the wrong guess. The guess has
     * failed, not the host, which may work over http.
     */
    private Step.End tryHttp(FailureCause cause, String detail, Instant ended) {
        var http =
                visitContext.urls().parse("http" + lease.url().text().substring("https".length()));
        http.ifPresent(visitContext::addSeed);
        return settle(
                new Outcome.Withdrawn(Refusal.SCHEME_GUESS),
                new HostSignal.Inconclusive(ended),
                http.stream().map(url -> Candidate.seed(url, false)).toList(),
                Map.of(),
                Optional.of(
                        withdrawnCapture(Refusal.SCHEME_GUESS, cause.id() + ": " + detail, ended)));
    }

    /** Ends a visit of a URL in a crawler trap; it becomes a dead letter. */
    Step.End trapped(String reason, Instant now) {
        return dead(FailureCause.TRAP, reason, Optional.empty(), new HostSignal.NoRequest(), now);
    }

    /** Ends a visit of a URL that must not be requested. */
    Step.End withdrawn(Refusal refusal, String detail, Instant now) {
        return settle(
                new Outcome.Withdrawn(refusal),
                new HostSignal.NoRequest(),
                Optional.of(withdrawnCapture(refusal, detail, now)));
    }

    /** Ends a visit whose response head ruled the body out; the host was requested nevertheless. */
    Step.End bodyRejected(String reason, Instant now) {
        return settle(
                new Outcome.Withdrawn(Refusal.CONTENT),
                new HostSignal.Healthy(now),
                Optional.of(withdrawnCapture(Refusal.CONTENT, reason, now)));
    }

    private Capture withdrawnCapture(Refusal refusal, String detail, Instant now) {
        return capture(
                lease.url(),
                Kind.WITHDRAWN,
                Optional.empty(),
                Page.EMPTY,
                refusal.id(),
                detail,
                now);
    }

    /** Releases a URL that cannot be fetched yet. */
    Step.End postponed(ReleaseReason reason, Optional<Capture> capture) {
        return new Step.Release(lease, reason, Optional.empty(), List.of(), capture);
    }

    /** Releases a URL after a visit that fetched robots.txt instead. */
    Step.End robotsFetched(
            Instant ended, Duration delay, List<Candidate> sitemaps, Optional<Capture> capture) {
        return new Step.Release(
                lease,
                new ReleaseReason.RobotsFetched(ended),
                Optional.of(delay),
                sitemaps,
                capture);
    }

    /** Creates the capture of a robots.txt. */
    Capture robotsCapture(CrawlUrl requested, Exchange exchange) {
        return capture(
                requested,
                Kind.ROBOTS,
                Optional.of(exchange),
                Page.EMPTY,
                "",
                "",
                exchange.timings().ended());
    }

    private Step.End settle(Outcome outcome, HostSignal signal, Optional<Capture> capture) {
        return settle(outcome, signal, List.of(), Map.of(), capture);
    }

    private Step.End settle(
            Outcome outcome,
            HostSignal signal,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Optional<Capture> capture) {
        return new Step.Settle(new Settlement(lease, outcome, signal, 0, found, refused), capture);
    }

    private Capture capture(Exchange exchange, Kind kind, Page page) {
        return capture(
                lease.url(),
                kind,
                Optional.of(exchange),
                page,
                cause(page),
                page.truncated().isEmpty() ? page.fieldsProblem() : page.truncated(),
                exchange.timings().started());
    }

    private static String cause(Page page) {
        if (!page.truncated().isEmpty()) {
            return page.isParserFailed() ? Page.PARSER_FAILED : Page.TRUNCATED;
        }
        return page.fieldsProblem().isEmpty() ? "" : Page.EXTRACTOR_FAILED;
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
                detail,
                kind == Kind.ROBOTS ? VisitNumber.FIRST : visit);
    }
}
