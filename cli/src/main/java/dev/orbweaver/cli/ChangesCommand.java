package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ChangeFormat;
import dev.orbweaver.export.CrawlDiff;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.engine.RecrawlList;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@code orbweaver changes DIR}: what a recrawl has found. */
record ChangesCommand(Terminal terminal) implements Command {

    private static final String SINCE = "--since";
    private static final String FORMAT = "--format";
    private static final String ALL_KINDS = "--all-kinds";
    private static final String TO = "--to";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ChangesCommand(terminal)
                        .describe(
                                "changes",
                                "List the new, gone and changed pages of a recrawl.",
                                "Prints one line per page, and the changed lines of its main text."
                                        + " A page is gone when a second visit, at least a day"
                                        + " later, finds it missing again.");
        spec.addPositional(Options.directory());
        spec.addOption(
                Options.text(
                        SINCE,
                        "TIME",
                        "compare with the pages of this time, such as 2026-12-01 (default: before"
                                + " the last recrawl; with --revisit, before the first page was"
                                + " visited again)"));
        spec.addOption(
                Options.text(
                        FORMAT,
                        "FORMAT",
                        "text: lines for readers (default); jsonl: one JSON object per page; atom:"
                                + " a feed with one entry per page"));
        spec.addOption(
                Options.toggle(
                        ALL_KINDS,
                        "list also pages whose main text is the same in other markup, as"
                                + " 'markup'"));
        spec.addOption(Options.text(TO, "FILE", "output file; -: standard output (default: -)"));
        ExportOptions.filters().forEach(spec::addOption);
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var settings =
                new CrawlDiff.Settings(format(arguments), arguments.hasMatchedOption(ALL_KINDS));
        var directory = Directories.fromArgument(arguments);
        var given = PagesCommand.time(arguments, SINCE, Instant.now());
        var pages = Directories.pages(List.of(directory.toString()));
        var since = given.isPresent() ? given : lastRecrawl(directory, pages);
        if (since.isEmpty()) {
            terminal.printError(
                    "%s was not visited again yet; run '%s' first, or give --since TIME"
                            .formatted(directory, CommandHint.of("recrawl", directory)));
            return ExitCode.COMPLETE.code();
        }
        var to = arguments.matchedOptionValue(TO, "-");
        var target =
                to.equals("-")
                        ? new ExportTarget.StreamTarget(terminal.data())
                        : new ExportTarget.PathTarget(Directories.parse(to));
        var counts =
                CrawlDiff.run(
                        pages.asOf(since.get()),
                        pages,
                        ExportOptions.filter(arguments),
                        settings,
                        target);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.printError("since %s: %s".formatted(since.get(), DiffCommand.summary(counts)));
        }
        return ExitCode.COMPLETE.code();
    }

    private static ChangeFormat format(ParseResult arguments) {
        var id = arguments.matchedOptionValue(FORMAT, ChangeFormat.TEXT.id());
        return ChangeFormat.byId(id)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "%s: unknown format '%s'; expected one of %s"
                                                .formatted(FORMAT, id, ChangeFormat.ids())));
    }

    /** Returns when the last recrawl began; without one, when a page was first visited again. */
    private static Optional<Instant> lastRecrawl(Path directory, CrawlPages pages)
            throws IOException {
        var listed = RecrawlList.lastBegun(directory);
        if (listed.isPresent()) {
            return listed;
        }
        var first = new Instant[] {Instant.MAX};
        pages.forEachLine(
                page -> {
                    var entry = page.entry();
                    if (!entry.visit().isFirst() && entry.time().isBefore(first[0])) {
                        first[0] = entry.time();
                    }
                });
        return Optional.of(first[0]).filter(time -> !time.equals(Instant.MAX));
    }
}
