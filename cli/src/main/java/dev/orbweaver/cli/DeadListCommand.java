package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.DeadLetter;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver dead list DIR}: lists the URLs that failed. */
record DeadListCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new DeadListCommand(terminal)
                        .describe(
                                "list",
                                "List the URLs of a crawl that failed (dead letters).",
                                "The crawl may be running.");
        DeadCommand.addShared(spec);
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object per line"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var which = DeadCommand.causeFilter(arguments);
        var directory = Directories.fromArgument(arguments);
        var printer = new LetterPrinter(terminal, arguments.hasMatchedOption(Options.JSON));
        var unlisted =
                new StoredCrawl(directory, Directories.settings(directory))
                        .deadLetters(
                                letter -> {
                                    if (which.test(letter)) {
                                        printer.print(letter);
                                    }
                                });
        printer.finish();
        if (unlisted > 0) {
            terminal.warn(
                    "%s more failed since the last snapshot; stop the crawl to list all"
                            .formatted(Numbers.count(unlisted)));
        }
        return ExitCode.COMPLETE.code();
    }

    /** Prints each letter at once instead of collecting them: there may be millions. */
    private static final class LetterPrinter {

        private static final String ROW = "%-13s  %7s  %5s  %-24s  %s";

        private final Terminal terminal;
        private final boolean json;
        private boolean empty = true;

        LetterPrinter(Terminal terminal, boolean json) {
            this.terminal = terminal;
            this.json = json;
        }

        void print(DeadLetter letter) {
            if (json) {
                terminal.data().println(InspectJson.DeadLetterJson.of(letter).toJsonLine());
                return;
            }
            if (empty) {
                terminal.print(ROW.formatted("cause", "retries", "depth", "found at", "URL"));
                empty = false;
            }
            terminal.print(
                    ROW.formatted(
                            letter.cause().id(),
                            letter.attempts(),
                            letter.depth(),
                            letter.foundAt(),
                            letter.url()));
        }

        void finish() {
            if (empty && !json) {
                terminal.print("no dead letters");
            }
        }
    }
}
