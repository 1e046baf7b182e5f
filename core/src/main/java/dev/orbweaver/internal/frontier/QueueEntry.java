package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/**
 * A queued or leased URL in memory, with mutable history; {@link QueuedUrl} is its immutable value.
 */
final class QueueEntry {

    final AcceptedUrl accepted;
    boolean equivalentRedirect;
    int attempts;
    int expiredLeases;
    long notBefore;

    /** Orders URLs with the same not-before time. */
    long delayOrder;

    QueueEntry(AcceptedUrl facts) {
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
                Instant.ofEpochMilli(deadline),
                accepted.isRevisit(),
                accepted.memo().visit());
    }

    QueueEntry redirectedTo(CrawlUrl url) {
        var other = new QueueEntry(accepted.redirectedTo(url));
        other.equivalentRedirect = true;
        other.expiredLeases = expiredLeases;
        return other;
    }

    /** Returns the URL without its history, except for the spelling that a redirect gave it. */
    QueueEntry requeued() {
        var other = new QueueEntry(accepted);
        other.equivalentRedirect = equivalentRedirect;
        return other;
    }

    /** Returns a few bits of its text, to detect a replay of the journal that differs. */
    int urlCheck() {
        return accepted.url().text().hashCode() & 0xFFFF;
    }

    QueuedUrl toState() {
        return new QueuedUrl(accepted, equivalentRedirect, attempts, expiredLeases, notBefore);
    }

    static QueueEntry from(QueuedUrl event) {
        var url = new QueueEntry(event.url());
        url.equivalentRedirect = event.equivalentRedirect();
        url.attempts = event.attempts();
        url.expiredLeases = event.expiredLeases();
        url.notBefore = event.notBefore();
        return url;
    }
}
