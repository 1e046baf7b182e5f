package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * Receives every URL that a job accepts, in order and before it is queued, from one caller at a
 * time. It must be fast and must not call the frontier.
 */
@FunctionalInterface
public interface AdmissionHook {

    AdmissionHook NONE = (_, _, _) -> 0;

    /**
     * Called for a URL that the job has not seen before.
     *
     * @param parent the capture in which it was found, 0 for none
     * @return by how many points its priority is lowered, 0 to 100
     */
    int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent);

    /**
     * Called for the target of every link of a first visit that is not refused, also if the job has
     * seen it, and for every new URL. Links of later visits were counted before.
     */
    default void linked(CrawlUrl url) {}

    /**
     * Reports that a queued visit of a known URL has ended without a capture, because its host was
     * given up.
     *
     * @param last the capture of its last visit
     */
    default void abandoned(CaptureRef last) {}

    /**
     * Reports whether a URL was new to the job. Only a frontier that several workers share calls
     * this: it calls {@link #priorityPenalty} before it knows whether URLs are new, and without
     * their parent.
     *
     * @param parent the capture in which this worker found the URL
     * @param isNew false if the job had seen the URL before, perhaps through another worker
     */
    default void reportNew(CrawlUrl url, Hop hop, long parent, boolean isNew) {}
}
