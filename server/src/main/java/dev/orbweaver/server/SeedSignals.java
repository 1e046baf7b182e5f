package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.ChangeSignals;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;

/**
 * Adds changed URLs to a job as seeds: the crawl fetches those that it does not know yet. If it
 * visits pages again, a push of a known page is a signal for the time of its next visit. A job that
 * had finished continues with them; one that was stopped or failed does not.
 */
record SeedSignals(Jobs jobs, JobRecord job) implements ChangeSignals {

    @Override
    public void changed(Collection<CrawlUrl> urls, Instant at)
            throws IOException, InterruptedException {
        jobs.changed(job.id(), urls, at);
        var _ =
                SeedList.addCopy(
                        jobs.directory(job.id()),
                        "indexnow",
                        out -> {
                            for (var url : urls) {
                                out.line(url.text());
                            }
                        });
        if (job.state() == JobRecord.State.FINISHED) {
            var _ = jobs.resume(job.id());
        }
    }
}
