package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.model.JobId;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** {@code orbweaver fleet}: shows a fleet and its jobs. */
record FleetCommand(Terminal terminal) implements Command {

    private static final String SELF = "observer";
    private static final String ONCE = "--once";
    private static final Duration REFRESH_INTERVAL = Duration.ofSeconds(1);

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new FleetCommand(terminal)
                        .describe(
                                "fleet",
                                "Show a fleet: workers, jobs, hosts and memory.",
                                "The subcommands control its jobs.");
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(
                Options.toggle(
                        ONCE,
                        "print once; otherwise a terminal is updated every second until q is"
                                + " pressed"));
        spec.usageMessage().commandListHeading("%nCommands:%n");
        for (var jobAction : JobAction.values()) {
            spec.addSubcommand(jobAction.id(), JobActionCommand.spec(jobAction, terminal));
        }
        spec.addSubcommand("seed", FleetSeedCommand.spec(terminal));
        spec.addSubcommand("why", FleetWhyCommand.spec(terminal));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var settings = FleetOptions.settings(arguments, SELF);
        try (var fleet = Fleet.open(settings)) {
            fleet.warnings().forEach(text -> terminal.warn(text));
            if (terminal.interactive() && !arguments.hasMatchedOption(ONCE)) {
                watch(fleet, settings.fleet());
            } else {
                print(fleet);
            }
        }
        return ExitCode.COMPLETE.code();
    }

    private void watch(Fleet fleet, String name) throws IOException, InterruptedException {
        var left = new CountDownLatch(1);
        Signals.onFirst(left::countDown);
        try (var _ =
                KeyReader.start(
                        terminal,
                        key -> {
                            if (key == 'q' || key == 'Q') {
                                left.countDown();
                            }
                        })) {
            new FleetMonitor(
                            new Screen(terminal),
                            new FleetView(name, terminal::columns),
                            now -> FleetSample.of(fleet, now),
                            InstantSource.system(),
                            REFRESH_INTERVAL)
                    .run(left);
        }
    }

    private void print(Fleet fleet) throws IOException {
        var now = Instant.now();
        var out = terminal.out();
        out.println("Workers");
        for (var worker : fleet.workers()) {
            out.println(
                    "  %-28s %s, last heartbeat %s ago"
                            .formatted(
                                    worker.name(),
                                    worker.activity(),
                                    Numbers.shortDuration(between(worker.lastSeen(), now))));
        }
        out.println("Jobs");
        var ledgers = fleet.ledgers(now);
        var blocked = fleet.fleetStats(now).blocked();
        for (var fleetJob : fleet.jobs()) {
            var ledger = ledgers.get(fleetJob.id());
            out.println(
                    "  %-4d %-9s %s"
                            .formatted(
                                    fleetJob.id().number(),
                                    fleetJob.state().name().toLowerCase(Locale.ROOT),
                                    fleetJob.seeds().isEmpty() ? "" : fleetJob.seeds().getFirst()));
            if (ledger != null) {
                out.println(
                        "       %,d pages, %,d queued, %,d claimed by workers, %,d failed, %,d refused"
                                .formatted(
                                        ledger.pages(),
                                        ledger.queued(),
                                        ledger.leased(),
                                        ledger.dead(),
                                        ledger.refused() + ledger.withdrawn()));
            }
            Optional.ofNullable(blocked.get(fleetJob.id()))
                    .ifPresent(host -> out.println("       " + Numbers.blocked(host)));
        }
        var hosts = fleet.hosts(now);
        out.println(
                "Hosts  %,d ready, %,d waiting, %,d busy, %,d resting, %,d idle"
                        .formatted(
                                hosts.ready(),
                                hosts.waiting(),
                                hosts.busy(),
                                hosts.resting(),
                                hosts.idle()));
        out.println("Redis  " + Numbers.bytes(fleet.memoryUsed()));
        out.flush();
    }

    private static Duration between(Instant from, Instant to) {
        var time = Duration.between(from, to);
        return time.isNegative() ? Duration.ZERO : time;
    }

    private enum JobAction {
        PAUSE("Pause a job: no new requests until it is resumed."),
        RESUME("Resume a paused job."),
        STOP("Stop a job; its pages stay in the workers' directories."),
        DELETE("Delete a job that has ended: its queues, seen set and counts.");

        private final String help;

        JobAction(String help) {
            this.help = help;
        }

        private String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** {@code orbweaver fleet pause|resume|stop|delete JOB}. */
    private record JobActionCommand(JobAction jobAction, Terminal terminal) implements Command {

        static CommandSpec spec(JobAction jobAction, Terminal terminal) {
            var spec =
                    new JobActionCommand(jobAction, terminal)
                            .describe(jobAction.id(), jobAction.help);
            spec.addPositional(FleetOptions.job());
            spec.addOption(FleetOptions.redis());
            spec.addOption(FleetOptions.fleet());
            return spec;
        }

        @Override
        public int execute(ParseResult arguments) throws ConfigException, IOException {
            var settings = FleetOptions.settings(arguments, SELF);
            var job = FleetOptions.job(arguments);
            try (var fleet = Fleet.open(settings)) {
                var before =
                        fleet.job(job)
                                .map(FleetJob::state)
                                .orElseThrow(
                                        () ->
                                                new UsageException(
                                                        "no job %d; '%s' lists the jobs"
                                                                .formatted(
                                                                        job.number(),
                                                                        CommandHint.of("fleet"))));
                if (!apply(fleet, settings, job)) {
                    throw new UsageException(
                            "job %d is %s, so '%s' is not possible"
                                    .formatted(
                                            job.number(),
                                            before.name().toLowerCase(Locale.ROOT),
                                            jobAction.id()));
                }
            }
            terminal.print("job " + job.number() + ": " + doneMessage());
            terminal.out().flush();
            return ExitCode.COMPLETE.code();
        }

        private boolean apply(Fleet fleet, FleetSettings settings, JobId job) throws IOException {
            return switch (jobAction) {
                case PAUSE -> fleet.pause(job);
                case RESUME -> fleet.resume(job);
                case STOP -> fleet.stop(job);
                case DELETE -> {
                    if (!fleet.mayBeDeleted(job)) {
                        yield false;
                    }
                    fleet.rejectUpdates(job);
                    // This time changes no due time.
                    var now = Instant.EPOCH;
                    try (var frontier = RedisFrontier.open(settings, Politeness.DEFAULT, now)) {
                        frontier.deleteJob(job, now).requireStored();
                    }
                    yield fleet.delete(job); // Last, so that a failed deletion can be repeated.
                }
            };
        }

        private String doneMessage() {
            return switch (jobAction) {
                case PAUSE -> "paused; requests in flight finish";
                case RESUME -> "resumed";
                case STOP -> "stopped";
                case DELETE -> "deleted; files in the workers' directories stay";
            };
        }
    }
}
