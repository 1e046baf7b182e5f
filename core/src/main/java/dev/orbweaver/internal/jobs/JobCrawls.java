package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.OpenFrontier;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.jobs.JobReconciler.CrawlState;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Runs the crawls of several jobs over one frontier, each in its own directory and on its own
 * thread.
 */
public final class JobCrawls implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobCrawls.class);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);

    /** Opens a job's view of the frontier, as it is stored in the job's directory. */
    public interface FrontierViews {
        /** Opens the view of one job, whose directory is locked. */
        CrawlFrontier open(SharedFrontier shared, JobId job, CrawlConfig config, Path directory)
                throws IOException;
    }

    private record RunningJob(
            OpenCrawl crawl, String revision, Thread thread, AtomicBoolean stopping) {}

    private record EndedJob(CrawlEnd end, String revision) {}

    private final FrontierAdmin frontier;
    private final SharedFrontier sharedFrontier;
    private final FrontierViews frontierViews;
    private final Function<JobId, SharedCaches> caches;
    private final InstantSource clock;
    private final BiConsumer<JobId, CrawlEnd> onEnded;
    private final Map<JobId, RunningJob> running = new HashMap<>();
    private final Map<JobId, EndedJob> ended = new HashMap<>();
    private boolean closed;

    /** Transfers of crawls that have ended. */
    private TransferStats finishedUsage = TransferStats.NONE;

    /**
     * Creates the crawls for jobs of a frontier. The caller closes the frontier after this.
     *
     * @param caches of a job, shared with other processes that crawl it
     * @param onEnded called on the thread of a job's crawl when its files are closed
     */
    public JobCrawls(
            FrontierAdmin frontier,
            int atOnce,
            FrontierViews frontierViews,
            Function<JobId, SharedCaches> caches,
            InstantSource clock,
            BiConsumer<JobId, CrawlEnd> onEnded) {
        this.sharedFrontier = new SharedFrontier(frontier, atOnce, clock);
        this.frontier = frontier;
        this.caches = caches;
        this.frontierViews = frontierViews;
        this.clock = clock;
        this.onEnded = onEnded;
    }

    /**
     * Opens a job's crawl in a directory and starts it. Opening may take long, and callers that
     * read the status of other crawls must not wait; so only one thread calls this.
     *
     * @param revision of the job, by which {@link #state} detects that a crawl is outdated
     */
    public void start(
            JobId job, String revision, CrawlConfig config, Path directory, CrawlListener captures)
            throws IOException {
        if (jobs().contains(job)) {
            throw new IllegalStateException("the crawl of " + job + " is already running");
        }
        var crawl =
                CrawlOpener.open(
                        config,
                        directory,
                        captures,
                        () -> view(job, config, directory),
                        caches.apply(job),
                        clock);
        if (!startThread(job, revision, crawl)) {
            crawl.close();
            throw new IOException("crawls are being closed");
        }
    }

    private OpenFrontier view(JobId job, CrawlConfig config, Path directory) throws IOException {
        var view = frontierViews.open(sharedFrontier, job, config, directory);
        return new OpenFrontier(view, frontier, job, false);
    }

    private synchronized boolean startThread(JobId job, String revision, OpenCrawl crawl) {
        if (closed) {
            return false;
        }
        var thread =
                Thread.ofPlatform()
                        .name("crawl of job " + job.number())
                        .unstarted(() -> run(job, revision, crawl));
        ended.remove(job);
        running.put(job, new RunningJob(crawl, revision, thread, new AtomicBoolean()));
        thread.start();
        return true;
    }

    private void run(JobId job, String revision, OpenCrawl crawl) {
        var end = new CrawlEnd(CrawlEnd.Reason.INTERNAL, "the crawl thread ended without a result");
        try (crawl) {
            end = crawl.run();
        } catch (InterruptedException e) {
            end = new CrawlEnd(CrawlEnd.Reason.STOPPED, "");
        } catch (
                Throwable
                        e) { // Also OutOfMemoryError: the job must not look as if it were running.
            LOG.error("crawl of job {} failed", job.number(), e);
            end = new CrawlEnd(CrawlEnd.Reason.BROKEN, FailureText.of(e));
        }
        synchronized (this) {
            running.remove(job);
            ended.put(job, new EndedJob(end, revision));
            finishedUsage = finishedUsage.plus(crawl.usage());
        }
        onEnded.accept(job, end);
    }

    /** Returns why no crawl can continue, if so. */
    public Optional<Throwable> failure() {
        return sharedFrontier.failure();
    }

    /** Returns the jobs whose crawls are running. */
    public synchronized Set<JobId> jobs() {
        var jobs = new TreeSet<JobId>((a, b) -> Integer.compare(a.number(), b.number()));
        jobs.addAll(running.keySet());
        return jobs;
    }

    /** Returns the jobs whose crawls are running, or have ended and are not forgotten. */
    public synchronized Set<JobId> known() {
        var jobs = jobs();
        jobs.addAll(ended.keySet());
        return jobs;
    }

    /** Returns the state of a job's crawl, compared with the job's current revision. */
    public synchronized CrawlState state(JobId job, String revision) {
        var active = running.get(job);
        if (active != null) {
            return new CrawlState.Active(active.stopping.get(), !active.revision.equals(revision));
        }
        var over = ended.get(job);
        return over == null
                ? new CrawlState.None()
                : new CrawlState.Ended(over.end, !over.revision.equals(revision));
    }

    public synchronized void forget(JobId job) {
        ended.remove(job);
    }

    private synchronized Optional<OpenCrawl> crawl(JobId job) {
        return Optional.ofNullable(running.get(job)).map(each -> each.crawl);
    }

    public Optional<CrawlStatus> status(JobId job) {
        return crawl(job).map(OpenCrawl::status);
    }

    public List<SinkStatus> sinkStatus(JobId job) {
        return crawl(job).map(OpenCrawl::sinkStatus).orElse(List.of());
    }

    /** Returns the transfers of all crawls, including ended ones. */
    public synchronized TransferStats usage() {
        return running.values().stream()
                .map(each -> each.crawl.usage())
                .reduce(finishedUsage, TransferStats::plus);
    }

    /** Stops leasing URLs of a job until {@link #resume}. */
    public void pause(JobId job) {
        crawl(job).ifPresent(OpenCrawl::pause);
    }

    public void resume(JobId job) {
        crawl(job).ifPresent(OpenCrawl::resume);
    }

    /** Requests a job's crawl to end within the grace period. */
    public synchronized void stop(JobId job, Duration grace) {
        var active = running.get(job);
        if (active != null) {
            active.stopping.set(true);
            active.crawl.stop(grace);
        }
    }

    /** Stops all crawls and waits until they have ended. */
    @Override
    public void close() {
        List<RunningJob> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(running.values());
        }
        left.forEach(each -> each.crawl.stop(CLOSE_GRACE));
        for (var each : left) {
            try {
                each.thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break; // Requests in flight are returned when their leases expire.
            }
        }
        sharedFrontier.close();
    }
}
