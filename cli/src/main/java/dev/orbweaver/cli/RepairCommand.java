package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.DirectoryRepair;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.repair.RepairReport;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;

/** {@code orbweaver repair DIR}: rebuilds a damaged frontier. */
record RepairCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new RepairCommand(terminal)
                        .describe(
                                "repair",
                                "Rebuild the damaged frontier of a crawl or a service.",
                                "Uses the page log, the links of stored pages and the readable"
                                        + " parts of the old frontier, which is kept as"
                                        + " frontier.damaged-TIME. Fetches nothing; continue with"
                                        + " 'resume'. The crawl must not be running. Changes"
                                        + " nothing if nothing is damaged.");
        spec.addPositional(Options.directory());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        if (!StoredCrawl.isService(directory)) {
            var _ = Directories.settings(directory);
        }
        RepairReport report;
        try (var _ = Logging.toDirectory(directory)) {
            report = DirectoryRepair.repair(directory, Modules.SETTINGS, this::show);
        }
        if (report.problems().isEmpty()) {
            terminal.print("no damage found in " + directory + "; nothing was changed");
        } else {
            printReport(report, directory);
        }
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private void show(String step) {
        terminal.printError(step);
        terminal.err().flush();
    }

    private void printReport(RepairReport report, Path directory) {
        var out = terminal.out();
        report.problems().forEach(problem -> out.println("damaged: " + problem));
        out.println(
                "from the page log (%s): %s done, %s failed"
                        .formatted(
                                count(report.lines(), "line"),
                                Numbers.count(report.done()),
                                Numbers.count(report.dead())));
        out.println(
                "queued: %s from the old frontier, %s from the links of stored pages"
                        .formatted(
                                Numbers.count(report.fromFrontier()),
                                Numbers.count(report.fromPages())));
        report.lostBytes()
                .forEach(
                        (file, bytes) ->
                                out.println(
                                        "lost: %s of %s could not be read"
                                                .formatted(Numbers.bytes(bytes), file)));
        if (report.unreadableLines() > 0) {
            out.println(
                    "lost: %s of the page log could not be read; these URLs may be fetched again"
                            .formatted(count(report.unreadableLines(), "line")));
        }
        if (report.unreadableCaptures() > 0) {
            out.println(
                    "lost: %s whose records could not be read, with their links (see crawl.log)"
                            .formatted(count(report.unreadableCaptures(), "page")));
        }
        out.println(
                "lost: retry counts of queued URLs and counts of duplicate links; host delays that"
                        + " could be read are kept");
        out.println("the damaged files are kept as " + report.movedTo());
        out.println(
                StoredCrawl.isCrawl(directory)
                        ? "continue with: " + CommandHint.of("resume", directory)
                        : "continue by starting the service again");
    }

    private static String count(long number, String word) {
        return Numbers.count(number) + " " + word + (number == 1 ? "" : "s");
    }
}
