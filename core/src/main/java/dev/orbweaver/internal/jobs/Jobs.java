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
 * Many jobs, steered by whoever has them: on this machine alone ({@link LocalJobs}) or with a
 * fleet. What a job has collected is shown as far as it lies here.
 */
public interface Jobs extends AutoCloseable {

    /** Where jobs are, and on what terms they are crawled. */
    interface JobsSettings {

        /** Opens it; nothing is crawled before {@link Jobs#start}. */
        Jobs open(JobListener jobListener) throws IOException, ConfigException;

        /** The folder for everything that is written here. */
        Path data();

        boolean allowPrivate();

        /** The operator's settings for every job. */
        SettingValues settings();

        /** Which addresses jobs and their webhooks may be connected to. */
        default AddressPolicy addresses() throws ConfigException {
            return JobRules.addresses(settings(), allowPrivate());
        }
    }

    /** Is told of what happens to jobs, on whatever thread it happens: it must not be slow. */
    interface JobListener {

        /**
         * A job's state is about to change. Whoever follows the job's page log says how far it has
         * come, has the change noted down behind that line, and tells of it.
         */
        JobRecord onStateChange(JobId job, StateWriter stateWriter) throws IOException;

        /** Something was answered, and is committed. */
        void captured(JobId job, Capture capture);

        /** Lines were added to a job's page log. */
        void committed(JobId job);

        /** A job's files are about to be deleted. */
        void deleted(JobId job);

        /** Listens to the crawl of one job. */
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

    /** Writes a change of state down. */
    interface StateWriter {
        /** The change comes behind this line of the page log. */
        JobRecord write(long seq) throws IOException;
    }

    /** Takes up the jobs that were not at their end. Not before this is anything crawled. */
    void start();

    /** Every job, the newest first. */
    List<JobRecord> all();

    Optional<JobRecord> find(JobId id);

    /** The job that was sent under a key. */
    Optional<JobRecord> findByKey(String key);

    /** Takes a job in; it begins as soon as there is room. */
    JobRecord submit(JobRequest wish) throws ConfigException, IOException;

    /** Takes no new URLs of a job until it is resumed. */
    JobRecord pause(JobId id) throws IOException;

    /** Goes on with a job that is paused, or takes one up again that had ended. */
    JobRecord resume(JobId id) throws IOException;

    /** Ends a job; what is under way may finish. It can be resumed. */
    JobRecord stop(JobId id) throws IOException;

    /** Gives a job other settings; its crawl goes on under them once pages under way are done. */
    JobRecord change(JobId id, String settings, int weight) throws ConfigException, IOException;

    /** Ends a job at once and deletes everything of it that is here. */
    void delete(JobId id) throws IOException;

    /** Takes dead letters back; a job that had ended goes on with them. */
    long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException;

    /** Hands on every dead letter of a job. */
    void deadLetters(JobRecord job, Consumer<DeadLetter> out) throws ConfigException, IOException;

    /** Why a URL of a job is where it is; nothing when it is no URL that a crawl could have. */
    Optional<UrlExplanation> explain(JobRecord job, String asked)
            throws ConfigException, IOException;

    /** How a job's crawl stands, if it is running here. */
    Optional<CrawlStatus> status(JobId id);

    /** How the stores that follow a job's crawl stand, if it is running here. */
    List<SinkStatus> sinkStatus(JobId id);

    /** What all jobs have moved here since this was opened. */
    TransferStats usage();

    /** What was answered to the requests of a job. */
    default CrawlArchive contents(JobRecord job) throws ConfigException, IOException {
        return new CrawlDirectory(directory(job.id()), config(job)).contents();
    }

    /** A job's figures, running or not. */
    FrontierStats stats(JobId id);

    /** The figures of all jobs together. */
    FrontierStats stats();

    JobHosts hosts(JobId id, int max);

    /** How much of a job's page log is committed. */
    long committedLogBytes(JobId id);

    Path directory(JobId id);

    /** Every folder that has pages of a job, this one's first, as exports merge them. */
    List<Path> directories(JobId id);

    /** A job's settings as they count here. */
    CrawlConfig config(JobRecord job) throws ConfigException;

    /** The settings that crawls have here. */
    Settings table();

    default boolean isJobSetting(String setting) {
        return !JobRules.isOperatorSetting(setting, table());
    }

    int runningCrawls();

    /** The fleet that has the jobs; nothing where this process has them alone. */
    default Optional<FleetReport> fleet() {
        return Optional.empty();
    }

    /** Whether others work on the jobs too, so that some pages may lie elsewhere. */
    default boolean isShared() {
        return false;
    }

    /** Why nothing can be done with jobs just now, if that is so. */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /** Why no job can go on before the process is started again, if that is so. */
    default Optional<String> failure() {
        return Optional.empty();
    }

    /** Whether this process is the one to tell others that a job has ended. */
    default boolean claimNotification(JobRecord job) {
        return true;
    }

    /** Leaves off; every job goes on when it is opened again. */
    @Override
    void close() throws IOException;
}
