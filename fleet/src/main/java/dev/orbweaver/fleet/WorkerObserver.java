package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.model.JobId;

import java.util.List;
import java.util.function.Consumer;

/** Observes and limits a worker. The defaults do neither. */
interface WorkerObserver {

    /**
     * Called when the worker is about to read the fleet's jobs; the returned consumer receives
     * them.
     */
    default Consumer<List<FleetJob>> beforeJobsRead() {
        return _ -> {};
    }

    default void afterPoll() {}

    default CrawlListener listener(JobId job) {
        return CrawlListener.NONE;
    }

    default int jobsMax() {
        return Integer.MAX_VALUE;
    }
}
