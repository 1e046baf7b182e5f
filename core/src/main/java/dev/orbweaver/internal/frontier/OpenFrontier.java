package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

/**
 * The open frontier of a crawl: the crawl's view, and the frontier behind it.
 *
 * @param exclusive whether no other crawl uses the frontier, so that it is closed with the crawl
 */
public record OpenFrontier(CrawlFrontier crawl, FrontierAdmin admin, JobId job, boolean exclusive)
        implements AutoCloseable {

    @Override
    public void close() {
        try {
            crawl.close();
        } finally {
            if (exclusive) {
                admin.close();
            }
        }
    }
}
