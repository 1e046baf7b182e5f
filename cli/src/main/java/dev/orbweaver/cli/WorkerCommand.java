package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.fleet.WorkerSettings;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code orbweaver worker --redis URL --data DIR}: joins a fleet. */
record WorkerCommand(Terminal terminal) implements Command {

    private static final String DATA = "--data";
    private static final String CONCURRENCY = "--concurrency";
    private static final String CONCURRENCY_DEFAULT = "512";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new WorkerCommand(terminal)
                        .describe(
                                "worker",
                                "Join a fleet and crawl its jobs until stopped.",
                                "Workers can join and leave at any time. Each needs its own"
                                        + " directory. Each job is a crawl in DIR/jobs/N, which"
                                        + " 'export' and 'query' can read.");
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                FleetOptions.redis(),
                FleetOptions.fleet(),
                Options.text(DATA, "DIR", "directory of this worker; required"),
                WorkerOptions.name(),
                WorkerOptions.concurrency(CONCURRENCY_DEFAULT),
                Options.quiet());
        groups.add(SettingGroup.NETWORK.heading(), WorkerOptions.privateAddresses());
        groups.add(SettingGroup.ADVANCED.heading(), WorkerOptions.fleetOptions());
        groups.add(SettingGroup.ADVANCED.heading(), ProcessMetrics.option());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        if (!arguments.hasMatchedOption(DATA)) {
            throw new UsageException("--data is missing: the directory of this worker");
        }
        var data = Directories.parse(arguments.matchedOptionValue(DATA, ""));
        Directories.create(data);
        Environment.warnOfUnknown(arguments, new SettingValues(), terminal);
        var workerSettings =
                new WorkerSettings(
                        WorkerOptions.settings(arguments, data),
                        data,
                        OpenFileLimit.ofThisProcess()
                                .allowedRequests(concurrency(arguments), terminal),
                        Environment.allowsPrivate(arguments),
                        Environment.allowedAddresses(arguments),
                        Modules.SETTINGS);
        try (var _ = Logging.toDirectory(data);
                var figures = ProcessMetrics.fromOptions(arguments).start();
                var worker = FleetWorker.join(workerSettings)) {
            if (figures != null) {
                figures.watch(
                        () -> List.copyOf(worker.status().values()),
                        worker::hosts,
                        List::of,
                        worker::usage);
            }
            worker.warnings().forEach(text -> terminal.warn(text));
            Signals.onFirst(
                    () -> {
                        terminal.printError(
                                "stopping: requests in flight may finish; a second signal stops"
                                        + " at once");
                        worker.stop();
                    });
            return work(worker, data, arguments.hasMatchedOption(Options.QUIET));
        }
    }

    private int work(FleetWorker worker, Path data, boolean quiet) throws InterruptedException {
        if (quiet) {
            worker.run();
            return ExitCode.COMPLETE.code();
        }
        terminal.print("worker " + worker.name() + " joined the fleet; output in " + data);
        try (var _ = WorkerProgress.start(terminal, worker)) {
            worker.run();
        }
        terminal.print("worker " + worker.name() + " left the fleet");
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static int concurrency(ParseResult arguments) {
        var text = Environment.text(arguments, CONCURRENCY, CONCURRENCY_DEFAULT);
        try {
            var count = Integer.parseInt(text);
            if (count >= 1) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new UsageException(
                "%s: expected a number, 1 or more, not '%s'"
                        .formatted(Environment.source(arguments, CONCURRENCY), text));
    }
}
