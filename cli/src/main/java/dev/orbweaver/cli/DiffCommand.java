package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.CrawlDiff;
import dev.orbweaver.export.ExportTarget;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;

/** {@code orbweaver diff OLD NEW}: compares two crawls. */
record DiffCommand(Terminal terminal) implements Command {

    private static final String TO = "--to";

    static CommandSpec spec(Terminal terminal) {
        var command = new DiffCommand(terminal);
        var spec =
                command.describe(
                        "diff",
                        "Compare two crawls: new, gone and changed pages.",
                        "Prints one line per page, and the changed lines of its text.");
        spec.addPositional(Options.parameter(0, "OLD", "directory of the earlier crawl"));
        spec.addPositional(Options.parameter(1, "NEW", "directory of the later crawl"));
        spec.addOption(Options.text(TO, "FILE", "output file; -: standard output (default: -)"));
        ExportOptions.filters().forEach(spec::addOption);
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var to = arguments.matchedOptionValue(TO, "-");
        var target =
                to.equals("-")
                        ? new ExportTarget.StreamTarget(terminal.data())
                        : new ExportTarget.PathTarget(Directories.parse(to));
        var filter = ExportOptions.filter(arguments);
        var old = Directories.pages(List.of(arguments.matchedPositionalValue(0, "")));
        var recent = Directories.pages(List.of(arguments.matchedPositionalValue(1, "")));
        var counts = CrawlDiff.run(old, recent, filter, CrawlDiff.Settings.DEFAULT, target);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.printError(summary(counts));
        }
        return ExitCode.COMPLETE.code();
    }

    static String summary(CrawlDiff.Counts counts) {
        var markup =
                counts.markup() == 0
                        ? ""
                        : ", %s of them with the same text in other markup"
                                .formatted(Numbers.count(counts.markup()));
        return "%s new, %s gone, %s changed, %s unchanged%s"
                .formatted(
                        Numbers.count(counts.added()),
                        Numbers.count(counts.gone()),
                        Numbers.count(counts.changed()),
                        Numbers.count(counts.same()),
                        markup);
    }
}
