package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.sink.StoreStatus;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** {@code orbweaver status DIR}: where a crawl stands, running or not. */
final class StatusCommand implements Command {

    private final Terminal terminal;

    private StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandSpec spec(Terminal terminal) {
        var command = new StatusCommand(terminal);
        var spec = command.describe("status", "Tell where the crawl in a folder stands.", "");
        spec.addPositional(Options.folder());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var folder = Folders.given(arguments);
        var config = Folders.settings(folder);
        var standing = new Standing(terminal.out());
        standing.print(config, new CrawlDirectory(folder, config).peek(), folder);
        for (var store : StoreStatus.read(folder)) {
            standing.sink(store, folder);
        }
        return ExitCode.COMPLETE.code();
    }
}
