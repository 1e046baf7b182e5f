package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.ProgressSnapshot;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.SinkStatus;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver status DIR}: shows the status of a crawl. */
record StatusCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var command = new StatusCommand(terminal);
        var spec = command.describe("status", "Show the status of a crawl.");
        spec.addPositional(Options.directory());
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var config = Directories.settings(directory);
        var crawl = new StoredCrawl(directory, config);
        if (arguments.hasMatchedOption(Options.JSON)) {
            terminal.data()
                    .println(
                            StatusJson.of(
                                    config,
                                    directory,
                                    StatusText.state(directory),
                                    crawl.stats(),
                                    crawl.responseCounts(),
                                    ProgressSnapshot.of(directory),
                                    crawl.revisits(),
                                    SinkStatus.read(directory)));
            return ExitCode.COMPLETE.code();
        }
        var statusText = new StatusText(terminal.out());
        statusText.print(config, crawl.stats(), directory);
        for (var store : SinkStatus.read(directory)) {
            statusText.printSink(store, directory);
        }
        return ExitCode.COMPLETE.code();
    }
}
