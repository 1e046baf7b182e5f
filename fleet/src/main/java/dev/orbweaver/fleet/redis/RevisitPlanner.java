package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.CommitRequest.Change;
import dev.orbweaver.internal.directory.SharedRevisits;
import dev.orbweaver.internal.engine.UrlHashes;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.LastResult;
import dev.orbweaver.internal.frontier.PageMemo;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.VisitResult;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.internal.revisit.Observation;
import dev.orbweaver.internal.revisit.Observation.Result;
import dev.orbweaver.internal.revisit.Observation.Role;
import dev.orbweaver.internal.revisit.SharedPages;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.VisitNumber;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Decides at the end of a visit when its URL of a job is visited again. The shard stores the result
 * together with the settlement, so a page that is done has its next visit even if the worker is
 * killed.
 */
final class RevisitPlanner {

    private final SharedPages pages;
    private final SharedRevisits.PageWeight weight;
    private final FingerprintKey key;

    RevisitPlanner(SharedPages pages, SharedRevisits.PageWeight weight, FingerprintKey key) {
        this.pages = pages;
        this.weight = weight;
        this.key = key;
    }

    /**
     * Returns the change of a visit with a final response.
     *
     * @param capture of this visit
     */
    Change visited(
            UrlId id,
            QueuedUrl url,
            VisitResult result,
            CaptureRef capture,
            boolean page,
            long bytes,
            HostRates rates) {
        var facts = url.url();
        var before =
                facts.isRevisit() ? Optional.of(facts.memo().state()) : Optional.<byte[]>empty();
        if (before.isEmpty() && result.kind() == Kind.ERROR) {
            return new Change.Done(id, page, bytes); // It was missing from the start.
        }
        var found =
                before.map(
                                state ->
                                        KnownPage.compare(
                                                state,
                                                SharedPages.isMissing(KnownPage.policy(state)),
                                                result))
                        .orElse(Result.NEW);
        var next =
                pages.visit(
                        before.map(KnownPage::policy),
                        observation(facts, result.time(), found, result.changedAt())
                                .withRole(role(result)),
                        rates);
        var state =
                found == Result.NEW || found == Result.CHANGED || found == Result.BOILERPLATE
                        ? KnownPage.of(next.state(), result)
                        : KnownPage.of(next.state(), before.orElseThrow());
        var visit = visitNumber(result.visit(), capture);
        return new Change.Visited(
                id,
                page,
                bytes,
                next.due().map(due -> scheduled(url, due, capture, visit, page, state)));
    }

    /** The shards know no media types, so feeds are ordinary pages. */
    private static Role role(VisitResult result) {
        return result.kind() == Kind.SITEMAP ? Role.LIST : Role.PAGE;
    }

    /** The line of a first visit is that of its capture, whose worker every other worker needs. */
    private static VisitNumber visitNumber(VisitNumber visit, CaptureRef capture) {
        return visit.isFirst() || CaptureRef.unpack(visit.first()).worker() != 0
                ? visit
                : new VisitNumber(
                        visit.number(), new CaptureRef(capture.worker(), visit.first()).packed());
    }

    /** Returns the change of a visit without a response: the last result stays. */
    Change failed(UrlId id, QueuedUrl url, Instant now) {
        var facts = url.url();
        var before = facts.memo().state();
        var next =
                pages.visit(
                        Optional.of(KnownPage.policy(before)),
                        observation(facts, now, Result.NO_RESPONSE, Optional.empty()),
                        HostRates.of(Map.of()));
        return new Change.Visited(
                id,
                facts.last() == LastResult.PAGE,
                0,
                next.due()
                        .map(
                                due ->
                                        scheduled(
                                                url,
                                                due,
                                                facts.parent(),
                                                facts.memo().visit(),
                                                facts.last() == LastResult.PAGE,
                                                KnownPage.of(next.state(), before))));
    }

    private Observation observation(
            AcceptedUrl facts, Instant time, Result result, Optional<Instant> changedAt) {
        var hashes = UrlHashes.of(facts.url(), key);
        var line = SharedPages.line(hashes.url());
        return new Observation(
                line,
                line,
                hashes.url(),
                hashes.pattern(),
                hashes.host(),
                time,
                weight.of(facts.url(), facts.depth()),
                result,
                result == Result.CHANGED ? changedAt : Optional.empty());
    }

    private static ScheduledPage scheduled(
            QueuedUrl url,
            Instant due,
            CaptureRef capture,
            VisitNumber visit,
            boolean page,
            byte[] state) {
        var facts = url.url();
        return new ScheduledPage(
                new QueuedUrl(
                        new AcceptedUrl(
                                facts.job(),
                                facts.url(),
                                facts.hop(),
                                facts.depth(),
                                0,
                                capture,
                                facts.rank(),
                                facts.foundAt(),
                                page ? LastResult.PAGE : LastResult.OTHER,
                                new PageMemo(visit, state)),
                        false,
                        0,
                        0,
                        0),
                due);
    }
}
