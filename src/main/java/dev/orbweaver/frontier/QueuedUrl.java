package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/** A URL that is queued, leased or dead, with what it has been through. */
final class QueuedUrl {

    final FrontierEvent.Accepted facts;
    boolean respelled;
    int attempts;
    int lost;
    long notBefore;

    /** Its number among those that were told to wait: of two with the same time, the first. */
    long delayedAs;

    QueuedUrl(FrontierEvent.Accepted facts) {
        this.facts = facts;
    }

    CrawlUrl url() {
        return facts.url();
    }

    Lease lease(long token, long deadline) {
        return new Lease(
                token,
                new JobId(facts.job()),
                facts.url(),
                facts.hop(),
                facts.depth(),
                facts.hops(),
                respelled,
                facts.parent(),
                attempts,
                Instant.ofEpochMilli(facts.foundAt()),
                Instant.ofEpochMilli(deadline));
    }

    /** The same URL in another spelling. */
    QueuedUrl respelled(CrawlUrl url) {
        var other =
                new QueuedUrl(
                        new FrontierEvent.Accepted(
                                facts.job(),
                                url,
                                facts.hop(),
                                facts.depth(),
                                facts.hops() + 1,
                                facts.parent(),
                                facts.band(),
                                facts.foundAt()));
        other.respelled = true;
        other.lost = lost;
        return other;
    }

    /** The same URL with nothing behind it but the spelling that a redirect gave it. */
    QueuedUrl revived() {
        var other = new QueuedUrl(facts);
        other.respelled = respelled;
        return other;
    }

    /**
     * A few bits of its text, to notice when a journal is replayed another way than it was made.
     */
    int check() {
        return facts.url().text().hashCode() & 0xFFFF;
    }

    FrontierEvent.Restored restored() {
        return new FrontierEvent.Restored(facts, respelled, attempts, lost, notBefore);
    }

    static QueuedUrl from(FrontierEvent.Restored event) {
        var url = new QueuedUrl(event.url());
        url.respelled = event.respelled();
        url.attempts = event.attempts();
        url.lost = event.lost();
        url.notBefore = event.notBefore();
        return url;
    }
}
