package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver compact DIR}: permanently removes what was taken down. */
record CompactCommand(Terminal terminal) implements Command {

    private static final String RETENTION = "--" + Retention.KEY;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new CompactCommand(terminal)
                        .describe(
                                "compact",
                                "Permanently remove what was taken down, and old captures.",
                                "Removes what 'forget' took down, and with a retention the captures"
                                    + " that later visits replaced, but never the newest of a page."
                                    + " Rewrites WARC files and page log; other files are not"
                                    + " changed. The crawl must not be running. Can be interrupted"
                                    + " and run again at any time.");
        spec.addPositional(Options.directory());
        spec.addOption(
                Options.text(
                        RETENTION,
                        "AGE|SIZE",
                        "drop captures that were replaced longer than AGE ago, or as many as keep"
                                + " the WARC files below SIZE; default: the crawl's setting"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var config = Directories.settings(directory);
        if (arguments.hasMatchedOption(RETENTION)) {
            config = config.withSetting(Retention.KEY, arguments.matchedOptionValue(RETENTION, ""));
        }
        var outcome = new StoredCrawl(directory, config).compact();
        if (outcome.kept() > 0) {
            terminal.warn(
                    "%s kept although taken down: another crawl refers to %s; take down its URLs"
                                    .formatted(
                                            count(outcome.kept(), "line"),
                                            outcome.kept() == 1 ? "its content" : "their content")
                            + " there too and run 'orbweaver compact' there, then here again");
        }
        terminal.print(
                outcome.captures() == 0
                        ? "nothing to remove"
                        : "%s removed, %s rewritten, %s freed"
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
