package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.internal.config.CookiesFile;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.model.CrawlEnd;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The operator's settings of a worker, for every job.
 *
 * @param concurrency maximum concurrent requests, of all jobs together
 * @param allowPrivate whether private addresses may be requested
 * @param allowAddresses address ranges that may be requested in any case
 */
public record WorkerSettings(
        FleetSettings fleet,
        Path data,
        int concurrency,
        boolean allowPrivate,
        List<String> allowAddresses,
        Settings table) {

    private static final String MAX_TIME = "max-time";

    public WorkerSettings(FleetSettings fleet, Path data, int concurrency, boolean allowPrivate) {
        this(fleet, data, concurrency, allowPrivate, List.of(), Settings.CORE);
    }

    public WorkerSettings {
        allowAddresses = List.copyOf(allowAddresses);
    }

    /**
     * Returns a job's settings on this worker: the operator's settings replace those of the job.
     */
    CrawlConfig config(FleetJob job) throws ConfigException {
        var values =
                YamlFile.parse(job.settings(), "the settings of job " + job.id().number(), table)
                        .put("allow-private", Boolean.toString(allowPrivate))
                        .put(Settings.ALLOW_ADDRESSES, allowAddresses)
                        .put(Settings.ALLOW_ORIGINS, List.of()); // These are the client's seeds.
        for (var extension : table.extensions()) {
            extension.separate(values, fleet.worker());
        }
        var config = CrawlConfig.read(values);
        if (config.cookiesFile().isPresent()) {
            // A job must not make a worker read a file of the worker's machine.
            throw new ConfigException(
                    CookiesFile.KEY,
                    "cookies-file names a file, which the fleet's workers do not have");
        }
        if (!config.warc().dedupeWith().isEmpty()) {
            throw new ConfigException(
                    Settings.DEDUPE_WITH,
                    "dedupe-with cannot be used in a fleet: the workers' WARC files would depend on"
                            + " another crawl's");
        }
        requireNoRetention(config);
        return config;
    }

    static void requireNoRetention(CrawlConfig config) throws ConfigException {
        if (!config.warc().retention().equals(Retention.NONE)) {
            throw new ConfigException(
                    Retention.KEY,
                    "retention cannot be used in a fleet: a worker does not know which captures of"
                            + " other workers replace its own");
        }
    }

    /** Returns the settings with the rest of the time limit, which counts from the job's start. */
    CrawlConfig configAt(FleetJob job, Instant now) throws ConfigException {
        var config = config(job);
        var since =
                job.stateDetail().stateSince().filter(_ -> job.state() == FleetJob.State.RUNNING);
        if (since.isEmpty() || config.settingValues().last(MAX_TIME).isEmpty()) {
            return config;
        }
        var left = config.crawl().limits().time().minus(Duration.between(since.get(), now));
        return config.withSetting(MAX_TIME, Math.max(1, left.toMillis()) + "ms");
    }

    /** Returns the end with the time limit of the job; the crawl here had what was left of it. */
    CrawlEnd endOfJob(FleetJob job, CrawlEnd end) throws ConfigException {
        return end.reason() == CrawlEnd.Reason.MAX_TIME
                ? new CrawlEnd(end.reason(), config(job).crawl().limits().time().toSeconds() + " s")
                : end;
    }
}
