package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Fetches single pages over the frontier that the jobs of a service share, so that a host gets no
 * more requests than its jobs' politeness allows.
 *
 * <p>Each fetch is a crawl of one page by a job of its own, which has no record and is deleted when
 * its page was read. robots.txt, delays, redirects, the address guard and all limits are therefore
 * those of a job. The numbers of these jobs are above those of all others and are used again.
 */
final class SingleFetches implements AutoCloseable {

    static final int CONCURRENCY = 32;

    private static final int FIRST_ID = 2_000_000_000;
    private static final Map<String, String> FIXED =
            Map.of(
                    "max-pages", "1",
                    "max-depth", "0",
                    "concurrency", "1",
                    "max-idle-wait", "5s",
                    "max-retries", "0",
                    "sitemaps", "false",
                    "page-requisites", "false",
                    "warc-compression", "none",
                    "revisit", "never");

    private final FrontierAdmin frontier;
    private final JobStore jobStore;
    private final InstantSource clock;
    private final JobCrawls crawls;
    private final BlockingQueue<JobId> free = new ArrayBlockingQueue<>(CONCURRENCY);
    private final Map<JobId, BlockingQueue<CrawlEnd>> ends = new ConcurrentHashMap<>();
    private final Map<JobId, SharedCaches> caches = new ConcurrentHashMap<>();
    private final Function<String, SharedCaches> robots;
    private final Jobs.JobListener listener;

    /**
     * Deletes what a killed process has left.
     *
     * @param atOnce how many leases the jobs may have; these fetches are beyond them
     * @param robots the caches of jobs with a user agent
     */
    SingleFetches(
            FrontierAdmin frontier,
            JobStore jobStore,
            int atOnce,
            Function<String, SharedCaches> robots,
            Jobs.JobListener listener,
            InstantSource clock)
            throws IOException {
        this.frontier = frontier;
        this.jobStore = jobStore;
        this.robots = robots;
        this.listener = listener;
        this.clock = clock;
        for (var i = 0; i < CONCURRENCY; i++) {
            var id = new JobId(FIRST_ID + i);
            if (frontier.stats(id).ledger().offered() > 0) {
                frontier.deleteJob(id, clock.instant()).requireStored();
            }
            jobStore.delete(id);
            free.add(id);
        }
        this.crawls =
                new JobCrawls(
                        frontier,
                        atOnce + CONCURRENCY,
                        (shared, job, _, _) -> shared.view(job, SharedFrontier.directoryOf(job)),
                        job -> Objects.requireNonNull(caches.get(job)),
                        clock,
                        (job, end) -> Objects.requireNonNull(ends.get(job)).add(end));
    }

    /** Returns the settings of a fetch, from those that a job would have. */
    private static CrawlConfig config(CrawlConfig job, Duration timeout) throws ConfigException {
        var values = new SettingValues(job.settingValues().table()).putAll(job.settingValues());
        FIXED.forEach(values::put);
        values.put("max-time", timeout.toMillis() + "ms");
        for (var setting : values.table().all()) {
            if (values.table().isOfExtension(setting.key())) {
                values.put(setting.key(), setting.defaultValue()); // Sinks are for jobs.
            }
        }
        return CrawlConfig.read(values);
    }

    /** Fetches one page; waits until fewer than {@link #CONCURRENCY} others are being fetched. */
    <T> T fetch(CrawlConfig job, Duration timeout, Jobs.PageReader<T> reader)
            throws IOException, ConfigException, InterruptedException {
        var start = System.nanoTime();
        var id = free.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        var left = timeout.minusNanos(System.nanoTime() - start);
        if (id == null || !left.isPositive()) {
            if (id != null) {
                free.add(id);
            }
            return reader.read(
                    jobStore.directoryOf(new JobId(FIRST_ID + CONCURRENCY)), // There is none.
                    job,
                    new CrawlEnd(CrawlEnd.Reason.MAX_TIME, "too many pages are being fetched"));
        }
        try {
            var config = config(job, left);
            var end = run(id, config);
            return reader.read(jobStore.directoryOf(id), config, end);
        } finally {
            delete(id);
        }
    }

    private CrawlEnd run(JobId id, CrawlConfig config) throws IOException, InterruptedException {
        var ended = new ArrayBlockingQueue<CrawlEnd>(1);
        ends.put(id, ended);
        caches.put(id, robots.apply(config.networkSettings().userAgent()));
        crawls.start(id, "", config, jobStore.directoryOf(id), listener.ofCrawl(id));
        try {
            return ended.take();
        } catch (InterruptedException e) {
            crawls.stop(id, Duration.ZERO);
            var _ = ended.take();
            throw e;
        }
    }

    /** Makes a number free again; it is lost until a restart if its files cannot be deleted. */
    private void delete(JobId id) throws IOException {
        crawls.forget(id);
        ends.remove(id);
        caches.remove(id);
        frontier.deleteJob(id, clock.instant()).requireStored();
        jobStore.delete(id);
        free.add(id);
    }

    TransferStats usage() {
        return crawls.usage();
    }

    @Override
    public void close() {
        crawls.close();
    }
}
