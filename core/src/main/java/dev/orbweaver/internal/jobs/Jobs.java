package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.sink.Dependents;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A job service, either on this machine alone ({@link LocalJobs}) or with a fleet. It reads the
 * pages of a job from this process's directories.
 */
public interface Jobs extends AutoCloseable {

    /** Opens a job service: where jobs are stored, and the operator's settings. */
    interface JobsSettings {

        /** Opens the service; it crawls nothing before {@link Jobs#start}. */
        Jobs open(JobListener jobListener) throws IOException, ConfigException;

        Path data();

        boolean allowPrivate();

        /** Returns the operator's settings for every job. */
        SettingValues settings();

        /** Returns which addresses jobs and their webhooks may connect to. */
        default AddressPolicy addresses() throws ConfigException {
            return JobRules.addresses(settings(), allowPrivate());
        }

        /** Returns the settings that a requested job would have, validated as for a job. */
        default CrawlConfig config(JobRequest request) throws ConfigException {
            return JobRules.config(request, settings(), allowPrivate());
        }
    }

    /** Receives events of jobs, on any thread; it must return quickly. */
    interface JobListener {

        /**
         * A job's state is about to change. The follower of the job's page log passes its position,
         * so that the change is recorded after that line, and publishes the change.
         */
        JobRecord onStateChange(JobId job, StateWriter stateWriter) throws IOException;

        /** A response was committed. */
        void captured(JobId job, Capture capture);

        /** Lines were added to a job's page log. */
        void committed(JobId job);

        /** A job's files are about to be deleted. */
        void deleted(JobId job);

        default CrawlListener ofCrawl(JobId job) {
            return new CrawlListener() {
                @Override
                public void captured(Capture capture) {
                    JobListener.this.captured(job, capture);
                }

                @Override
                public void committed() {
                    JobListener.this.committed(job);
                }
            };
        }
    }

    interface StateWriter {
        /**
         * Writes the change.
         *
         * @param seq the line of the page log after which the change is recorded
         */
        JobRecord write(long seq) throws IOException;
    }

    /** Starts the jobs that had not ended. */
    void start();

    /** Returns all jobs, newest first. */
    List<JobRecord> all();

    Optional<JobRecord> find(JobId id);

    Optional<JobRecord> findByKey(String key);

    /** Accepts a job; it starts as soon as there is capacity. */
    JobRecord submit(JobRequest request) throws ConfigException, IOException;

    /**
     * Adds seeds to a job, which reads them while it crawls.
     *
     * @return the number of lines
     */
    long addSeeds(JobId id, SeedList.Content content)
            throws ConfigException, IOException, InterruptedException;

    /**
     * Adds the seeds to a job that were added to another one. Those of a fleet are in Redis only
     * while they are read, so they are left out.
     */
    default void copyAddedSeeds(JobId from, JobId to) throws IOException, InterruptedException {}

    /** Returns whether stored crawls refer to the records of a job, which must be kept then. */
    default boolean hasDependents(JobId id) throws IOException {
        return Dependents.exist(new RealDisk(), directory(id));
    }

    /**
     * Visits pages of a job again; a job that had ended continues with {@link #resume}.
     *
     * @param wanted accepts the last visits of the URLs to visit again
     */
    default RecrawlList.Counts recrawl(JobRecord job, Predicate<PageLogEntry> wanted)
            throws ConfigException, IOException, InterruptedException {
        throw new IllegalStateException("jobs of a fleet cannot be visited again on request");
    }

    /**
     * Removes URLs from a job before they are fetched.
     *
     * @throws InvalidArgumentException if they are too many with those before; then none is removed
     */
    void removeSeeds(JobId id, List<CrawlUrl> urls) throws IOException;

    /** Stops leasing URLs of a job until it is resumed. */
    JobRecord pause(JobId id) throws IOException;

    /** Continues a job that is paused or had ended. */
    JobRecord resume(JobId id) throws IOException;

    /** Ends a job; visits in progress may finish. It can be resumed. */
    JobRecord stop(JobId id) throws IOException;

    /**
     * Ends a job as {@link #stop(JobId)} does.
     *
     * @param reason as a sentence; a fleet does not record it
     */
    default JobRecord stop(JobId id, String reason) throws IOException {
        return stop(id);
    }

    /**
     * Replaces a job's settings, weight and labels by those of another record of it. If settings
     * differ, its crawl continues with them once visits in progress are done.
     */
    JobRecord change(JobRecord changed) throws ConfigException, IOException;

    /** Ends a job at once and deletes all its data here. */
    void delete(JobId id) throws IOException;

    /** Requeues dead letters; a job that had ended continues with them. */
    long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException;

    void deadLetters(JobRecord job, Consumer<DeadLetter> out) throws ConfigException, IOException;

    /**
     * Explains the state of a job's URL; empty if the text is not a URL that can be crawled.
     *
     * @param index of the job's page log here; without one the whole log may be read
     */
    Optional<UrlExplanation> explain(JobRecord job, String url, Optional<PageLogIndex> index)
            throws ConfigException, IOException;

    /** Returns the status of a job's crawl, if it is running here. */
    Optional<CrawlStatus> status(JobId id);

    /** Returns the status of the sinks of a job's crawl, if it is running here. */
    List<SinkStatus> sinkStatus(JobId id);

    /** Returns the transfers of all jobs in this process since it was opened. */
    TransferStats usage();

    default CrawlArchive contents(JobRecord job) throws ConfigException, IOException {
        return new StoredCrawl(directory(job.id()), config(job)).contents();
    }

    /**
     * Returns the figures of the pages that a job visits again; empty if they are not known here.
     */
    default Optional<RevisitStatistics> revisits(JobRecord job)
            throws ConfigException, IOException {
        var crawl = new StoredCrawl(directory(job.id()), config(job));
        return Optional.of(crawl.revisits().orElse(RevisitStatistics.NONE));
    }

    /** Returns a job's statistics, whether it is running or not. */
    FrontierStats stats(JobId id);

    /** Returns the statistics of all jobs together. */
    FrontierStats stats();

    /**
     * Adds URLs that have changed or are new, according to their site. The crawl fetches those that
     * it does not know; if it visits pages again, it visits the others earlier. A job that had
     * finished continues with them; one that was stopped or failed does not.
     *
     * @return false if the job has too many that it has not read; then none was added
     */
    default boolean announce(JobId id, List<CrawlUrl> urls) throws IOException {
        throw new IllegalStateException("jobs of a fleet cannot receive announced URLs");
    }

    /** Reads the result of a fetch, before its files are deleted. */
    interface PageReader<T> {

        /**
         * Reads the result.
         *
         * @param directory of the crawl of the page; its log does not exist if nothing was fetched
         * @param config the settings with which it was fetched
         */
        T read(Path directory, CrawlConfig config, CrawlEnd end)
                throws IOException, ConfigException;
    }

    /** Returns whether {@link #fetch} is available. */
    default boolean canFetch() {
        return false;
    }

    /**
     * Fetches the first seed of a job that is not submitted, under the politeness of all jobs.
     *
     * @param timeout after which nothing was fetched
     */
    default <T> T fetch(CrawlConfig job, Duration timeout, PageReader<T> reader)
            throws IOException, ConfigException, InterruptedException {
        throw new IllegalStateException("jobs of a fleet cannot fetch single pages");
    }

    JobHosts hosts(JobId id, int max);

    /** Returns a host of a job; empty if this process knows nothing of its queue. */
    Optional<JobHosts.Host> host(JobId id, String name);

    /** Returns the settings of other jobs for addresses, domains and groups that a job obeys. */
    List<ForeignSetting> foreignSettings(JobId id);

    long committedLogBytes(JobId id);

    Path directory(JobId id);

    /**
     * Returns every directory that has pages of a job, this process's own first, as exports merge
     * them.
     */
    List<Path> directories(JobId id);

    /** Returns a job's effective settings in this process. */
    CrawlConfig config(JobRecord job) throws ConfigException;

    /** Returns the settings that crawls accept in this process. */
    Settings table();

    default boolean isJobSetting(String setting) {
        return !JobRules.isOperatorSetting(setting, table());
    }

    int runningCrawls();

    /** Returns the state of the jobs' fleet; empty if this process has no fleet. */
    default Optional<FleetReport> fleet() {
        return Optional.empty();
    }

    /** Returns whether other workers crawl the jobs too, so that some pages may be elsewhere. */
    default boolean isShared() {
        return false;
    }

    /** Returns why no job can be changed at present, if so. */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /** Returns why no job can continue before the process is restarted, if so. */
    default Optional<String> failure() {
        return Optional.empty();
    }

    /**
     * Returns whether this process must send the notification of a change of a job's state. Other
     * processes may ask too.
     */
    default boolean claimNotification(JobId job, Instant change) throws IOException {
        return true;
    }

    /** Stops the service; every job continues when it is opened again. */
    @Override
    void close() throws IOException;
}
