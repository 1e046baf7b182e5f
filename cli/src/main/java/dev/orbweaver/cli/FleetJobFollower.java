package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.fleet.FleetImport;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFullException;
import dev.orbweaver.fleet.redis.RedisUnavailableException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Submits a crawl to a fleet and follows it until it ends; Ctrl+C does not stop the job. */
final class FleetJobFollower {

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final int PRINT_EVERY = 10;

    private final Terminal terminal;
    private final boolean quiet;
    private final CountDownLatch detached = new CountDownLatch(1);

    FleetJobFollower(Terminal terminal, boolean quiet) {
        this.terminal = terminal;
        this.quiet = quiet;
    }

    /**
     * @param seedFiles lists that the workers read while they crawl
     * @param captures a directory whose lists are read before the crawl begins, because some of
     *     their URLs were visited; it has all lists but those that are files of the user
     */
    int run(
            CrawlConfig config,
            List<Fleet.SeedFile> seedFiles,
            Optional<Path> captures,
            FleetSettings settings)
            throws IOException, InterruptedException {
        requireNoFiles(config);
        try (var fleet = Fleet.open(settings)) {
            fleet.requireNoEviction();
            fleet.warnings().forEach(text -> terminal.warn(text));
            if (config.settingValues().has("allow-private")
                    || config.settingValues().has(Settings.ALLOW_ADDRESSES)) {
                terminal.printError(
                        "note: each worker decides whether private addresses are crawled"
                                + " (worker --allow-private, --allow-addresses)");
            }
            var job =
                    captures.isPresent()
                            ? importCaptures(fleet, config, seedFiles, captures.get(), settings)
                            : submit(fleet, config, seedFiles);
            print("submitted job %d; Ctrl+C detaches, the job continues".formatted(job.number()));
            if (fleet.workers().isEmpty()) {
                terminal.warn(
                        "the fleet has no workers; start one with '%s'"
                                .formatted(CommandHint.of("worker")));
            }
            Signals.onFirst(detached::countDown);
            return follow(fleet, job);
        }
    }

    private static JobId submit(Fleet fleet, CrawlConfig config, List<Fleet.SeedFile> seedFiles)
            throws IOException {
        var seeds = config.seeds().stream().map(seed -> seed.url().text()).toList();
        return fleet.submit(
                UUID.randomUUID().toString(),
                new Fleet.JobSpec(YamlFile.write(config.settingValues()), seeds, seedFiles, 1, ""),
                Instant.now());
    }

    /** Stores what was visited before workers see the job: they could find it by a link. */
    private static JobId importCaptures(
            Fleet fleet,
            CrawlConfig config,
            List<Fleet.SeedFile> seedFiles,
            Path lists,
            FleetSettings settings)
            throws IOException, InterruptedException {
        var once = UUID.randomUUID().toString();
        try (var _ = Logging.toDirectory(lists);
                var target = FleetImport.open(settings, config, lists, once)) {
            target.load(_ -> {});
            target.finish();
        }
        var job = fleet.findByIdempotencyKey(once).orElseThrow();
        for (var seedFile : seedFiles) {
            if (!seedFile.file().startsWith(lists)) {
                var _ = fleet.addSeeds(job, seedFile);
            }
        }
        return job;
    }

    /** Fails if a setting names a file on this machine, which workers cannot read. */
    static void requireNoFiles(CrawlConfig config) {
        if (config.excludeHosts().isPresent()) {
            throw new UsageException(
                    "--exclude-hosts cannot be used with --redis: the workers cannot read the"
                            + " file");
        }
        if (config.cookiesFile().isPresent()) {
            throw new UsageException(
                    "--cookies-file names a file, which the fleet's workers do not have");
        }
        if (!config.warc().dedupeWith().isEmpty()) {
            throw new UsageException(
                    "--dedupe-with cannot be used with --redis: the workers' WARC files would"
                            + " depend on another crawl's");
        }
        if (!config.warc().retention().equals(Retention.NONE)) {
            throw new UsageException(
                    "--retention cannot be used with --redis: a worker does not know which captures"
                            + " of other workers replace its own");
        }
        if (config.crawl().robots() instanceof RobotsPolicy.Custom) {
            throw new UsageException(
                    "--robots custom cannot be used with --redis: the workers cannot read the"
                            + " file");
        }
    }

    private int follow(Fleet fleet, JobId job) throws IOException, InterruptedException {
        var unavailable = false;
        var full = false;
        for (var second = 1;
                !detached.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                second++) {
            try {
                var end = poll(fleet, job, second % PRINT_EVERY == 0);
                if (end.isPresent()) {
                    return end.get().code();
                }
                full = warnIfFull(fleet, full);
                unavailable = false;
            } catch (RedisUnavailableException | FrontierUnavailableException e) {
                if (!unavailable) {
                    print(
                            "%s; waiting for Redis to follow job %d"
                                    .formatted(e.getMessage(), job.number()));
                }
                unavailable = true;
            }
        }
        print(
                "job %d continues; '%s' shows it, '%s' stops it"
                        .formatted(
                                job.number(),
                                CommandHint.of("fleet"),
                                CommandHint.of("fleet", "stop", job.number())));
        return ExitCode.COMPLETE.code();
    }

    /** Reports that Redis has become full; workers wait until it has free memory. */
    private boolean warnIfFull(Fleet fleet, boolean before) throws IOException {
        var full = fleet.isFull();
        if (full && !before) {
            print(RedisFullException.MESSAGE + "; workers wait until then");
        }
        return full;
    }

    private Optional<ExitCode> poll(Fleet fleet, JobId job, boolean due) throws IOException {
        var state = fleet.job(job).map(FleetJob::state);
        if (state.isEmpty()) {
            print("job %d was deleted".formatted(job.number()));
            return Optional.of(ExitCode.INTERRUPTED);
        }
        var ended = state.get() == FleetJob.State.FINISHED || state.get() == FleetJob.State.STOPPED;
        if (!ended && !due) {
            return Optional.empty();
        }
        var ledger = fleet.ledger(job, Instant.now());
        print(line(job, state.get(), ledger));
        return ended ? Optional.of(exitCode(state.get(), ledger)) : Optional.empty();
    }

    private static ExitCode exitCode(FleetJob.State state, Ledger ledger) {
        if (state == FleetJob.State.STOPPED) {
            return ExitCode.INTERRUPTED;
        }
        return ledger.pages() == 0 ? ExitCode.NOTHING : ExitCode.COMPLETE;
    }

    private static String line(JobId job, FleetJob.State state, Ledger ledger) {
        return "job %d %s: %,d pages, %,d queued, %,d claimed by workers, %,d failed, %,d refused"
                .formatted(
                        job.number(),
                        state.name().toLowerCase(Locale.ROOT),
                        ledger.pages(),
                        ledger.queued(),
                        ledger.leased(),
                        ledger.dead(),
                        ledger.refused() + ledger.withdrawn());
    }

    private void print(String text) {
        if (!quiet) {
            terminal.print(text);
            terminal.out().flush();
        }
    }
}
