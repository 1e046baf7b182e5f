package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportReport;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.CrawlPages;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** {@code orbweaver export DIR... --format F --to PATH}: a crawl as something people use. */
record ExportCommand(Terminal terminal) implements Command {

    private static final String FORMAT = "--format";
    private static final String TO = "--to";

    static CommandSpec spec(Terminal terminal) {
        var command = new ExportCommand(terminal);
        var spec =
                command.describe(
                        "export",
                        "Turn crawls into sitemaps, tables, Markdown and more.",
                        "They may be running or not; of several the first that has a URL wins.",
                        "");
        spec.addPositional(Options.parameters(0, "1..*", "DIR", "the crawls' folders"));
        spec.addOption(Options.text(FORMAT, "FORMAT", formats()));
        spec.addOption(
                Options.text(
                        TO,
                        "PATH",
                        "the file or folder to write; - is standard output, for formats of one"
                                + " text"));
        ExportOptions.addFilters(spec);
        ExportOptions.addText(spec);
        ExportOptions.addFormatSpecific(spec);
        spec.addOption(Options.quiet());
        return spec;
    }

    private static String formats() {
        return Arrays.stream(ExportFormat.values())
                .map(
                        exportFormat ->
                                "%n  %-11s %s".formatted(exportFormat.id(), exportFormat.help()))
                .collect(Collectors.joining("", "one of", ""));
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var exportFormat = format(arguments);
        var to = arguments.matchedOptionValue(TO, "");
        if (to.isBlank()) {
            throw new UsageException("say where to with --to PATH");
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
            makeDirectory(Directories.parse(to)); // A trailing slash means a directory.
        }
        var report = run(pages, settings);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            printReport(report, pipe ? "standard output" : outputPath(to, exportFormat), pipe);
        }
        return ExitCode.COMPLETE.code();
    }

    /** What goes wrong with the target is said with the option that names it. */
    private static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try {
            return ExportRunner.run(pages, settings);
        } catch (FileSystemException e) {
            throw new IOException(ErrorReporter.message(e, TO), e);
        }
    }

    private static void makeDirectory(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (FileSystemException e) {
            throw new IOException(ErrorReporter.message(e, TO), e);
        }
    }

    /** The file itself also where a folder was named. */
    private static String outputPath(String to, ExportFormat exportFormat) {
        var place = Directories.parse(to);
        return Files.isDirectory(place) && !exportFormat.fileName().isEmpty()
                ? place.resolve(exportFormat.fileName()).toString()
                : to;
    }

    /** An export that wrote over its own source would leave neither. */
    private static void refuseOwnFiles(Path target, List<String> directories) throws IOException {
        var place = target.toAbsolutePath().normalize();
        var there = place;
        while (there != null && !Files.exists(there)) {
            there = there.getParent();
        }
        var real = there == null ? place : there.toRealPath().resolve(there.relativize(place));
        for (var directory : directories) {
            if (real.startsWith(Directories.parse(directory).toRealPath())) {
                throw new UsageException(
                        "%s lies in the crawl's own folder %s: name another place with --to"
                                .formatted(target, directory));
            }
        }
    }

    private static ExportFormat format(ParseResult arguments) {
        var word = arguments.matchedOptionValue(FORMAT, "");
        return ExportFormat.byId(word)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        (word.isEmpty()
                                                        ? "say which format with --format: "
                                                        : "there is no format '"
                                                                + word
                                                                + "', only ")
                                                + formatIds()));
    }

    private static String formatIds() {
        return Arrays.stream(ExportFormat.values())
                .map(ExportFormat::id)
                .collect(Collectors.joining(", "));
    }

    private void printReport(ExportReport report, String to, boolean pipe) {
        var out = pipe ? terminal.err() : terminal.out();
        var what = report.count() == 1 ? report.unit().replaceFirst("s$", "") : report.unit();
        out.println(Numbers.count(report.count()) + " " + what + " written to " + to);
        report.notes().forEach(note -> terminal.printError("note: " + note));
    }
}
