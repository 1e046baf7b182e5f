package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/**
 * A URL whose last attempt failed. It is kept for inspection and can be requeued.
 *
 * @param attempts failed requests before the last one
 * @param depth links from a seed
 * @param foundAt when it was accepted
 */
public record DeadLetter(
        JobId job, CrawlUrl url, FailureCause cause, int attempts, int depth, Instant foundAt) {

    public static DeadLetter of(QueuedUrl url, FailureCause cause) {
        var facts = url.url();
        return new DeadLetter(
                new JobId(facts.job()),
                facts.url(),
                cause,
                url.attempts(),
                facts.depth(),
                Instant.ofEpochMilli(facts.foundAt()));
    }
}
