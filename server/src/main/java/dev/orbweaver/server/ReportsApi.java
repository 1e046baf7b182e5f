package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ChangeFormat;
import dev.orbweaver.export.CrawlDiff;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.search.PageIndex;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleConsumer;

/**
 * Serves the report of a job that does not run, and its differences from another job.
 *
 * <p>Both are computed on first request and stored beside the search index. They count only for the
 * page logs and the tombstones that they were computed from.
 */
final class ReportsApi implements AutoCloseable {

    private static final Duration INDEX_POLL = Duration.ofMillis(100);

    /** The share of the progress that the search index takes, if it is behind the page log. */
    private static final double INDEX_SHARE = 0.6;

    private static final String REPORT = "report.json";

    /** The differences from the job that was compared last. */
    private static final String DIFF = "diff.json";

    /** The maximum number of changes that are listed. */
    private static final int CHANGES_MAX = 1_000;

    /** Results of another version are computed again. */
    private static final int VERSION = 1;

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final JobsApi jobsApi;
    private final ComputedResults results = new ComputedResults();

    ReportsApi(Jobs jobs, JobEventFeeds jobEventFeeds, JobsApi jobsApi) {
        this.jobs = jobs;
        this.jobEventFeeds = jobEventFeeds;
        this.jobsApi = jobsApi;
    }

    void get(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        requireStill(job, "its report");
        results.send(
                apiCall, file(job.id(), REPORT), source(job), progress -> report(job, progress));
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty()
                && text.length() <= 9
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Sends the differences of a job from an earlier one, or from an earlier time. */
    void diff(ApiCall apiCall) throws Exception {
        var after = jobsApi.job(apiCall);
        var since = apiCall.time("since");
        var before = since.isPresent() ? sameJob(apiCall, after) : earlierJob(apiCall, after);
        for (var job : List.of(before, after)) {
            requireStill(job, "a comparison");
            if (jobs.directories(job.id()).isEmpty()) {
                throw ProblemException.of(
                        ProblemException.CONFLICT,
                        "Job %d has no data on this worker yet.".formatted(job.id().number()));
            }
        }
        var source =
                "%d %s | %s | %s"
                        .formatted(before.id().number(), since, source(before), source(after));
        results.send(
                apiCall,
                file(after.id(), DIFF),
                source,
                progress -> differences(before, after, since, progress));
    }

    private static JobRecord sameJob(ApiCall apiCall, JobRecord job) {
        if (apiCall.query("with").isPresent()) {
            throw ProblemException.inField("since", "Send with or since, not both.");
        }
        return job;
    }

    private JobRecord earlierJob(ApiCall apiCall, JobRecord after) {
        var number =
                apiCall.query("with")
                        .filter(ReportsApi::isNumber)
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "with",
                                                "with must be the id of the job to compare with, or"
                                                        + " since a time."));
        var id = new JobId(Integer.parseInt(number));
        var before =
                jobs.find(id)
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "with", "Job " + number + " not found."));
        if (before.id().equals(after.id())) {
            throw ProblemException.inField("with", "with must be another job.");
        }
        return before;
    }

    private static void requireStill(JobRecord job, String what) {
        if (job.state() == State.QUEUED || job.state() == State.RUNNING) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Job %d is %s; %s is available when it is paused or has ended."
                            .formatted(job.id().number(), job.state().id(), what));
        }
    }

    private String source(JobRecord job) throws IOException {
        var directory = jobs.directory(job.id());
        try (var log = PageLogReader.open(directory, () -> jobs.committedLogBytes(job.id()))) {
            var end = log.end();
            return "%d %d %d %d %d"
                    .formatted(
                            VERSION,
                            end.offset(),
                            end.seq(),
                            end.checksum(),
                            size(directory.resolve(DirectoryLayout.TOMBSTONES)));
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private Path file(JobId id, String name) {
        return jobs.directory(id).resolve(DirectoryLayout.SEARCH).resolve(name);
    }

    private JobReport report(JobRecord job, DoubleConsumer progress)
            throws IOException, ConfigException, InterruptedException {
        var index = awaitIndex(job, progress);
        var elapsed = job.running().elapsed(Instant.now()).toMillis();
        var directory = jobs.directory(job.id());
        try (var log = PageLogReader.open(directory, () -> jobs.committedLogBytes(job.id()))) {
            return new JobReportBuilder(index)
                    .build(
                            log,
                            elapsed,
                            share -> {
                                // Counts as use, so that the index is not closed as idle.
                                jobEventFeeds.open(job.id()).ifPresent(JobEventFeed::touch);
                                progress.accept(INDEX_SHARE + (1 - INDEX_SHARE) * share);
                            });
        }
    }

    /** Waits until the search index has every line that is in the page log now. */
    private PageIndex awaitIndex(JobRecord job, DoubleConsumer progress)
            throws IOException, ConfigException, InterruptedException {
        var last = JobEventFeed.lastLine(jobs, job.id());
        while (true) {
            var feed = jobEventFeeds.getOrOpen(job);
            var index = feed.pages();
            if (feed.problem().isPresent()) {
                throw ProblemException.of(
                        ProblemException.UNAVAILABLE, feed.problem().orElseThrow());
            }
            // A job that was resumed may add lines faster than they are indexed.
            if (index.lastIndexed() >= last) {
                return index;
            }
            progress.accept(INDEX_SHARE * index.lastIndexed() / last);
            Thread.sleep(INDEX_POLL);
        }
    }

    /**
     * @param since the earlier time, if the job is compared with itself
     * @param items the first changes, in the order of {@code orbweaver diff}
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record Differences(
            JobId before,
            JobId after,
            Optional<Instant> since,
            Instant computed,
            CrawlDiff.Counts counts,
            List<JsonNode> items) {}

    private Differences differences(
            JobRecord before, JobRecord after, Optional<Instant> since, DoubleConsumer progress)
            throws Exception {
        progress.accept(0);
        var directory = Files.createDirectories(file(after.id(), DIFF).getParent());
        var lines = Files.createTempFile(directory, "diff", ".partial");
        try {
            var counts =
                    CrawlDiff.run(
                            StoredCrawl.pages(jobs.directories(before.id()), jobs.table())
                                    .asOf(since.orElse(Instant.MAX)),
                            StoredCrawl.pages(jobs.directories(after.id()), jobs.table()),
                            PageFilter.ALL,
                            new CrawlDiff.Settings(ChangeFormat.JSONL, false),
                            new ExportTarget.PathTarget(lines));
            progress.accept(0.9);
            var items = new ArrayList<JsonNode>();
            try (var all = Files.lines(lines)) {
                all.limit(CHANGES_MAX)
                        .forEach(line -> items.add(JsonMapper.shared().readTree(line)));
            }
            return new Differences(before.id(), after.id(), since, Instant.now(), counts, items);
        } finally {
            Files.deleteIfExists(lines);
        }
    }

    @Override
    public void close() {
        results.close();
    }
}
