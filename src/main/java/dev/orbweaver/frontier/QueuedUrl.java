package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/** A URL that is queued, leased or dead, with what it has been through. */
final class QueuedUrl {

    final long id;
    final FrontierEvent.Accepted facts;
    boolean respelled;
    int attempts;
    int lost;
    long notBefore;

    QueuedUrl(long id, FrontierEvent.Accepted facts) {
        this.id = id;
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
                        id,
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

    FrontierEvent.Restored restored() {
        return new FrontierEvent.Restored(facts, id, respelled, attempts, lost, notBefore);
    }

    static QueuedUrl from(FrontierEvent.Restored event) {
        var url = new QueuedUrl(event.id(), event.url());
        url.respelled = event.respelled();
        url.attempts = event.attempts();
        url.lost = event.lost();
        url.notBefore = event.notBefore();
        return url;
    }
}
