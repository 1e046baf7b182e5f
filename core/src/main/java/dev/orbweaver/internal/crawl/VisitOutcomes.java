package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ends that a visit can come to. Each says three things at once, so that none can be forgotten:
 * what becomes of the URL, what the visit showed about its host, and what is recorded.
 */
final class VisitOutcomes {

    /** How often a URL is fetched again at least when it is this machine that failed. */
    private static final int LOCAL_RETRIES = 2;

    private final Lease lease;
    private final VisitContext visitContext;

    VisitOutcomes(Lease lease, VisitContext visitContext) {
        this.lease = lease;
        this.visitContext = visitContext;
    }

    /** A document came, with its links; whether it is kept is for its owner to say. */
    Step.End parsed(Exchange exchange, Page page) {
        var wishes = visitContext.directives(lease.url(), page, exchange.timings().ended());
        var asking = page.withDirectives(page.nofollow(), page.noindex(), Directive.text(wishes));
        var purpose = visitContext.settings().directivePolicy().purpose();
        return purpose.firstForbidding(wishes)
                .map(wish -> withheld(exchange, asking, wish.id() + " for " + purpose.id()))
                .orElseGet(() -> done(exchange, Kind.PAGE, asking));
    }

    /** The document is not kept, but its links lead on. */
    private Step.End withheld(Exchange exchange, Page page, String why) {
        var ended = exchange.timings().ended();
        var classifiedLinks = visitContext.classifyLinks(page, lease.depth(), ended);
        var words = Page.EMPTY.withDirectives(page.nofollow(), page.noindex(), page.directives());
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
                                words,
                                Refusal.PURPOSE.id(),
                                why,
                                ended)));
    }

    /** The answer is final, and these are its links. */
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

    /** The answer points elsewhere. */
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
        var objection = visitContext.refusal(target, hop, lease.depth(), ended);
        var next = new Candidate(target, hop, lease.depth(), lease.hops() + 1);
        return settle(
                new Outcome.Done(false, exchange.body().length()),
                healthySignal(exchange),
                objection.isEmpty() ? List.of(next) : List.of(),
                objection.<Map<Refusal, Integer>>map(why -> Map.of(why, 1)).orElse(Map.of()),
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

    /** A 5xx or 429: asked again later, and not sooner than the server says. */
    Step.End serverErrorOrRateLimited(Exchange exchange) {
        var ended = exchange.timings().ended();
        var status = exchange.status();
        var asked =
                visitContext
                        .settings()
                        .retry()
                        .retryAfter(exchange.head().field("retry-after"), ended);
        var own =
                visitContext.settings().retry().retryDelay(lease.attempts()).orElse(Duration.ZERO);
        var until = ended.plus(longer(asked, own));
        var error = new HostSignal.ServerError(ended, lease.attempts() > 0);
        var signal =
                switch (status) {
                    case 429 -> new HostSignal.RateLimited(ended, until, asked.isPositive());
                    case 503 ->
                            new HostSignal.RateLimited(
                                    ended, until, asked.isPositive(), Optional.of(error));
                    default -> error;
                };
        return retryOrDead(
                FailureCause.SERVER_ERROR,
                "status " + status,
                Optional.of(exchange),
                signal,
                ended,
                asked);
    }

    private static HostSignal healthySignal(Exchange exchange) {
        return new HostSignal.Healthy(exchange.timings().ended(), exchange.timings().total());
    }

    /** No answer came. */
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

    /** Something of our own went wrong. */
    Step.End internalError(FailureCause cause, Throwable error, Instant now) {
        return dead(cause, error.toString(), Optional.empty(), new HostSignal.Healthy(now), now);
    }

    /**
     * What came could not be kept on this machine. The try counts, and after too many the URL is a
     * dead letter.
     */
    Step.End storageFailed(IOException error, Instant now) {
        var cause = FailureCause.INTERNAL;
        var detail = "could not be stored: " + error.getMessage();
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
     * A seed was given without a scheme, and https was the wrong guess. That is the guess's
     * failure, not the host's, which may well work over http.
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

    /** The URL is not worth a request; it is kept as what was given up is. */
    Step.End trapped(String why, Instant now) {
        return dead(FailureCause.TRAP, why, Optional.empty(), new HostSignal.NoRequest(), now);
    }

    /** The URL is not to be asked for. */
    Step.End withdrawn(Refusal why, String detail, Instant now) {
        return settle(
                new Outcome.Withdrawn(why),
                new HostSignal.NoRequest(),
                Optional.of(withdrawnCapture(why, detail, now)));
    }

    /** The answer's head said that its body is not wanted; the host was asked all the same. */
    Step.End bodyRejected(String why, Instant now) {
        return settle(
                new Outcome.Withdrawn(Refusal.CONTENT),
                new HostSignal.Healthy(now),
                Optional.of(withdrawnCapture(Refusal.CONTENT, why, now)));
    }

    private Capture withdrawnCapture(Refusal why, String detail, Instant now) {
        return capture(
                lease.url(), Kind.WITHDRAWN, Optional.empty(), Page.EMPTY, why.id(), detail, now);
    }

    /** The URL's turn has not come yet. */
    Step.End postponed(ReleaseReason why, Optional<Capture> capture) {
        return new Step.Release(lease, why, Optional.empty(), List.of(), capture);
    }

    /** The visit was spent on a robots.txt. */
    Step.End robotsFetched(
            Instant ended, Duration delay, List<Candidate> sitemaps, Optional<Capture> capture) {
        return new Step.Release(
                lease,
                new ReleaseReason.RobotsFetched(ended),
                Optional.of(delay),
                sitemaps,
                capture);
    }

    /** The record of a robots.txt. */
    Capture robotsCapture(CrawlUrl asked, Exchange exchange) {
        return capture(
                asked,
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
                page.truncated().isEmpty() ? "" : Page.TRUNCATED,
                page.truncated(),
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
