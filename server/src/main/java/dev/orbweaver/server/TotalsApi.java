package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Serves figures of all jobs together. */
final class TotalsApi {

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final TokenUsage tokenUsage;
    private final DiskUsage diskUsage;

    /**
     * @param pagesPerSecond of all jobs together, over the last ten seconds
     * @param pages stored pages of all jobs
     * @param startedToday jobs that were first started today (UTC)
     * @param pagesToday pages that were stored today (UTC)
     * @param disk absent until it is measured for the first time
     */
    private record Totals(
            Map<String, Integer> jobs,
            double pagesPerSecond,
            long pages,
            int startedToday,
            long pagesToday,
            Optional<DiskUsage.Total> disk) {}

    TotalsApi(Jobs jobs, JobEventFeeds jobEventFeeds, TokenUsage tokenUsage, DiskUsage diskUsage) {
        this.jobs = jobs;
        this.jobEventFeeds = jobEventFeeds;
        this.tokenUsage = tokenUsage;
        this.diskUsage = diskUsage;
    }

    void get(ApiCall apiCall) {
        var states = new LinkedHashMap<String, Integer>();
        for (var state : State.values()) {
            if (state != State.DELETED) {
                states.put(state.name().toLowerCase(Locale.ROOT), 0);
            }
        }
        var now = Instant.now();
        var rate = 0.0;
        var pages = 0L;
        var startedToday = 0;
        var today = tokenUsage.dayStart();
        for (var job : jobs.all()) {
            if (job.state() == State.DELETED) {
                continue;
            }
            states.merge(job.state().name().toLowerCase(Locale.ROOT), 1, Integer::sum);
            var stored = pages(job);
            pages += stored;
            if (job.started().filter(begun -> !begun.isBefore(today)).isPresent()) {
                startedToday++;
            }
            if (job.state() == State.RUNNING) {
                rate +=
                        jobEventFeeds
                                .open(job.id())
                                .map(feed -> feed.history().rate(stored, now))
                                .orElse(0.0);
            }
        }
        apiCall.json(
                new Totals(
                        states,
                        Math.round(100 * rate) / 100.0,
                        pages,
                        startedToday,
                        tokenUsage.pagesToday(),
                        diskUsage.total()));
    }

    private long pages(JobRecord job) {
        return jobs.status(job.id())
                .filter(_ -> job.state().isOpen())
                .map(each -> each.frontier())
                .orElseGet(() -> jobs.stats(job.id()))
                .ledger()
                .pages();
    }
}
