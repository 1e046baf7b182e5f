package dev.orbweaver.cli;

import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.RobotsPolicy;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.Job;
import dev.orbweaver.frontier.redis.RedisAwayException;
import dev.orbweaver.frontier.redis.RedisFullException;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Gives a crawl to a fleet and looks on until it ends; whoever leaves does not end it. */
final class FleetFollow {

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final int LINE_EVERY = 10;

    private final Terminal terminal;
    private final boolean quiet;
    private final CountDownLatch detached = new CountDownLatch(1);

    FleetFollow(Terminal terminal, boolean quiet) {
        this.terminal = terminal;
        this.quiet = quiet;
    }

    int run(CrawlConfig config, FleetSettings settings) throws IOException, InterruptedException {
        requireNoFiles(config);
        try (var fleet = Fleet.open(settings)) {
            fleet.requireNoEviction();
            fleet.warnings().forEach(text -> terminal.err().println("warning: " + text));
            if (config.values().has("allow-private")
                    || config.values().has(Settings.ALLOW_ADDRESSES)) {
                terminal.err()
                        .println(
                                "note: whether private addresses are crawled is for each worker to"
                                        + " say (worker --allow-private, --allow-addresses)");
            }
            var seeds = config.seeds().stream().map(seed -> seed.url().text()).toList();
            var job =
                    fleet.submit(
                            UUID.randomUUID().toString(),
                            YamlFile.write(config.values()),
                            seeds,
                            Instant.now());
            say("job %d is with the fleet; Ctrl+C leaves it there".formatted(job.number()));
            if (fleet.workers().isEmpty()) {
                terminal.err()
                        .println("warning: no worker is there yet; start one by orbweaver worker");
            }
            Signals.first(detached::countDown);
            return follow(fleet, job);
        }
    }

    /** What lies on this machine is not there for the workers. */
    private static void requireNoFiles(CrawlConfig config) {
        if (config.excludeHosts().isPresent()) {
            throw new UsageException(
                    "--exclude-hosts names a file, which the fleet's workers do not have");
        }
        if (config.crawl().robots() instanceof RobotsPolicy.Custom) {
            throw new UsageException(
                    "--robots custom names a file, which the fleet's workers do not have");
        }
    }

    private int follow(Fleet fleet, JobId job) throws IOException, InterruptedException {
        var away = false;
        var full = false;
        for (var second = 1; !detached.await(EVERY.toMillis(), TimeUnit.MILLISECONDS); second++) {
            try {
                var end = look(fleet, job, second % LINE_EVERY == 0);
                if (end.isPresent()) {
                    return end.get().code();
                }
                full = full(fleet, full);
                away = false;
            } catch (RedisAwayException | FrontierBlockedException e) {
                if (!away) {
                    say(
                            "%s; job %d is followed when it is back"
                                    .formatted(e.getMessage(), job.number()));
                }
                away = true;
            }
        }
        say(
                "job %d goes on; orbweaver fleet shows it, orbweaver fleet stop %d ends it"
                        .formatted(job.number(), job.number()));
        return ExitCode.COMPLETE.code();
    }

    /** Says it when Redis has become full: work pauses until it has room. */
    private boolean full(Fleet fleet, boolean before) throws IOException {
        var full = fleet.isFull();
        if (full && !before) {
            say(RedisFullException.MESSAGE + "; work pauses until then");
        }
        return full;
    }

    /** Says how a job stands, if that is due or it has ended; how it has ended is returned. */
    private Optional<ExitCode> look(Fleet fleet, JobId job, boolean due) throws IOException {
        var state = fleet.job(job).map(Job::state);
        if (state.isEmpty()) {
            say("job %d was deleted".formatted(job.number()));
            return Optional.of(ExitCode.INTERRUPTED);
        }
        var ended = state.get() == Job.State.FINISHED || state.get() == Job.State.STOPPED;
        if (!ended && !due) {
            return Optional.empty();
        }
        var ledger = fleet.ledger(job, Instant.now());
        say(line(job, state.get(), ledger));
        return ended ? Optional.of(exitCode(state.get(), ledger)) : Optional.empty();
    }

    private static ExitCode exitCode(Job.State state, Ledger ledger) {
        if (state == Job.State.STOPPED) {
            return ExitCode.INTERRUPTED;
        }
        return ledger.pages() == 0 ? ExitCode.NOTHING : ExitCode.COMPLETE;
    }

    private static String line(JobId job, Job.State state, Ledger ledger) {
        return "job %d %s: %,d pages, %,d waiting, %,d with workers, %,d failed, %,d refused"
                .formatted(
                        job.number(),
                        state.name().toLowerCase(Locale.ROOT),
                        ledger.pages(),
                        ledger.queued(),
                        ledger.leased(),
                        ledger.dead(),
                        ledger.refused() + ledger.withdrawn());
    }

    private void say(String text) {
        if (!quiet) {
            terminal.out().println(text);
            terminal.out().flush();
        }
    }
}
