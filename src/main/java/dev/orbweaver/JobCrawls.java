package dev.orbweaver;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.SharedFrontier;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.sink.StoreStatus;

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
final class JobCrawls implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobCrawls.class);
    private static final Duration GRACE_AT_CLOSE = Duration.ofSeconds(10);

    /** Makes a job's part of the frontier, as it is to be kept in the job's folder. */
    interface Parts {
        /** The part of one job. Its folder is locked. */
        Frontier of(SharedFrontier shared, JobId job, CrawlConfig config, Path folder)
                throws IOException;
    }

    /** What is known of a job beyond this process. */
    interface Knowledge {
        /** What is known of one. */
        Commons of(JobId job);
    }

    /** Is told how a job's crawl has ended, on that crawl's thread, when its files are closed. */
    interface Ended {
        /** One has. */
        void ended(JobId job, CrawlEnd end);
    }

    private record Running(RunningCrawl crawl, Thread thread) {}

    private final SharedFrontier shared;
    private final Parts parts;
    private final Knowledge knowledge;
    private final InstantSource clock;
    private final Ended listener;
    private final Map<JobId, Running> running = new HashMap<>();
    private boolean closed;

    /** By crawls that are over. */
    private Usage used = Usage.NONE;

    /** Crawls for jobs of a frontier, which the caller closes after this. */
    JobCrawls(Frontier whole, int atOnce, Parts parts, InstantSource clock, Ended listener) {
        this(whole, atOnce, parts, _ -> Commons.NONE, clock, listener);
    }

    /** The same of jobs on which others work too. */
    JobCrawls(
            Frontier whole,
            int atOnce,
            Parts parts,
            Knowledge knowledge,
            InstantSource clock,
            Ended listener) {
        this.shared = new SharedFrontier(whole, atOnce, clock);
        this.knowledge = knowledge;
        this.parts = parts;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Opens a job's crawl in a folder and sets it going. Opening may take its time, and nobody who
     * asks how others stand is to wait for that; so this is called by one thread only.
     */
    void start(JobId job, CrawlConfig config, Path folder, CrawlListener captures)
            throws IOException {
        if (jobs().contains(job)) {
            throw new IllegalStateException("the crawl of " + job + " is running already");
        }
        var crawl =
                Crawler.open(
                        config,
                        folder,
                        captures,
                        () -> parts.of(shared, job, config, folder),
                        knowledge.of(job),
                        clock);
        if (!setGoing(job, crawl)) {
            crawl.close();
            throw new IOException("crawls are being closed");
        }
    }

    private synchronized boolean setGoing(JobId job, RunningCrawl crawl) {
        if (closed) {
            return false;
        }
        var thread =
                Thread.ofPlatform()
                        .name("crawl of job " + job.number())
                        .unstarted(() -> run(job, crawl));
        running.put(job, new Running(crawl, thread));
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
            running.remove(job);
            used = used.plus(crawl.usage());
        }
        listener.ended(job, end);
    }

    /** Why no crawl can go on, if so. */
    Optional<Throwable> failure() {
        return shared.failure();
    }

    /** The jobs whose crawls are running. */
    synchronized Set<JobId> jobs() {
        var jobs = new TreeSet<JobId>((a, b) -> Integer.compare(a.number(), b.number()));
        jobs.addAll(running.keySet());
        return jobs;
    }

    private synchronized Optional<RunningCrawl> crawl(JobId job) {
        return Optional.ofNullable(running.get(job)).map(Running::crawl);
    }

    /** How a job's crawl stands, if it is running. */
    Optional<CrawlStatus> status(JobId job) {
        return crawl(job).map(RunningCrawl::status);
    }

    /** How the stores that follow a job's crawl stand. */
    List<StoreStatus> stores(JobId job) {
        return crawl(job).map(RunningCrawl::stores).orElse(List.of());
    }

    /** What all crawls have moved, those among them that are over. */
    synchronized Usage usage() {
        return running.values().stream().map(each -> each.crawl.usage()).reduce(used, Usage::plus);
    }

    /** Takes no new URLs of a job until {@link #resume}. */
    void pause(JobId job) {
        crawl(job).ifPresent(RunningCrawl::pause);
    }

    /** Goes on after {@link #pause}. */
    void resume(JobId job) {
        crawl(job).ifPresent(RunningCrawl::resume);
    }

    /** Asks a job's crawl to end within the grace period. */
    void stop(JobId job, Duration grace) {
        crawl(job).ifPresent(crawl -> crawl.stop(grace));
    }

    /** Stops all crawls and waits for their ends. */
    @Override
    public void close() {
        List<Running> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(running.values());
        }
        left.forEach(each -> each.crawl.stop(GRACE_AT_CLOSE));
        for (var each : left) {
            try {
                each.thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break; // What is under way is given back when its lease ends.
            }
        }
        shared.close();
    }
}
