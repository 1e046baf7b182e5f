package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.DirectoryRepair;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.repair.RepairReport;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;

/** {@code orbweaver repair DIR}: builds a damaged frontier again. */
record RepairCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new RepairCommand(terminal)
                        .describe(
                                "repair",
                                "Rebuild the frontier of a crawl, or of a service, whose files are"
                                        + " damaged.",
                                "The new frontier comes from the page log, the links of the stored"
                                        + " pages and what is readable of the old one, which is"
                                        + " kept as frontier.damaged-TIME. No page is fetched;"
                                        + " resume goes on afterwards. The crawl must not be"
                                        + " running. If nothing is damaged, nothing changes.",
                                "");
        spec.addPositional(Options.directory());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        if (!CrawlDirectory.isService(directory)) {
            var _ = Directories.settings(directory);
        }
        RepairReport report;
        try (var _ = Logging.toDirectory(directory)) {
            report = DirectoryRepair.repair(directory, Modules.SETTINGS, this::show);
        }
        if (report.problems().isEmpty()) {
            terminal.print("nothing is damaged in " + directory + "; nothing was changed");
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
                "from the page log (%s): %s done, %s given up"
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
                "lost: retry counts of queued URLs, and counts of duplicate links; hosts keep the"
                        + " delays that could be read");
        out.println("the damaged files are kept as " + report.movedTo());
        out.println(
                CrawlDirectory.isCrawl(directory)
                        ? "go on with: ./orbweaver resume " + directory
                        : "go on by starting the service again");
    }

    private static String count(long number, String word) {
        return Numbers.count(number) + " " + word + (number == 1 ? "" : "s");
    }
}
