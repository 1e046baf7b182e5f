package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.imports.crawls.CrawlImport;
import dev.orbweaver.imports.crawls.CrawlImporter;
import dev.orbweaver.imports.crawls.DryRun;
import dev.orbweaver.imports.crawls.ImportDestination;
import dev.orbweaver.imports.crawls.ImportReport;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** {@code orbweaver import}: what its subcommands share. */
final class ImportCommand {

    private static final String DRY_RUN = "--dry-run";
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

    private final Terminal terminal;
    private final ParseResult arguments;

    ImportCommand(Terminal terminal, ParseResult arguments) {
        this.terminal = terminal;
        this.arguments = arguments;
    }

    static CommandSpec spec(Terminal terminal) {
        var spec = CommandSpec.create().name("import");
        spec.addOption(Options.help());
        var _ = new OptionGroups(spec);
        spec.usageMessage()
                .description("Bring the crawl of another program over; continue it with 'resume'.")
                .commandListHeading("%nCommands:%n");
        spec.addSubcommand("postgres", ImportPostgresCommand.spec(terminal));
        spec.addSubcommand("scrapy", ImportFilesCommand.scrapy(terminal));
        spec.addSubcommand("heritrix", ImportFilesCommand.heritrix(terminal));
        return spec;
    }

    static void addShared(CommandSpec spec) {
        spec.addOption(
                Options.text(
                        Options.OUT,
                        "DIR",
                        "directory of the new crawl, or with --redis of the import's lists; run"
                                + " again with the same DIR, it continues an interrupted import"));
        spec.addOption(
                Options.toggle(
                        DRY_RUN,
                        "print counts, some rejected rows and the space needed, and write"
                                + " nothing"));
        spec.addOption(
                Options.text("--config", "FILE", "read settings of the crawl from a YAML file"));
        spec.addOption(Options.set());
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(Options.quiet());
    }

    /** Connects to the crawl of another program. */
    interface Opener {
        CrawlImporter open(CrawlConfig config) throws ConfigException, IOException;
    }

    int run(Opener opener) throws ConfigException, IOException, InterruptedException {
        var dryRun = arguments.hasMatchedOption(DRY_RUN);
        if (!dryRun && !arguments.hasMatchedOption(Options.OUT)) {
            throw new UsageException(
                    FleetOptions.isGiven(arguments)
                            ? "import needs --out DIR: the directory of the import's lists, with"
                                    + " which an interrupted import continues"
                            : "import needs --out DIR: the directory of the new crawl");
        }
        var config =
                CrawlConfig.read(
                        CrawlCommand.settings(arguments, terminal)
                                .put(Settings.SEED_LISTS, "true"));
        if (!config.seeds().isEmpty()) {
            throw new UsageException(
                    "import takes its URLs from the imported crawl; remove seeds from --config");
        }
        if (arguments.hasMatchedOption(FleetOptions.FLEET) && !FleetOptions.isGiven(arguments)) {
            throw new UsageException(
                    "--fleet needs --redis: the URL of the fleet's Redis; without it, the crawl is"
                            + " imported into a directory");
        }
        var directory = Directories.outputDirectory(arguments, "import");
        var redis =
                FleetOptions.isGiven(arguments)
                        ? Optional.of(FleetOptions.settings(arguments, "import"))
                        : Optional.<FleetSettings>empty();
        if (redis.isPresent()) {
            FleetJobFollower.requireNoFiles(config);
            var _ = Fleet.memory(redis.get()); // Fails if it is unreachable.
        }
        try (var importer = opener.open(config)) {
            if (dryRun) {
                printDryRun(DryRun.run(importer, config.urls(), progress()), directory, redis);
                return ExitCode.COMPLETE.code();
            }
            return importInto(directory, importer, config, redis);
        }
    }

    private int importInto(
            Path directory,
            CrawlImporter importer,
            CrawlConfig config,
            Optional<FleetSettings> redis)
            throws IOException, InterruptedException {
        var destination =
                redis.<ImportDestination>map(
                                fleet -> new FleetDestination(fleet, config, directory))
                        .orElseGet(() -> ImportDestination.directory(config, directory));
        var imports =
                new CrawlImport(
                        importer,
                        config,
                        destination,
                        directory,
                        InstantSource.system(),
                        progress());
        imports.prepare();
        ImportReport report;
        try (var _ = Logging.toDirectory(directory)) {
            report = imports.run();
        }
        if (!isQuiet()) {
            print(report);
        }
        for (var part : report.parts()) {
            requireEqual(
                    part.name(),
                    part.sourceRows(),
                    part.accepted() + part.duplicate() + part.rejected(),
                    directory);
        }
        requireEqual("hosts", report.hosts().sourceRows(), report.hosts().rows(), directory);
        if (redis.isPresent()) {
            printJob(redis.get(), imports.id());
        } else if (!isQuiet()) {
            terminal.print("to crawl: " + CommandHint.of("resume", directory));
        }
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static void requireEqual(String table, long inSource, long imported, Path directory)
            throws IOException {
        if (inSource != imported) {
            throw new IOException(
                    "%s has %,d rows, but %,d were imported: it was changed during the import; the crawl can be continued, or delete it and %s and import again"
                            .formatted(table, inSource, imported, directory));
        }
    }

    private void printJob(FleetSettings settings, String id) throws IOException {
        try (var fleet = Fleet.open(settings)) {
            var job = fleet.findByIdempotencyKey(id);
            if (job.isPresent() && !isQuiet()) {
                terminal.print(
                        "job %d: the workers crawl it; '%s' shows it"
                                .formatted(job.get().number(), CommandHint.of("fleet")));
            }
            if (fleet.workers().isEmpty()) {
                terminal.warn(
                        "the fleet has no workers; start one with '%s'"
                                .formatted(CommandHint.of("worker")));
            }
        }
    }

    private boolean isQuiet() {
        return arguments.hasMatchedOption(Options.QUIET);
    }

    /** Prints every few seconds how far the import is. */
    private Consumer<String> progress() {
        if (isQuiet()) {
            return _ -> {};
        }
        return new Consumer<>() {
            private long printedAt = System.nanoTime();

            @Override
            public void accept(String text) {
                if (System.nanoTime() - printedAt >= PROGRESS_INTERVAL.toNanos()) {
                    printedAt = System.nanoTime();
                    terminal.printError(text);
                }
            }
        };
    }

    private void print(ImportReport report) {
        var table = new Table("lrrrr");
        table.row("", "rows", "imported", "duplicate", "rejected");
        for (var part : report.parts()) {
            table.row(
                    part.name(),
                    Numbers.count(part.sourceRows()),
                    Numbers.count(part.accepted()),
                    Numbers.count(part.duplicate()),
                    Numbers.count(part.rejected()));
        }
        table.print(terminal.out());
        var hosts = report.hosts();
        if (!hosts.equals(ImportReport.Hosts.NONE)) {
            terminal.print(
                    "hosts: %s: %s excluded, %s, %s expired, %s%s not valid"
                            .formatted(
                                    Numbers.count(hosts.rows(), "row"),
                                    Numbers.count(hosts.excluded()),
                                    Numbers.count(hosts.robots(), "robots.txt file"),
                                    Numbers.count(hosts.expiredRobots()),
                                    hosts.omittedRobots() == 0
                                            ? ""
                                            : Numbers.count(hosts.omittedRobots())
                                                    + " without room in Redis, ",
                                    Numbers.count(hosts.invalid())));
        }
    }

    private void printDryRun(
            List<DryRun.PartCounts> parts, Path directory, Optional<FleetSettings> redis)
            throws IOException {
        var table = new Table("lrrr");
        table.row("", "rows", "rejected", "disk space");
        for (var part : parts) {
            table.row(
                    part.name(),
                    Numbers.count(part.rows()),
                    Numbers.count(part.rejected()),
                    Numbers.bytes(redis.isPresent() ? part.listBytes() : part.diskBytes()));
        }
        table.print(terminal.out());
        for (var part : parts) {
            part.sample().forEach(row -> terminal.print(part.name() + ", " + row));
        }
        if (redis.isPresent()) {
            var memory = Fleet.memory(redis.get());
            var bytes = parts.stream().mapToLong(DryRun.PartCounts::redisBytes).sum();
            terminal.print(
                    "memory of Redis needed: up to %s; free: %s"
                            .formatted(
                                    Numbers.bytes(bytes),
                                    memory.maxBytes() == 0
                                            ? "no maxmemory is set"
                                            : Numbers.bytes(
                                                    Math.max(
                                                            0,
                                                            memory.maxBytes()
                                                                    - memory.usedBytes()))));
        }
        var needed =
                parts.stream()
                        .mapToLong(part -> redis.isPresent() ? part.listBytes() : part.diskBytes())
                        .sum();
        terminal.print(
                "disk space needed: up to %s; free: %s; nothing was written"
                        .formatted(Numbers.bytes(needed), Numbers.bytes(free(directory))));
        terminal.out().flush();
    }

    private static long free(Path directory) throws IOException {
        var existing = directory.toAbsolutePath().normalize();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return Files.getFileStore(existing).getUsableSpace();
    }
}
