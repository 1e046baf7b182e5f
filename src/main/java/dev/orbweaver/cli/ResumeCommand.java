package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Values;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;

/** {@code orbweaver resume DIR}: goes on where a crawl stood, with its settings. */
final class ResumeCommand implements Command {

    private final Terminal terminal;

    private ResumeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandSpec spec(Terminal terminal) {
        var command = new ResumeCommand(terminal);
        var spec = command.describe("resume", "Go on with the crawl in a folder.", "");
        spec.addPositional(Options.folder());
        spec.addOption(Options.set());
        spec.addOption(Options.quiet());
        spec.addOption(Options.json());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var folder = Folders.given(arguments);
        var values = new Values().putAll(Folders.settings(folder).values());
        values.putPairs(arguments.matchedOptionValue(Options.SET, List.of()));
        return CrawlRun.of(arguments, terminal).run(CrawlConfig.read(values), folder);
    }
}
