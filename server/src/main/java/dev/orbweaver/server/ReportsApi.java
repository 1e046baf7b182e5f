package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.search.PageIndex;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Serves the report of a job that does not run.
 *
 * <p>A report is computed once, on first request, and stored beside the search index, from which it
 * is derived. A stored report counts only for the page log and the tombstones that it was computed
 * from. While it is computed, calls get status 202 with the progress.
 */
final class ReportsApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReportsApi.class);

    /** Limits computations, because each one reads a whole page log; others wait. */
    private static final int CONCURRENCY = 2;

    /** A short computation is awaited, so that most jobs need one call. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private static final Duration INDEX_POLL = Duration.ofMillis(100);

    /** The share of the progress that the search index takes, if it is behind the page log. */
    private static final double INDEX_SHARE = 0.6;

    private static final String FILE = "report.json";

    /** Reports of another version are computed again. */
    private static final int VERSION = 1;

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final JobsApi jobsApi;
    private final Semaphore slots = new Semaphore(CONCURRENCY);
    private final Map<JobId, Computation> running = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param source what the report was computed from
     */
    private record Stored(String source, JobReport report) {}

    private record Progress(String state, double progress) {}

    /** A report that is being computed. */
    private static final class Computation {
        private final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private volatile double progress;
    }

    ReportsApi(Jobs jobs, JobEventFeeds jobEventFeeds, JobsApi jobsApi) {
        this.jobs = jobs;
        this.jobEventFeeds = jobEventFeeds;
        this.jobsApi = jobsApi;
    }

    void get(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        if (job.state() == State.QUEUED || job.state() == State.RUNNING) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Job %d is %s; its report is available when it is paused or has ended."
                            .formatted(job.id().number(), job.state().id()));
        }
        var stored = stored(job);
        if (stored.isPresent()) {
            apiCall.json(stored.get());
            return;
        }
        var computation = running.computeIfAbsent(job.id(), _ -> start(job));
        try {
            var report = computation.result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            apiCall.json(JsonMapper.shared().readTree(report));
        } catch (TimeoutException e) {
            var share = Math.round(100 * computation.progress) / 100.0;
            apiCall.json(202, new Progress("computing", share));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProblemException problem
                    ? problem
                    : new IOException("the report could not be computed", e.getCause());
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

    private Path file(JobId id) {
        return jobs.directory(id).resolve(DirectoryLayout.SEARCH).resolve(FILE);
    }

    private Optional<JsonNode> stored(JobRecord job) throws IOException {
        try {
            var stored = JsonMapper.shared().readTree(Files.readAllBytes(file(job.id())));
            return stored.path("source").asString("").equals(source(job))
                    ? Optional.of(stored.path("report"))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JacksonException e) {
            LOG.warn("the report of job {} is damaged and computed again", job.id().number());
            return Optional.empty();
        }
    }

    private Computation start(JobRecord job) {
        var computation = new Computation();
        Thread.ofVirtual()
                .name("report of job " + job.id().number())
                .start(() -> run(job, computation));
        return computation;
    }

    private void run(JobRecord job, Computation computation) {
        try {
            slots.acquire();
            try {
                var source = source(job);
                var report = compute(job, computation);
                store(job.id(), new Stored(source, report));
                computation.result.complete(JsonMapper.shared().writeValueAsBytes(report));
            } finally {
                slots.release();
            }
        } catch (IOException | ConfigException | RuntimeException | InterruptedException e) {
            if (!closed && jobs.find(job.id()).isPresent()) {
                LOG.warn("could not compute the report of job {}", job.id().number(), e);
            }
            computation.result.completeExceptionally(e);
        } finally {
            running.remove(job.id(), computation);
        }
    }

    private JobReport compute(JobRecord job, Computation computation)
            throws IOException, ConfigException, InterruptedException {
        var index = awaitIndex(job, computation);
        var elapsed = new JobJson(jobs, jobEventFeeds.open(job.id())).progress(job).elapsedMs();
        var directory = jobs.directory(job.id());
        try (var log = PageLogReader.open(directory, () -> jobs.committedLogBytes(job.id()))) {
            return new JobReportBuilder(index)
                    .build(
                            log,
                            elapsed,
                            share -> {
                                requireOpen();
                                // Counts as use, so that the index is not closed as idle.
                                jobEventFeeds.open(job.id()).ifPresent(JobEventFeed::touch);
                                computation.progress = INDEX_SHARE + (1 - INDEX_SHARE) * share;
                            });
        }
    }

    /** Waits until the search index has every line. */
    private PageIndex awaitIndex(JobRecord job, Computation computation)
            throws IOException, ConfigException, InterruptedException {
        var last = Math.max(1, JobEventFeed.lastLine(jobs, job.id()));
        while (true) {
            requireOpen();
            var feed = jobEventFeeds.getOrOpen(job);
            var index = feed.pages();
            if (feed.problem().isPresent()) {
                throw ProblemException.of(
                        ProblemException.UNAVAILABLE, feed.problem().orElseThrow());
            }
            if (index.isCurrent()) {
                return index;
            }
            computation.progress = INDEX_SHARE * Math.min(1.0, (double) index.lastIndexed() / last);
            Thread.sleep(INDEX_POLL);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw ProblemException.of(
                    ProblemException.UNAVAILABLE, "The service is shutting down.");
        }
    }

    private void store(JobId id, Stored stored) throws IOException {
        var file = file(id);
        var partial = file.resolveSibling(FILE + ".partial");
        Files.write(partial, JsonMapper.shared().writeValueAsBytes(stored));
        Files.move(
                partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() {
        closed = true;
    }
}
