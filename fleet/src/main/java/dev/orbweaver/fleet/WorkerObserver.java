package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.model.JobId;

import java.util.List;
import java.util.function.Consumer;

/** Follows what a worker does, and limits it. The defaults do neither. */
interface WorkerObserver {

    /** The worker is about to read the fleet's jobs; the result receives them. */
    default Consumer<List<FleetJob>> beforeJobsRead() {
        return _ -> {};
    }

    /** The worker has reconciled all jobs. */
    default void afterPoll() {}

    /** Listens to the crawl of one job. */
    default CrawlListener listener(JobId job) {
        return CrawlListener.NONE;
    }

    /** How many jobs the worker may crawl at the same time. */
    default int jobsMax() {
        return Integer.MAX_VALUE;
    }
}
