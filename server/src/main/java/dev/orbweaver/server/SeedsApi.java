package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.model.JobId;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Adds seeds to jobs, and removes them before they are fetched. */
final class SeedsApi {

    private static final List<String> ADD_FIELDS = List.of("seeds", "priority", "notBefore");
    private static final Set<String> TEXT_TYPES = Set.of("text/plain", "application/gzip");

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final Path temporary;
    private final ConcurrencyLimiter uploads =
            new ConcurrencyLimiter(
                    4,
                    2,
                    "The limit of concurrent uploads of seeds, in total or for this caller, is"
                            + " reached; retry later.");

    SeedsApi(Jobs jobs, JobsApi jobsApi, Path data) {
        this.jobs = jobs;
        this.jobsApi = jobsApi;
        this.temporary = data.resolve(DirectoryLayout.TEMPORARY);
    }

    private record Added(int added) {}

    private record Removed(int removed) {}

    /** Adds seeds; a job that had ended continues with them. */
    void add(ApiCall apiCall) throws Exception {
        var _ = jobsApi.job(apiCall); // A job that is not found, before an invalid body.
        if (TEXT_TYPES.contains(mediaType(apiCall))) {
            upload(apiCall);
            return;
        }
        var body = apiCall.body();
        JobRequestReader.requireFields(body, ADD_FIELDS);
        var seeds = JobsApi.seeds(body.path("seeds"));
        var fields = fields(body);
        add(
                apiCall,
                out -> {
                    for (var seed : seeds) {
                        out.line(seed.strip(), fields);
                    }
                });
    }

    private static String mediaType(ApiCall apiCall) {
        var type = apiCall.header("Content-Type").orElse("");
        var end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    /** Adds the lines of a text. It is checked as a whole first, so that all or none are added. */
    private void upload(ApiCall apiCall) throws Exception {
        Files.createDirectories(temporary);
        var file = Files.createTempFile(temporary, "seeds", ".txt");
        try (var _ = uploads.acquire(apiCall)) {
            SeedUpload.receive(apiCall, file);
            add(apiCall, out -> out.copy(file));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private void add(ApiCall apiCall, SeedList.Content content) throws Exception {
        var id = apiCall.job();
        var lines = jobsApi.continued(apiCall, id, JobsApi.OPEN, () -> addAndResume(id, content));
        apiCall.json(202, new Added(Math.toIntExact(lines)));
    }

    private long addAndResume(JobId id, SeedList.Content content)
            throws ConfigException, IOException, InterruptedException {
        var lines = jobs.addSeeds(id, content);
        var _ = jobsApi.continueIfEnded(id);
        return lines;
    }

    void remove(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var body = apiCall.body();
        JobRequestReader.requireFields(body, List.of("seeds"));
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
