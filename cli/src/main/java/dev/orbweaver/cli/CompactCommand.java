package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.config.ConfigException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver compact DIR}: removes for good what was taken down. */
record CompactCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new CompactCommand(terminal)
                        .describe(
                                "compact",
                                "Remove for good what was taken down (forget).",
                                "WARC files and page log are rewritten without it; other"
                                        + " files stay as they are. The crawl must not be running."
                                        + " It may be stopped at any moment.",
                                "");
        spec.addPositional(Options.directory());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var outcome = new CrawlDirectory(directory, Directories.settings(directory)).compact();
        terminal.print(
                outcome.captures() == 0
                        ? "nothing to remove"
                        : "%s removed, %s rewritten, %s less"
                                .formatted(
                                        count(outcome.captures(), "line"),
                                        count(outcome.files(), "WARC file"),
                                        Numbers.bytes(Math.max(0, outcome.bytes()))));
        return ExitCode.COMPLETE.code();
    }

    private static String count(long number, String word) {
        return Numbers.count(number) + " " + word + (number == 1 ? "" : "s");
    }
}
