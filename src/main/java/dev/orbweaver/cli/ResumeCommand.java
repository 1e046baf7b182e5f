package dev.orbweaver.cli;

import dev.orbweaver.Orbweaver;
import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Values;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
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
        spec.addPositional(folder());
        spec.addOption(
                OptionSpec.builder("--set")
                        .paramLabel("NAME=VALUE")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .description("change a setting, such as max-pages=1000")
                        .build());
        spec.addOption(CrawlCommand.toggle("--quiet", "print nothing but errors"));
        spec.addOption(CrawlCommand.toggle("--json", "print the summary as JSON"));
        return spec;
    }

    static PositionalParamSpec folder() {
        return PositionalParamSpec.builder()
                .index("0")
                .paramLabel("DIR")
                .type(String.class)
                .required(true)
                .description("the crawl's folder")
                .build();
    }

    /** The settings of the crawl in a folder that must hold one. */
    static CrawlConfig settings(Path folder) throws ConfigException {
        if (!Orbweaver.isCrawl(folder)) {
            throw new UsageException(
                    "there is no crawl in "
                            + folder
                            + "; begin one with: orbweaver crawl URL --out "
                            + folder);
        }
        return Orbweaver.settingsOf(folder);
    }

    @Override
    public int execute(ParseResult arguments) {
        var folder = Path.of(arguments.matchedPositionalValue(0, ""));
        try {
            var config = settings(folder);
            var changes = new Values().putAll(config.values());
            changes.putPairs(arguments.matchedOptionValue("--set", List.of()));
            return new CrawlRun(
                            terminal,
                            arguments.hasMatchedOption("--quiet"),
                            arguments.hasMatchedOption("--json"))
                    .run(CrawlConfig.read(changes), folder);
        } catch (ConfigException e) {
            throw new UsageException(String.join("\norbweaver: ", e.problems()));
        }
    }
}
