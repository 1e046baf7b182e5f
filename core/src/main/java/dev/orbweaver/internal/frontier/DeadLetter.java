package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/**
 * A URL that was given up, kept to be looked at and, when somebody says so, tried again.
 *
 * @param attempts requests that had failed before the one after which it was given up
 * @param depth links from a seed
 * @param foundAt when it was accepted
 */
public record DeadLetter(
        JobId job, CrawlUrl url, FailureCause cause, int attempts, int depth, Instant foundAt) {

    /** A letter as a {@link FrontierStore} keeps it. */
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
