package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver inspect DIR}: shows the frontier of a crawl. */
record InspectCommand(Terminal terminal) implements Command {

    private static final String HOSTS = "--hosts";
    private static final String HOSTS_DEFAULT = "10";
    private static final int HOSTS_MAX = 1_000_000;
    private static final int LETTERS = 3;

    static CommandSpec spec(Terminal terminal) {
        var command = new InspectCommand(terminal);
        var spec =
                command.describe(
                        "inspect",
                        "Show the frontier of a crawl: queues, hosts, failures, files.",
                        "The crawl may be running.");
        spec.addPositional(Options.directory());
        spec.addOption(
                Options.text(HOSTS, "N", "list at most N hosts (default: " + HOSTS_DEFAULT + ")"));
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var hosts = count(arguments.matchedOptionValue(HOSTS, HOSTS_DEFAULT));
        var config = Directories.settings(directory);
        var state = StatusText.state(directory);
        var frontierInspection = new StoredCrawl(directory, config).inspect(hosts, LETTERS);
        if (arguments.hasMatchedOption(Options.JSON)) {
            terminal.data().println(InspectJson.of(config, directory, state, frontierInspection));
        } else {
            new StatusText(terminal.out())
                    .print(config, frontierInspection.frontierOverview().stats(), directory);
            var running = state.equals(StatusText.RUNNING);
            new InspectText(terminal.out(), frontierInspection, running).print();
        }
        return ExitCode.COMPLETE.code();
    }

    private static int count(String text) {
        try {
            var count = Integer.parseInt(text);
            if (count >= 0 && count <= HOSTS_MAX) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new UsageException(
                "%s: expected a number from 0 to %,d, not '%s'".formatted(HOSTS, HOSTS_MAX, text));
    }
}
