package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * Is shown every URL that a job takes in, in the order in which they come in and before they are
 * queued, by one caller at a time. It must be quick and must not call the frontier.
 */
@FunctionalInterface
public interface AdmissionHook {

    /** Lets everything pass as it is. */
    AdmissionHook NONE = (_, _, _) -> 0;

    /**
     * Shows a URL that the job has not met before.
     *
     * @param parent the capture in which it was found, 0 when it was in none
     * @return by how many points its priority is lowered, 0 to 100
     */
    int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent);

    /**
     * Reports whether a URL was new to the job. Only a frontier that several workers share calls
     * this: it shows URLs to {@link #priorityPenalty} before it knows whether they are new, and
     * without their parent.
     *
     * @param parent the capture in which this worker found the URL
     * @param isNew false when the job had met the URL before, perhaps through another worker
     */
    default void reportNew(CrawlUrl url, Hop hop, long parent, boolean isNew) {}
}
