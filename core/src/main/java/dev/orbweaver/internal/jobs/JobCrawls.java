package dev.orbweaver.internal.jobs;

import dev.orbweaver.Crawler;
import dev.orbweaver.RunningCrawl;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.OpenFrontier;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.jobs.JobReconciler.CrawlState;
import dev.orbweaver.internal.sink.SinkStatus;
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
 * The crawls of several jobs over one frontier, each in its own directory and on its own thread.
 */
public final class JobCrawls implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobCrawls.class);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);

    /** Opens a job's part of the frontier, as it is stored in the job's directory. */
    public interface FrontierViews {
        /** The part of one job. Its directory is locked. */
        CrawlFrontier open(SharedFrontier shared, JobId job, CrawlConfig config, Path directory)
                throws IOException;
    }

    private record RunningJob(
            RunningCrawl crawl, String revision, Thread thread, AtomicBoolean stopping) {}

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

    /** Of crawls that have ended. */
    private TransferStats finishedUsage = TransferStats.NONE;

    /**
     * Crawls for jobs of a frontier, which the caller closes after this.
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
     * read the status of others must not wait; so only one thread calls this.
     *
     * @param revision of the job, by which {@link #state} detects that a crawl is outdated
     */
    public void start(
            JobId job, String revision, CrawlConfig config, Path directory, CrawlListener captures)
            throws IOException {
        if (jobs().contains(job)) {
            throw new IllegalStateException("the crawl of " + job + " is running already");
        }
        var crawl =
                Crawler.open(
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

    private synchronized boolean startThread(JobId job, String revision, RunningCrawl crawl) {
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

    private void run(JobId job, String revision, RunningCrawl crawl) {
        var end = new CrawlEnd(CrawlEnd.Reason.INTERNAL, "it ended without saying why");
        try (crawl) {
            end = crawl.run();
        } catch (InterruptedException e) {
            end = new CrawlEnd(CrawlEnd.Reason.STOPPED, "");
        } catch (Throwable e) { // Out of memory too: the job must not look as if it went on.
            LOG.error("the crawl of job {} broke off", job.number(), e);
            end = new CrawlEnd(CrawlEnd.Reason.BROKEN, String.valueOf(e.getMessage()));
        }
        synchronized (this) {
            running.remove(job);
            ended.put(job, new EndedJob(end, revision));
            finishedUsage = finishedUsage.plus(crawl.usage());
        }
        onEnded.accept(job, end);
    }

    /** Why no crawl can continue, if so. */
    public Optional<Throwable> failure() {
        return sharedFrontier.failure();
    }

    /** The jobs whose crawls are running. */
    public synchronized Set<JobId> jobs() {
        var jobs = new TreeSet<JobId>((a, b) -> Integer.compare(a.number(), b.number()));
        jobs.addAll(running.keySet());
        return jobs;
    }

    /** The jobs whose crawls are running, or have ended and are not forgotten. */
    public synchronized Set<JobId> known() {
        var jobs = jobs();
        jobs.addAll(ended.keySet());
        return jobs;
    }

    /** The state of a job's crawl, compared with the job's current revision. */
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

    private synchronized Optional<RunningCrawl> crawl(JobId job) {
        return Optional.ofNullable(running.get(job)).map(each -> each.crawl);
    }

    public Optional<CrawlStatus> status(JobId job) {
        return crawl(job).map(RunningCrawl::status);
    }

    public List<SinkStatus> sinkStatus(JobId job) {
        return crawl(job).map(RunningCrawl::sinkStatus).orElse(List.of());
    }

    /** What all crawls have transferred, including ended ones. */
    public synchronized TransferStats usage() {
        return running.values().stream()
                .map(each -> each.crawl.usage())
                .reduce(finishedUsage, TransferStats::plus);
    }

    /** Leases no URLs of a job until {@link #resume}. */
    public void pause(JobId job) {
        crawl(job).ifPresent(RunningCrawl::pause);
    }

    public void resume(JobId job) {
        crawl(job).ifPresent(RunningCrawl::resume);
    }

    /** Asks a job's crawl to end within the grace period. */
    public synchronized void stop(JobId job, Duration grace) {
        var active = running.get(job);
        if (active != null) {
            active.stopping.set(true);
            active.crawl.stop(grace);
        }
    }

    /** Stops all crawls and waits for their ends. */
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
                break; // What is under way is given back when its lease ends.
            }
        }
        sharedFrontier.close();
    }
}
