package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Settings;
import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.fleet.WorkerSettings;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code orbweaver worker --redis URL --data DIR}: joins a fleet. */
record WorkerCommand(Terminal terminal) implements Command {

    private static final String DATA = "--data";
    private static final String WORKERS = "--workers";
    private static final String ALLOW_PRIVATE = "--allow-private";
    private static final String WORKERS_DEFAULT = "512";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new WorkerCommand(terminal)
                        .describe(
                                "worker",
                                "Join a fleet and work on its jobs until stopped.",
                                "Workers may come and go at any time. Each needs a folder of its"
                                        + " own; jobs are in DIR/jobs/N, as crawls that export and"
                                        + " query read.",
                                "");
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(Options.text(DATA, "DIR", "the folder for everything this worker writes"));
        WorkerOptions.addName(spec);
        spec.addOption(
                Options.text(
                        WORKERS,
                        "N",
                        "requests at the same time, of all jobs; default: " + WORKERS_DEFAULT));
        WorkerOptions.addFleetOptions(spec);
        spec.addOption(
                Options.toggle(
                        ALLOW_PRIVATE,
                        "let jobs crawl private addresses from here; never link-local addresses"
                                + " and metadata services of clouds"));
        spec.addOption(Options.of(Modules.SETTINGS.find(Settings.ALLOW_ADDRESSES).orElseThrow()));
        spec.addOption(ProcessMetrics.option());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        if (!arguments.hasMatchedOption(DATA)) {
            throw new UsageException("--data is missing: name a folder for this worker");
        }
        var data = Directories.parse(arguments.matchedOptionValue(DATA, ""));
        Files.createDirectories(data);
        var workerSettings =
                new WorkerSettings(
                        WorkerOptions.settings(arguments, data),
                        data,
                        OpenFileLimit.ofThisProcess().allowedRequests(workers(arguments), terminal),
                        arguments.hasMatchedOption(ALLOW_PRIVATE),
                        CrawlCommand.allowAddresses(arguments),
                        Modules.SETTINGS);
        try (var _ = Logging.toDirectory(data);
                var figures = ProcessMetrics.fromOptions(arguments).start();
                var worker = FleetWorker.join(workerSettings)) {
            if (figures != null) {
                figures.watch(() -> List.copyOf(worker.status().values()), List::of, worker::usage);
            }
            worker.warnings().forEach(text -> terminal.warn(text));
            Signals.onFirst(
                    () -> {
                        terminal.printError(
                                "leaving: pages under way may finish; once more ends at" + " once");
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
        terminal.print("worker " + worker.name() + " joins the fleet, writing into " + data);
        try (var _ = WorkerProgress.start(terminal, worker)) {
            worker.run();
        }
        terminal.print("worker " + worker.name() + " leaves the fleet");
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static int workers(ParseResult arguments) {
        var text = arguments.matchedOptionValue(WORKERS, WORKERS_DEFAULT);
        try {
            var count = Integer.parseInt(text);
            if (count >= 1) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException("--workers must be a number from 1 on, not '" + text + "'");
    }
}
