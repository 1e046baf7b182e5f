package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.FleetJobs;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.JobLabels;
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
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code orbweaver serve}: runs jobs with a REST API and a dashboard. */
record ServeCommand(Terminal terminal) implements Command {

    private static final String DATA = "--data";
    private static final String DATA_DEFAULT = "orbweaver-data";
    private static final String PORT = "--port";
    private static final String ADDRESS = "--address";
    private static final String TOKEN_FILE = "--token-file";
    private static final String ALLOW_PRIVATE = "--allow-private";
    private static final String CONCURRENCY = "--concurrency";
    private static final String CONCURRENCY_DEFAULT = "512";
    private static final String JOBS = "--max-jobs";
    private static final String JOBS_DEFAULT = "50";
    private static final String KEEP_DAYS = "--keep-days";
    private static final String KEEP_RUNS = "--keep-runs";
    private static final String SET = "--set";
    private static final String INDEXNOW = "--indexnow";
    private static final Set<String> OPTIONS = Set.of(CONCURRENCY, ALLOW_PRIVATE);
    private static final String WORKER_DIR = "--worker-dir";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ServeCommand(terminal)
                        .describe(
                                "serve",
                                "Run crawl jobs as a service with a REST API and a dashboard.",
                                "Listens on this machine only, unless --address and --token-file"
                                        + " are given. Each job is a crawl in DIR/jobs/N, which"
                                        + " 'export' and 'query' can read; jobs continue after a"
                                        + " restart. With --redis the jobs are those of a fleet,"
                                        + " and this process is one of its workers.");
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(DATA, "DIR", "directory for all jobs (default: " + DATA_DEFAULT + ")"),
                Options.text(PORT, "N", "port to listen on; 0: any free port (default: 8080)"),
                Options.text(
                        ADDRESS,
                        "ADDR",
                        "address to listen on; other than loopback it needs --token-file"
                                + " (default: 127.0.0.1)"),
                Options.text(
                        TOKEN_FILE,
                        "FILE",
                        "file with one access token per line, of at least 16 characters, optionally"
                                + " after the name of its owner"),
                Options.text(
                        JOBS,
                        "N",
                        "run at most N jobs at the same time; others wait (default: "
                                + JOBS_DEFAULT
                                + ")"),
                WorkerOptions.concurrency(CONCURRENCY_DEFAULT),
                Options.text(
                        KEEP_DAYS,
                        "N",
                        "delete jobs N days after their end, unless --keep-runs keeps them or the"
                                + " job has a rule of its own (default: never)"),
                Options.text(
                        KEEP_RUNS,
                        "N",
                        "delete jobs of a schedule or template, and clones, after N newer ones have"
                                + " ended, unless --keep-days keeps them (default: never)"),
                Options.toggle(
                        INDEXNOW,
                        "accept changed URLs that sites announce with IndexNow, at /indexnow, for"
                                + " hosts of jobs"),
                Options.list(
                        SET,
                        "NAME=VALUE",
                        "default for all jobs, such as contact=me@example.com; for limits also"
                                + " the most a job may ask; repeatable"),
                Options.quiet());
        groups.add(SettingGroup.NETWORK.heading(), WorkerOptions.privateAddresses());
        groups.add("Fleet", FleetOptions.redis(), FleetOptions.fleet(), WorkerOptions.name());
        groups.add("Fleet", WorkerOptions.fleetOptions());
        groups.add(
                "Fleet",
                Options.list(
                        WORKER_DIR,
                        "DIR",
                        "directory of another worker of the fleet (its --data), whose pages"
                                + " exports include; repeatable"));
        groups.footer(
                "An environment variable such as ORBWEAVER_CONTACT is the option of that name,",
                "or else --set; lists have one value per line. Options and --set override it.");
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var data = Directories.parse(arguments.matchedOptionValue(DATA, DATA_DEFAULT));
        Directories.create(data);
        var settingValues = settings(arguments);
        Environment.warnOfUnknown(arguments, settingValues, terminal);
        var concurrency =
                OpenFileLimit.ofThisProcess()
                        .allowedRequests(
                                number(arguments, CONCURRENCY, CONCURRENCY_DEFAULT, 1, 100_000),
                                terminal);
        var jobs = number(arguments, JOBS, JOBS_DEFAULT, 1, 1_000);
        var allowPrivate = Environment.allowsPrivate(arguments);
        var terms =
                FleetOptions.isGiven(arguments)
                        ? new FleetJobs.FleetJobsSettings(
                                WorkerOptions.settings(arguments, data),
                                data,
                                concurrency,
                                jobs,
                                allowPrivate,
                                settingValues,
                                otherDirectories(arguments))
                        : localJobs(
                                arguments, data, concurrency, jobs, allowPrivate, settingValues);
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
                        base.heartbeatMillis(),
                        arguments.hasMatchedOption(INDEXNOW),
                        new JobLabels.Keep(keep(arguments, KEEP_DAYS), keep(arguments, KEEP_RUNS)));
        return serve(terms, httpSettings, arguments.hasMatchedOption(Options.QUIET));
    }

    private static Jobs.JobsSettings localJobs(
            ParseResult arguments,
            Path data,
            int concurrency,
            int jobs,
            boolean allowPrivate,
            SettingValues settingValues) {
        Stream.concat(
                        Stream.of(WORKER_DIR, FleetOptions.FLEET),
                        WorkerOptions.fleetOnlyNames().stream())
                .filter(arguments::hasMatchedOption)
                .findFirst()
                .ifPresent(
                        option -> {
                            throw new UsageException(
                                    option + " needs --redis: it applies to fleets only");
                        });
        return new LocalJobs.LocalJobsSettings(
                data, concurrency, jobs, allowPrivate, settingValues);
    }

    /**
     * Returns the settings for all jobs. A variable of the same name as an option of this command
     * is that option.
     */
    private static SettingValues settings(ParseResult arguments) throws ConfigException {
        var given =
                new SettingValues(Modules.SETTINGS)
                        .putPairs(arguments.matchedOptionValue(SET, List.<String>of()));
        if (given.has("allow-private")) {
            throw new UsageException("use --allow-private instead of --set allow-private=...");
        }
        var settingValues =
                Environment.settings().filter(key -> !OPTIONS.contains("--" + key)).putAll(given);
        if (arguments.hasMatchedOption("--" + Settings.ALLOW_ADDRESSES)) {
            settingValues.put(Settings.ALLOW_ADDRESSES, Environment.allowedAddresses(arguments));
        }
        return settingValues;
    }

    private static List<Path> otherDirectories(ParseResult arguments) {
        var directories = new ArrayList<Path>();
        for (var each : arguments.matchedOptionValue(WORKER_DIR, List.<String>of())) {
            var directory = Directories.parse(each);
            if (!Files.isDirectory(directory)) {
                throw new UsageException(
                        "%s: no such directory: %s".formatted(WORKER_DIR, directory));
            }
            directories.add(directory);
        }
        return directories;
    }

    private int serve(Jobs.JobsSettings terms, CrawlServer.HttpSettings httpSettings, boolean quiet)
            throws ConfigException, IOException, InterruptedException {
        var stopped = new CountDownLatch(1);
        try (var _ = Logging.toDirectory(terms.data());
                var crawlServer =
                        CrawlServer.start(
                                terms, httpSettings, Optional.of(new ServiceSiteMaps()))) {
            Signals.onFirst(
                    () -> {
                        terminal.printError(
                                "stopping: requests in flight may finish, jobs continue at the"
                                        + " next start; a second signal stops at once");
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
                problem.ifPresent(text -> terminal.printError("waiting: " + text));
            }
            before = problem;
        }
    }

    private static Optional<Integer> keep(ParseResult arguments, String option) {
        return arguments.hasMatchedOption(option)
                ? Optional.of(number(arguments, option, "", 1, 10_000))
                : Optional.empty();
    }

    private static int number(
            ParseResult arguments, String option, String fallback, int min, int max) {
        var text = Environment.text(arguments, option, fallback);
        if (text.matches("\\d{1,9}")) {
            var number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw new UsageException(
                "%s: expected a number from %d to %d, not '%s'"
                        .formatted(Environment.source(arguments, option), min, max, text));
    }
}
