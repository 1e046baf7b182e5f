package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far jobs are on the way to their limits. Limits are read from a job's settings once, because
 * reading settings is too slow for a list of jobs.
 */
final class JobGoals {

    private static final Logger LOG = LoggerFactory.getLogger(JobGoals.class);

    /** Without a limit a job with few known URLs must not look as if it were nearly done. */
    private static final double ASSUMED_URLS = 50;

    /**
     * A limit at which a job ends.
     *
     * @param setting {@code max-pages} or {@code max-bytes}
     */
    record Goal(String setting, long reached, long limit) {

        double share() {
            return limit == 0 ? 1 : Math.min(1, (double) reached / (double) limit);
        }
    }

    private record Limits(String settings, long pages, long bytes) {}

    private final Jobs jobs;
    private final Map<JobId, Limits> limits = new ConcurrentHashMap<>();

    JobGoals(Jobs jobs) {
        this.jobs = jobs;
    }

    /** Returns the limit that the job is nearest to; empty if it has none. */
    Optional<Goal> goal(JobRecord job, Ledger ledger) {
        var known = limits(job);
        var byPages =
                known.pages == Long.MAX_VALUE
                        ? Optional.<Goal>empty()
                        : Optional.of(new Goal("max-pages", ledger.pages(), known.pages));
        if (known.bytes == Long.MAX_VALUE) {
            return byPages;
        }
        var byBytes = new Goal("max-bytes", ledger.bytes(), known.bytes);
        return byPages.filter(goal -> goal.share() >= byBytes.share())
                .or(() -> Optional.of(byBytes));
    }

    /**
     * Returns how much of a job is done, from 0 to 1: the share of its limit, or without a limit an
     * estimate from the URLs known so far, which may decrease.
     */
    static double progress(JobRecord job, Ledger ledger, Optional<Goal> goal) {
        if (job.state() == State.FINISHED) {
            return 1;
        }
        var settled = ledger.done() + ledger.dead() + ledger.withdrawn();
        var share =
                goal.map(Goal::share)
                        .orElseGet(() -> (double) settled / (ledger.accepted() + ASSUMED_URLS));
        return Math.round(1000 * share) / 1000.0;
    }

    private Limits limits(JobRecord job) {
        var known = limits.get(job.id());
        if (known == null || !known.settings.equals(job.settings())) {
            if (limits.size() > 2L * jobs.all().size()) {
                limits.clear(); // Most of these jobs were deleted.
            }
            known = read(job);
            limits.put(job.id(), known);
        }
        return known;
    }

    private Limits read(JobRecord job) {
        try {
            var read = jobs.config(job).crawl().limits();
            return new Limits(job.settings(), read.pages(), read.bytes());
        } catch (ConfigException e) {
            LOG.debug("could not read the limits of job {}", job.id().number(), e);
            return new Limits(job.settings(), Long.MAX_VALUE, Long.MAX_VALUE);
        }
    }
}
