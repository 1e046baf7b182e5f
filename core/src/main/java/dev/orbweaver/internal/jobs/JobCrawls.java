package dev.orbweaver.internal.jobs;

import dev.orbweaver.Crawler;
import dev.orbweaver.RunningCrawl;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.SharedFrontier;
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

/**
 * The crawls of several jobs over one frontier, each in a folder of its own and on a thread of its
 * own.
 */
public final class JobCrawls implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobCrawls.class);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);

    /** Makes a job's part of the frontier, as it is to be kept in the job's folder. */
    public interface FrontierViews {
        /** The part of one job. Its folder is locked. */
        Frontier open(SharedFrontier shared, JobId job, CrawlConfig config, Path directory)
                throws IOException;
    }

    /** What is known of a job beyond this process. */
    public interface CachesByJob {
        /** What is known of one. */
        SharedCaches forJob(JobId job);
    }

    /** Is told how a job's crawl has ended, on that crawl's thread, when its files are closed. */
    public interface EndListener {
        /** One has. */
        void onEnded(JobId job, CrawlEnd end);
    }

    private record RunningJob(RunningCrawl crawl, Thread thread) {}

    private final SharedFrontier sharedFrontier;
    private final FrontierViews frontierViews;
    private final CachesByJob cachesByJob;
    private final InstantSource clock;
    private final EndListener listener;
    private final Map<JobId, RunningJob> runningJob = new HashMap<>();
    private boolean closed;

    /** By crawls that are over. */
    private TransferStats finishedUsage = TransferStats.NONE;

    /** Crawls for jobs of a frontier, which the caller closes after this. */
    public JobCrawls(
            Frontier whole,
            int atOnce,
            FrontierViews frontierViews,
            InstantSource clock,
            EndListener listener) {
        this(whole, atOnce, frontierViews, _ -> SharedCaches.NONE, clock, listener);
    }

    /** The same of jobs on which others work too. */
    public JobCrawls(
            Frontier whole,
            int atOnce,
            FrontierViews frontierViews,
            CachesByJob cachesByJob,
            InstantSource clock,
            EndListener listener) {
        this.sharedFrontier = new SharedFrontier(whole, atOnce, clock);
        this.cachesByJob = cachesByJob;
        this.frontierViews = frontierViews;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Opens a job's crawl in a folder and sets it going. Opening may take its time, and nobody who
     * asks how others stand is to wait for that; so this is called by one thread only.
     */
    public void start(JobId job, CrawlConfig config, Path directory, CrawlListener captures)
            throws IOException {
        if (jobs().contains(job)) {
            throw new IllegalStateException("the crawl of " + job + " is running already");
        }
        var crawl =
                Crawler.open(
                        config,
                        directory,
                        captures,
                        () -> frontierViews.open(sharedFrontier, job, config, directory),
                        cachesByJob.forJob(job),
                        clock);
        if (!startThread(job, crawl)) {
            crawl.close();
            throw new IOException("crawls are being closed");
        }
    }

    private synchronized boolean startThread(JobId job, RunningCrawl crawl) {
        if (closed) {
            return false;
        }
        var thread =
                Thread.ofPlatform()
                        .name("crawl of job " + job.number())
                        .unstarted(() -> run(job, crawl));
        runningJob.put(job, new RunningJob(crawl, thread));
        thread.start();
        return true;
    }

    private void run(JobId job, RunningCrawl crawl) {
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
            runningJob.remove(job);
            finishedUsage = finishedUsage.plus(crawl.usage());
        }
        listener.onEnded(job, end);
    }

    /** Why no crawl can go on, if so. */
    public Optional<Throwable> failure() {
        return sharedFrontier.failure();
    }

    /** The jobs whose crawls are running. */
    public synchronized Set<JobId> jobs() {
        var jobs = new TreeSet<JobId>((a, b) -> Integer.compare(a.number(), b.number()));
        jobs.addAll(runningJob.keySet());
        return jobs;
    }

    private synchronized Optional<RunningCrawl> crawl(JobId job) {
        return Optional.ofNullable(runningJob.get(job)).map(RunningJob::crawl);
    }

    /** How a job's crawl stands, if it is running. */
    public Optional<CrawlStatus> status(JobId job) {
        return crawl(job).map(RunningCrawl::status);
    }

    /** How the stores that follow a job's crawl stand. */
    public List<SinkStatus> sinkStatus(JobId job) {
        return crawl(job).map(RunningCrawl::sinkStatus).orElse(List.of());
    }

    /** What all crawls have moved, those among them that are over. */
    public synchronized TransferStats usage() {
        return runningJob.values().stream()
                .map(each -> each.crawl.usage())
                .reduce(finishedUsage, TransferStats::plus);
    }

    /** Takes no new URLs of a job until {@link #resume}. */
    public void pause(JobId job) {
        crawl(job).ifPresent(RunningCrawl::pause);
    }

    /** Goes on after {@link #pause}. */
    public void resume(JobId job) {
        crawl(job).ifPresent(RunningCrawl::resume);
    }

    /** Asks a job's crawl to end within the grace period. */
    public void stop(JobId job, Duration grace) {
        crawl(job).ifPresent(crawl -> crawl.stop(grace));
    }

    /** Stops all crawls and waits for their ends. */
    @Override
    public void close() {
        List<RunningJob> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(runningJob.values());
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
