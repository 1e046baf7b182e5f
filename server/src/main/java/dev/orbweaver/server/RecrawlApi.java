package dev.orbweaver.server;

import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.jobs.Jobs;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;

/** Visits the pages of jobs again. */
final class RecrawlApi {

    private static final String OLDER_THAN = "olderThan";

    /** Listing the pages of a job reads its page log. */
    private static final int CALLS_MAX = 2;

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CALLS_MAX,
                    CALLS_MAX,
                    "The pages of too many jobs are being listed; retry later.");

    RecrawlApi(Jobs jobs, JobsApi jobsApi) {
        this.jobs = jobs;
        this.jobsApi = jobsApi;
    }

    /** Visits pages of a job again; one that had ended continues. */
    void create(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var body = apiCall.body();
        for (var name : body.propertyNames()) {
            if (!name.equals(OLDER_THAN)) {
                throw ProblemException.inField(
                        name, "Unknown field '%s'; expected olderThan.".formatted(name));
            }
        }
        var latest = Instant.now().minus(age(body));
        if (jobs.isShared()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Jobs of a fleet cannot be visited again on request; set revisit.");
        }
        RecrawlList.Counts counts;
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            counts = jobs.recrawl(job, entry -> !entry.time().isAfter(latest));
        } catch (InvalidArgumentException e) {
            throw ProblemException.of(ProblemException.CONFLICT, e.getMessage() + ".");
        }
        if (counts.listed() + counts.pending() > 0) {
            var _ =
                    jobsApi.continued(
                            apiCall,
                            job.id(),
                            JobsApi.OPEN,
                            () -> jobsApi.continueJob(jobsApi.job(apiCall)));
        }
        apiCall.json(202, counts);
    }

    private static Duration age(JsonNode body) {
        var text = JobsApi.text(body, OLDER_THAN);
        if (text.isEmpty()) {
            return Duration.ZERO;
        }
        return Quantities.duration(text.get())
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        OLDER_THAN,
                                        "olderThan must be a duration such as 12h or 7d, not '%s'."
                                                .formatted(text.get())));
    }
}
