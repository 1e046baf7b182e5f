package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.fleet.FleetJobs;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.server.CrawlServer;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code orbweaver serve}: jobs over HTTP, and the dashboard. */
record ServeCommand(Terminal terminal) implements Command {

    private static final String DATA = "--data";
    private static final String DATA_DEFAULT = "orbweaver-data";
    private static final String PORT = "--port";
    private static final String ADDRESS = "--address";
    private static final String TOKEN_FILE = "--token-file";
    private static final String ALLOW_PRIVATE = "--allow-private";
    private static final String WORKERS = "--workers";
    private static final String WORKERS_DEFAULT = "512";
    private static final String JOBS = "--jobs";
    private static final String JOBS_DEFAULT = "50";
    private static final String SET = "--set";
    private static final String WITH = "--with";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ServeCommand(terminal)
                        .describe(
                                "serve",
                                "Run many crawls at once, steered over HTTP, with a dashboard.",
                                "Without --token-file it listens on this machine only. Jobs are in"
                                        + " DIR/jobs/N, as crawls that export and query read; after"
                                        + " a restart they go on. With --redis the jobs are a"
                                        + " fleet's, and this process is one of its workers.",
                                "");
        spec.addOption(
                Options.text(DATA, "DIR", "the folder for everything; default: " + DATA_DEFAULT));
        spec.addOption(Options.text(PORT, "N", "the port; 0 for any free one; default: 8080"));
        spec.addOption(
                Options.text(
                        ADDRESS,
                        "ADDR",
                        "the address to listen on; any but loopback needs --token-file; default:"
                                + " 127.0.0.1"));
        spec.addOption(
                Options.text(
                        TOKEN_FILE,
                        "FILE",
                        "tokens that open it, one a line, each alone or behind a name"));
        spec.addOption(
                Options.toggle(
                        ALLOW_PRIVATE,
                        "let jobs crawl private addresses from here; never link-local addresses"
                                + " and metadata services of clouds"));
        spec.addOption(Options.of(Modules.SETTINGS.find(Settings.ALLOW_ADDRESSES).orElseThrow()));
        spec.addOption(
                Options.text(
                        WORKERS,
                        "N",
                        "requests at the same time, of all jobs; default: " + WORKERS_DEFAULT));
        spec.addOption(
                Options.text(
                        JOBS,
                        "N",
                        "jobs that are crawled at the same time, others wait; default: "
                                + JOBS_DEFAULT));
        spec.addOption(
                Options.list(
                        SET, "NAME=VALUE", "a setting for every job; may be given several times"));
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        WorkerOptions.addName(spec);
        WorkerOptions.addFleetOptions(spec);
        spec.addOption(
                Options.list(
                        WITH,
                        "DIR",
                        "the folder of another worker of the fleet, whose pages exports"
                                + " take in; may be given several times"));
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var data = Directories.parse(arguments.matchedOptionValue(DATA, DATA_DEFAULT));
        Files.createDirectories(data);
        var settingValues =
                new SettingValues(Modules.SETTINGS)
                        .putPairs(arguments.matchedOptionValue(SET, List.<String>of()));
        var workers =
                OpenFileLimit.ofThisProcess()
                        .allowedRequests(
                                number(arguments, WORKERS, WORKERS_DEFAULT, 1, 100_000), terminal);
        var jobs = number(arguments, JOBS, JOBS_DEFAULT, 1, 1_000);
        if (settingValues.has("allow-private")) {
            throw new UsageException("say --allow-private, not --set allow-private=...");
        }
        var ranges = CrawlCommand.allowAddresses(arguments);
        if (!ranges.isEmpty()) {
            settingValues.put(Settings.ALLOW_ADDRESSES, ranges);
        }
        var allowPrivate = arguments.hasMatchedOption(ALLOW_PRIVATE);
        var terms =
                FleetOptions.isGiven(arguments)
                        ? new FleetJobs.FleetJobsSettings(
                                WorkerOptions.settings(arguments, data),
                                data,
                                workers,
                                jobs,
                                allowPrivate,
                                settingValues,
                                otherDirectories(arguments))
                        : localJobs(arguments, data, workers, jobs, allowPrivate, settingValues);
        var base = CrawlServer.HttpSettings.onLoopback(number(arguments, PORT, "8080", 0, 65_535));
        var httpSettings =
                new CrawlServer.HttpSettings(
                        arguments.matchedOptionValue(ADDRESS, base.address()),
                        base.port(),
                        Optional.ofNullable(arguments.<String>matchedOptionValue(TOKEN_FILE, null))
                                .map(Path::of),
                        base.callsPerSecond(),
                        base.clientsMax(),
                        base.openJobsMax(),
                        base.heartbeatMillis());
        return serve(terms, httpSettings, arguments.hasMatchedOption(Options.QUIET));
    }

    private static Jobs.JobsSettings localJobs(
            ParseResult arguments,
            Path data,
            int workers,
            int jobs,
            boolean allowPrivate,
            SettingValues settingValues) {
        Stream.concat(Stream.of(WITH, FleetOptions.FLEET), WorkerOptions.fleetOnlyNames().stream())
                .filter(arguments::hasMatchedOption)
                .findFirst()
                .ifPresent(
                        option -> {
                            throw new UsageException(
                                    option + " means something only to a fleet: add --redis");
                        });
        return new LocalJobs.LocalJobsSettings(data, workers, jobs, allowPrivate, settingValues);
    }

    private static List<Path> otherDirectories(ParseResult arguments) {
        var directories = new ArrayList<Path>();
        for (var each : arguments.matchedOptionValue(WITH, List.<String>of())) {
            var directory = Directories.parse(each);
            if (!Files.isDirectory(directory)) {
                throw new UsageException("--with %s: there is no such folder".formatted(directory));
            }
            directories.add(directory);
        }
        return directories;
    }

    private int serve(Jobs.JobsSettings terms, CrawlServer.HttpSettings httpSettings, boolean quiet)
            throws ConfigException, IOException, InterruptedException {
        var stopped = new CountDownLatch(1);
        try (var _ = Logging.toDirectory(terms.data());
                var crawlServer = CrawlServer.start(terms, httpSettings)) {
            Signals.onFirst(
                    () -> {
                        terminal.printError(
                                "leaving: pages under way may finish, jobs go on at the"
                                        + " next start; once more ends at once");
                        stopped.countDown();
                    });
            crawlServer
                    .jobs()
                    .fleet()
                    .ifPresent(fleet -> fleet.warnings().forEach(text -> terminal.warn(text)));
            if (!quiet) {
                var host =
                        httpSettings.address().contains(":")
                                ? "[" + httpSettings.address() + "]"
                                : httpSettings.address();
                terminal.print(
                        "dashboard and API at http://%s:%d/, jobs in %s/; Ctrl+C stops"
                                .formatted(host, crawlServer.port(), terms.data()));
                terminal.out().flush();
            }
            reportProblems(crawlServer, stopped);
        }
        return ExitCode.COMPLETE.code();
    }

    /** Prints problems of the jobs until the service is stopped. */
    private void reportProblems(CrawlServer crawlServer, CountDownLatch stopped)
            throws InterruptedException {
        var before = Optional.<String>empty();
        while (!stopped.await(1, TimeUnit.SECONDS)) {
            var problem = crawlServer.jobs().problem();
            if (!problem.equals(before)) {
                problem.ifPresent(text -> terminal.printError("work pauses: " + text));
            }
            before = problem;
        }
    }

    private static int number(
            ParseResult arguments, String option, String fallback, int least, int most) {
        var text = arguments.matchedOptionValue(option, fallback);
        if (text.matches("\\d{1,9}")) {
            var number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new UsageException(
                "%s takes a number from %d to %d, not '%s'".formatted(option, least, most, text));
    }
}
