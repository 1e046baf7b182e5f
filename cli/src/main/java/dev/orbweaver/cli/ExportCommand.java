package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportReport;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.config.SettingGroup;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code orbweaver export DIR... --format F --to PATH}: converts crawls to other formats. */
record ExportCommand(Terminal terminal) implements Command {

    private static final String FORMAT = "--format";
    private static final String TO = "--to";

    static CommandSpec spec(Terminal terminal) {
        var command = new ExportCommand(terminal);
        var spec =
                command.describe(
                        "export",
                        "Export crawls as Markdown, sitemap, CSV, Parquet and other formats.",
                        "The crawls may be running. If several contain a URL, the first one is"
                                + " used.");
        spec.addPositional(Options.parameters(0, "1..*", "DIR", "directory of a crawl"));
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(FORMAT, "FORMAT", formatHelp()),
                Options.text(
                        TO,
                        "PATH",
                        "output file or directory; -: standard output, for formats of one file"),
                Options.quiet());
        groups.add("Filters", ExportOptions.filters());
        groups.add("Filters", ExportOptions.mediaType());
        groups.add("Formats markdown, llms-txt and chunks", ExportOptions.text());
        groups.add("Format chunks", ExportOptions.chunks());
        groups.add("Formats jsonl, csv and parquet", ExportOptions.lines());
        groups.add("Format sitemap", ExportOptions.sitemap());
        return spec;
    }

    private static String[] formatHelp() {
        return Stream.concat(
                        Stream.of("one of:"),
                        Arrays.stream(ExportFormat.values())
                                .map(format -> "%-11s %s".formatted(format.id(), format.help())))
                .toArray(String[]::new);
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var exportFormat = format(arguments);
        var to = arguments.matchedOptionValue(TO, "");
        if (to.isBlank()) {
            throw new UsageException("--to is missing: the output file or directory");
        }
        var pipe = to.equals("-");
        var target =
                pipe
                        ? new ExportTarget.StreamTarget(terminal.data())
                        : new ExportTarget.PathTarget(Directories.parse(to));
        var settings = ExportOptions.settings(arguments, exportFormat, target);
        var directories = arguments.matchedPositionalValue(0, List.<String>of());
        var pages = Directories.pages(directories);
        if (!pipe) {
            refuseOwnFiles(Directories.parse(to), directories);
        }
        if (!pipe && to.endsWith("/") && !exportFormat.fileName().isEmpty()) {
            Directories.create(Directories.parse(to)); // A trailing slash means a directory.
        }
        var report = ExportRunner.run(pages, settings);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            printReport(report, pipe ? "standard output" : outputPath(to, exportFormat), pipe);
        }
        return ExitCode.COMPLETE.code();
    }

    /** Returns the output file, also if the option names its directory. */
    private static String outputPath(String to, ExportFormat exportFormat) {
        var path = Directories.parse(to);
        return Files.isDirectory(path) && !exportFormat.fileName().isEmpty()
                ? path.resolve(exportFormat.fileName()).toString()
                : to;
    }

    /** Fails if the target is inside a crawl that is read: the export could overwrite it. */
    private static void refuseOwnFiles(Path target, List<String> directories) throws IOException {
        var path = target.toAbsolutePath().normalize();
        var existing = path;
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        var real =
                existing == null ? path : existing.toRealPath().resolve(existing.relativize(path));
        for (var directory : directories) {
            if (real.startsWith(Directories.parse(directory).toRealPath())) {
                throw new UsageException(
                        "%s is inside the crawl directory %s; choose another path with --to"
                                .formatted(target, directory));
            }
        }
    }

    private static ExportFormat format(ParseResult arguments) {
        var id = arguments.matchedOptionValue(FORMAT, "");
        return ExportFormat.byId(id)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        (id.isEmpty()
                                                        ? "--format is missing; expected one of "
                                                        : "unknown format '"
                                                                + id
                                                                + "'; expected one of ")
                                                + formatIds()));
    }

    private static String formatIds() {
        return Arrays.stream(ExportFormat.values())
                .map(ExportFormat::id)
                .collect(Collectors.joining(", "));
    }

    private void printReport(ExportReport report, String to, boolean pipe) {
        var out = pipe ? terminal.err() : terminal.out();
        var unit = report.count() == 1 ? report.unit().replaceFirst("s$", "") : report.unit();
        out.println(Numbers.count(report.count()) + " " + unit + " written to " + to);
        report.notes().forEach(note -> terminal.printError("note: " + note));
    }
}
