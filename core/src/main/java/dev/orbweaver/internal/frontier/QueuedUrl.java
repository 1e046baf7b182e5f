package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/** A URL that is queued, leased or dead, with what it has been through. */
final class QueuedUrl {

    final FrontierEvent.Accepted accepted;
    boolean equivalentRedirect;
    int attempts;
    int expiredLeases;
    long notBefore;

    /** Its number among those that were told to wait: of two with the same time, the first. */
    long delayOrder;

    QueuedUrl(FrontierEvent.Accepted facts) {
        this.accepted = facts;
    }

    CrawlUrl url() {
        return accepted.url();
    }

    Lease lease(long token, long deadline) {
        return new Lease(
                token,
                new JobId(accepted.job()),
                accepted.url(),
                accepted.hop(),
                accepted.depth(),
                accepted.hops(),
                equivalentRedirect,
                accepted.parent(),
                attempts,
                Instant.ofEpochMilli(accepted.foundAt()),
                Instant.ofEpochMilli(deadline));
    }

    /** The same URL in another spelling. */
    QueuedUrl redirectedTo(CrawlUrl url) {
        var other =
                new QueuedUrl(
                        new FrontierEvent.Accepted(
                                accepted.job(),
                                url,
                                accepted.hop(),
                                accepted.depth(),
                                accepted.hops() + 1,
                                accepted.parent(),
                                accepted.band(),
                                accepted.foundAt()));
        other.equivalentRedirect = true;
        other.expiredLeases = expiredLeases;
        return other;
    }

    /** The same URL with nothing behind it but the spelling that a redirect gave it. */
    QueuedUrl requeued() {
        var other = new QueuedUrl(accepted);
        other.equivalentRedirect = equivalentRedirect;
        return other;
    }

    /**
     * A few bits of its text, to notice when a journal is replayed another way than it was made.
     */
    int urlCheck() {
        return accepted.url().text().hashCode() & 0xFFFF;
    }

    FrontierEvent.QueuedUrlState toState() {
        return new FrontierEvent.QueuedUrlState(
                accepted, equivalentRedirect, attempts, expiredLeases, notBefore);
    }

    static QueuedUrl from(FrontierEvent.QueuedUrlState event) {
        var url = new QueuedUrl(event.url());
        url.equivalentRedirect = event.equivalentRedirect();
        url.attempts = event.attempts();
        url.expiredLeases = event.expiredLeases();
        url.notBefore = event.notBefore();
        return url;
    }
}
