package dev.orbweaver.internal.jobs;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A job service: on this machine alone ({@link LocalJobs}) or with a fleet. The pages of a job are
 * those in this process's directories.
 */
public interface Jobs extends AutoCloseable {

    /** Where jobs are stored, and the operator's settings. */
    interface JobsSettings {

        /** Opens it; nothing is crawled before {@link Jobs#start}. */
        Jobs open(JobListener jobListener) throws IOException, ConfigException;

        Path data();

        boolean allowPrivate();

        /** The operator's settings for every job. */
        SettingValues settings();

        /** Which addresses jobs and their webhooks may be connected to. */
        default AddressPolicy addresses() throws ConfigException {
            return JobRules.addresses(settings(), allowPrivate());
        }
    }

    /** Receives events of jobs, on any thread: it must not be slow. */
    interface JobListener {

        /**
         * A job's state is about to change. The follower of the job's page log passes on how far it
         * has come, so that the change is recorded after that line, and publishes it.
         */
        JobRecord onStateChange(JobId job, StateWriter stateWriter) throws IOException;

        /** A response is committed. */
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
         * @param seq the line of the page log after which the change comes
         */
        JobRecord write(long seq) throws IOException;
    }

    /** Starts the jobs that had not ended. */
    void start();

    /** Newest first. */
    List<JobRecord> all();

    Optional<JobRecord> find(JobId id);

    Optional<JobRecord> findByKey(String key);

    /** Accepts a job; it begins as soon as there is capacity. */
    JobRecord submit(JobRequest wish) throws ConfigException, IOException;

    /** Leases no URLs of a job until it is resumed. */
    JobRecord pause(JobId id) throws IOException;

    /** Continues a job that is paused or had ended. */
    JobRecord resume(JobId id) throws IOException;

    /** Ends a job; visits in progress may finish. It can be resumed. */
    JobRecord stop(JobId id) throws IOException;

    /**
     * Replaces a job's settings; its crawl continues with them once visits in progress are done.
     */
    JobRecord change(JobId id, String settings, int weight) throws ConfigException, IOException;

    /** Ends a job at once and deletes all its data here. */
    void delete(JobId id) throws IOException;

    /** Requeues dead letters; a job that had ended continues with them. */
    long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException;

    void deadLetters(JobRecord job, Consumer<DeadLetter> out) throws ConfigException, IOException;

    /** Explains the state of a job's URL; empty if it is no URL that a crawl could have. */
    Optional<UrlExplanation> explain(JobRecord job, String asked)
            throws ConfigException, IOException;

    /** The status of a job's crawl, if it is running here. */
    Optional<CrawlStatus> status(JobId id);

    /** The status of the sinks of a job's crawl, if it is running here. */
    List<SinkStatus> sinkStatus(JobId id);

    /** What all jobs have transferred here since this was opened. */
    TransferStats usage();

    default CrawlArchive contents(JobRecord job) throws ConfigException, IOException {
        return new CrawlDirectory(directory(job.id()), config(job)).contents();
    }

    /** A job's figures, running or not. */
    FrontierStats stats(JobId id);

    /** The figures of all jobs together. */
    FrontierStats stats();

    JobHosts hosts(JobId id, int max);

    long committedLogBytes(JobId id);

    Path directory(JobId id);

    /** Every directory that has pages of a job, this one's first, as exports merge them. */
    List<Path> directories(JobId id);

    /** A job's effective settings here. */
    CrawlConfig config(JobRecord job) throws ConfigException;

    /** The settings that crawls have here. */
    Settings table();

    default boolean isJobSetting(String setting) {
        return !JobRules.isOperatorSetting(setting, table());
    }

    int runningCrawls();

    /** The fleet of the jobs; empty if this process has them alone. */
    default Optional<FleetReport> fleet() {
        return Optional.empty();
    }

    /** Whether other workers crawl the jobs too, so that some pages may be elsewhere. */
    default boolean isShared() {
        return false;
    }

    /** Why no job can be changed at present, if so. */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /** Why no job can continue before the process is restarted, if so. */
    default Optional<String> failure() {
        return Optional.empty();
    }

    /** Whether this process is the one to notify others that a job has ended. */
    default boolean claimNotification(JobRecord job) {
        return true;
    }

    /** Stops; every job continues when it is opened again. */
    @Override
    void close() throws IOException;
}
