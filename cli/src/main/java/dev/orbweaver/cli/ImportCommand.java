package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.crawls.CrawlImport;
import dev.orbweaver.imports.crawls.CrawlImporter;
import dev.orbweaver.imports.crawls.DryRun;
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
                        "directory of the new crawl; run again with the same DIR, it continues an"
                                + " interrupted import"));
        spec.addOption(
                Options.toggle(
                        DRY_RUN,
                        "print counts, some rejected rows and the disk space needed, and write"
                                + " nothing"));
        spec.addOption(
                Options.text("--config", "FILE", "read settings of the crawl from a YAML file"));
        spec.addOption(Options.set());
        spec.addOption(Options.quiet());
    }

    /** Connects to the crawl of another program. */
    interface Opener {
        CrawlImporter open(CrawlConfig config) throws ConfigException, IOException;
    }

    int run(Opener opener) throws ConfigException, IOException, InterruptedException {
        var dryRun = arguments.hasMatchedOption(DRY_RUN);
        if (!dryRun && !arguments.hasMatchedOption(Options.OUT)) {
            throw new UsageException("import needs --out DIR: the directory of the new crawl");
        }
        var config =
                CrawlConfig.read(
                        CrawlCommand.settings(arguments, terminal)
                                .put(Settings.SEED_LISTS, "true"));
        if (!config.seeds().isEmpty()) {
            throw new UsageException(
                    "import takes its URLs from the imported crawl; remove seeds from --config");
        }
        var directory = Directories.outputDirectory(arguments, "import");
        try (var importer = opener.open(config)) {
            if (dryRun) {
                printDryRun(DryRun.run(importer, config.urls(), progress()), directory);
                return ExitCode.COMPLETE.code();
            }
            return importInto(directory, importer, config);
        }
    }

    private int importInto(Path directory, CrawlImporter importer, CrawlConfig config)
            throws IOException, InterruptedException {
        var imports =
                new CrawlImport(importer, config, directory, InstantSource.system(), progress());
        imports.prepare();
        ImportReport report;
        try (var _ = Logging.toDirectory(directory)) {
            report = imports.run();
        }
        if (!isQuiet()) {
            print(report);
        }
        for (var part : report.parts()) {
            if (!part.balances()) {
                throw new IOException(
                        "%s has %,d rows, but %,d were imported: it was changed during the import; the crawl in %s can be continued, or delete it and import again"
                                .formatted(
                                        part.name(),
                                        part.sourceRows(),
                                        part.accepted() + part.duplicate() + part.rejected(),
                                        directory));
            }
        }
        if (!isQuiet()) {
            terminal.print("to crawl: " + CommandHint.of("resume", directory));
        }
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
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
                    "hosts: %s excluded, %s, %s expired, %s not valid"
                            .formatted(
                                    Numbers.count(hosts.excluded()),
                                    Numbers.count(hosts.robots(), "robots.txt file"),
                                    Numbers.count(hosts.expiredRobots()),
                                    Numbers.count(hosts.invalid())));
        }
    }

    private void printDryRun(List<DryRun.PartCounts> parts, Path directory) throws IOException {
        var table = new Table("lrrr");
        table.row("", "rows", "rejected", "disk space");
        for (var part : parts) {
            table.row(
                    part.name(),
                    Numbers.count(part.rows()),
                    Numbers.count(part.rejected()),
                    Numbers.bytes(part.diskBytes()));
        }
        table.print(terminal.out());
        for (var part : parts) {
            part.sample().forEach(row -> terminal.print(part.name() + ", " + row));
        }
        var needed = parts.stream().mapToLong(DryRun.PartCounts::diskBytes).sum();
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
