package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.RevisitPlans;
import dev.orbweaver.internal.explain.UrlExplainer;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.HostPoliteness;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Explains the state of a URL of a fleet job. Redis has its state; the attempts and its discovery
 * are in the workers' logs, as far as their directories can be read from here.
 */
public final class FleetUrlExplainer {

    private static final UrlExplanation.Parent UNREAD_PARENT =
            new UrlExplanation.Parent("a page of a worker whose log was not read", 0, "found", "");

    private final FleetSettings fleet;
    private final JobId job;
    private final List<Path> directories;
    private final Settings table;

    /**
     * @param directories of workers, each the {@code --data} directory of a worker or the job's
     *     directory in it
     */
    public FleetUrlExplainer(
            FleetSettings fleet, JobId job, List<Path> directories, Settings table) {
        this.table = table;
        this.fleet = fleet;
        this.job = job;
        this.directories = List.copyOf(directories);
    }

    /**
     * Explains a URL.
     *
     * @param text the URL as the user wrote it
     * @return empty if it is not a URL that can be crawled
     */
    public Optional<UrlExplanation> explain(String text) throws IOException, ConfigException {
        var config = config();
        var logSources = logs();
        // A time that does not change the fleet's clock.
        var frontierTime = Instant.EPOCH;
        try (var frontier = RedisFrontier.open(fleet, config.politeness(), frontierTime)) {
            return explain(frontier, config, logSources, text);
        }
    }

    /** Explains a URL for a caller that is a worker of the fleet. */
    Optional<UrlExplanation> explain(
            RedisFrontier frontier,
            CrawlConfig config,
            List<UrlExplainer.LogSource> logSources,
            String text)
            throws IOException {
        var urls = config.withKey(frontier.fingerprintKey()).urls();
        var url = Seed.read(text, urls).map(Seed::url);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        var refused = frontier.stats(job).refusedByReason();
        var where = frontier.lookUp(job, url.get(), refused);
        var politeness =
                frontier.isAttached(job)
                        ? frontier.politeness(job, url.get().host())
                        : HostPoliteness.of(config.politeness(), url.get().host());
        var urlExplainer =
                new UrlExplainer(
                        config.crawl(),
                        urls,
                        new RuleScope(config.scope(), new HashSet<>(where.seeds())),
                        politeness,
                        where,
                        new RealDisk(),
                        logSources,
                        HostSet.NONE,
                        config.intake(),
                        url.get(),
                        _ -> Optional.empty());
        var next = nextVisit(frontier, config, url.get());
        return Optional.of(urlExplainer.explain(text, Instant.now()))
                .map(
                        urlExplanation ->
                                isOnOtherWorker(where, urlExplanation)
                                        ? settledElsewhere(urlExplanation)
                                        : urlExplanation)
                .map(
                        urlExplanation ->
                                next.map(urlExplanation::withNextVisit).orElse(urlExplanation));
    }

    private Optional<UrlExplanation.NextVisit> nextVisit(
            RedisFrontier frontier, CrawlConfig config, CrawlUrl url) throws IOException {
        return config.revisit().isContinuous()
                ? frontier.explainRevisit(
                                job, url, RevisitPlans.settings(config.revisit()), Instant.now())
                        .map(page -> RevisitPlans.nextVisit(page, config.revisit()))
                : Optional.empty();
    }

    /** Returns whether the URL is settled, but by none of the workers whose logs were read. */
    private static boolean isOnOtherWorker(UrlLookup where, UrlExplanation urlExplanation) {
        return where.state() instanceof UrlState.Settled && urlExplanation.attempts().isEmpty();
    }

    private static UrlExplanation settledElsewhere(UrlExplanation urlExplanation) {
        return new UrlExplanation(
                urlExplanation.url(),
                urlExplanation.normalForm(),
                urlExplanation.steps(),
                UrlExplanation.State.DONE,
                "it is settled; its result is in the log of a worker that was not read",
                urlExplanation.parent().or(() -> Optional.of(UNREAD_PARENT)),
                urlExplanation.depth(),
                urlExplanation.scope(),
                urlExplanation.inScope(),
                urlExplanation.robots().onOtherWorkers(),
                urlExplanation.queue(),
                urlExplanation.foreignSettings(),
                urlExplanation.attempts(),
                urlExplanation.nextVisit());
    }

    private CrawlConfig config() throws IOException, ConfigException {
        try (var all = Fleet.open(fleet)) {
            var found = all.job(job).orElseThrow(() -> new NoSuchJobException(job));
            var what = "the settings of job " + job.number();
            return CrawlConfig.read(YamlFile.parse(found.settings(), what, table));
        }
    }

    List<UrlExplainer.LogSource> logs() throws IOException {
        var logSources = new ArrayList<UrlExplainer.LogSource>();
        for (var given : directories) {
            var within =
                    given.resolve(DirectoryLayout.JOBS).resolve(Integer.toString(job.number()));
            var directory = Files.isDirectory(within) ? within : given;
            var part =
                    FleetPart.read(directory)
                            .filter(it -> it.job().equals(fleet.fleet() + "/" + job.number()))
                            .orElseThrow(
                                    () ->
                                            new IOException(
                                                    "%s is not a worker's directory with files of job"
                                                                    .formatted(given)
                                                            + " "
                                                            + job.number()
                                                            + ": pass the worker's --data"
                                                            + " directory"));
            logSources.add(
                    UrlExplainer.LogSource.of(
                            directory,
                            part.number(),
                            CommittedLengthsFile.read(new RealDisk(), directory)));
        }
        return logSources;
    }
}
