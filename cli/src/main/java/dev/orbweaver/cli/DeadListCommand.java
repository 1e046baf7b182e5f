package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.frontier.DeadLetter;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver dead list DIR}: the URLs that a crawl has given up. */
record DeadListCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new DeadListCommand(terminal)
                        .describe(
                                "list",
                                "List the URLs that the crawl in a folder has given up.",
                                "It may be running or not. A line for each: cause, failed attempts"
                                        + " before the last, depth, when it was found, URL.",
                                "");
        DeadCommand.addShared(spec);
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object a line"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var which = DeadCommand.causeFilter(arguments);
        var directory = Directories.fromArgument(arguments);
        var json = arguments.hasMatchedOption(Options.JSON);
        var unlisted =
                new CrawlDirectory(directory, Directories.settings(directory))
                        .deadLetters(
                                letter -> {
                                    if (which.test(letter)) {
                                        (json ? terminal.data() : terminal.out())
                                                .println(json ? asJson(letter) : asText(letter));
                                    }
                                });
        if (unlisted > 0) {
            terminal.warn(
                    "%s more were given up since the last snapshot; stop the crawl to see them all"
                            .formatted(Numbers.count(unlisted)));
        }
        return ExitCode.COMPLETE.code();
    }

    private static String asJson(DeadLetter letter) {
        return InspectJson.DeadLetterJson.of(letter).toJsonLine();
    }

    /** One line each, written as it comes: there may be millions. */
    private static String asText(DeadLetter letter) {
        return "%-13s  %2d  %2d  %s  %s"
                .formatted(
                        letter.cause().id(),
                        letter.attempts(),
                        letter.depth(),
                        letter.foundAt(),
                        letter.url());
    }
}
