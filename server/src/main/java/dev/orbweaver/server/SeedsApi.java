package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.seeds.SeedLine;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Adds seeds to jobs, and removes them before they are fetched. */
final class SeedsApi {

    private static final Set<String> ADD_FIELDS = Set.of("seeds", "priority", "notBefore");
    private static final Set<String> REMOVE_FIELDS = Set.of("seeds");

    private final Jobs jobs;
    private final JobsApi jobsApi;

    SeedsApi(Jobs jobs, JobsApi jobsApi) {
        this.jobs = jobs;
        this.jobsApi = jobsApi;
    }

    private record Added(int added) {}

    private record Removed(int removed) {}

    /** Adds seeds; a job that had ended continues with them. */
    void add(ApiCall apiCall) throws Exception {
        var _ = jobsApi.job(apiCall); // A job that is not found, before an invalid body.
        var body = apiCall.body();
        requireFields(body, ADD_FIELDS, "seeds, priority or notBefore");
        var seeds = JobsApi.seeds(body.path("seeds"));
        var fields = fields(body);
        var lines =
                jobsApi.continued(
                        apiCall,
                        JobsApi.OPEN,
                        () -> addAndResume(jobsApi.job(apiCall), seeds, fields));
        apiCall.json(202, new Added(Math.toIntExact(lines)));
    }

    private long addAndResume(JobRecord job, List<String> seeds, String[] fields)
            throws ConfigException, IOException, InterruptedException {
        var lines =
                jobs.addSeeds(
                        job.id(),
                        out -> {
                            for (var seed : seeds) {
                                out.line(seed.strip(), fields);
                            }
                        });
        if (!job.state().isOpen()) {
            var _ = jobs.resume(job.id());
        }
        return lines;
    }

    void remove(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var body = apiCall.body();
        requireFields(body, REMOVE_FIELDS, "seeds");
        var urls = jobs.config(job).urls();
        var seeds =
                JobsApi.seeds(body.path("seeds")).stream()
                        .flatMap(text -> Seed.read(text, urls).stream())
                        .map(Seed::url)
                        .toList();
        try {
            jobs.removeSeeds(job.id(), seeds);
        } catch (InvalidArgumentException e) {
            throw ProblemException.inField(
                    ProblemException.CONFLICT, "seeds", e.getMessage() + ".");
        }
        apiCall.json(202, new Removed(seeds.size()));
    }

    private static void requireFields(JsonNode body, Set<String> accepted, String expected) {
        for (var name : body.propertyNames()) {
            if (!accepted.contains(name)) {
                throw ProblemException.inField(
                        name, "Unknown field '%s'; expected %s.".formatted(name, expected));
            }
        }
    }

    /** Returns the fields of the lines, checked as the crawl will read them. */
    private static String[] fields(JsonNode body) {
        var priority = JobsApi.text(body, "priority");
        var notBefore = JobsApi.text(body, "notBefore");
        check("priority", priority.map(value -> "priority=" + value).orElse(""));
        check("notBefore", notBefore.map(value -> "not-before=" + value).orElse(""));
        return Stream.of(
                        priority.map(value -> "priority=" + value),
                        notBefore.map(value -> "not-before=" + value))
                .flatMap(Optional::stream)
                .toArray(String[]::new);
    }

    private static void check(String name, String field) {
        if (field.indexOf('\t') >= 0
                || SeedLine.parse("https://example.com/\t" + field, JobsApi.URLS)
                        instanceof SeedLine.Malformed) {
            throw ProblemException.inField(
                    name,
                    name.equals("priority")
                            ? "priority must be a string such as \"+20\", or \"60\" of 0 to 100."
                            : "notBefore must be a time such as 2026-12-01T06:00:00Z.");
        }
    }
}
