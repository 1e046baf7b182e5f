package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code orbweaver resume DIR}: goes on where a crawl stood, with its settings. */
record ResumeCommand(Terminal terminal) implements Command {

    private static final List<String> SINKS = List.of("mongodb", "s3", "s3-endpoint");

    static CommandSpec spec(Terminal terminal) {
        var command = new ResumeCommand(terminal);
        var spec = command.describe("resume", "Go on with the crawl in a folder.", "");
        spec.addPositional(Options.directory());
        addSinks(spec);
        spec.addOption(Options.set());
        spec.addOption(Options.quiet());
        spec.addOption(Options.json());
        spec.addOption(ProcessMetrics.option());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var directory = Directories.fromArgument(arguments);
        return CrawlRun.of(arguments, terminal)
                .run(CrawlConfig.read(values(arguments, directory)), directory);
    }

    /** Places to follow a crawl may be named at any time. */
    static void addSinks(CommandSpec spec) {
        SINKS.forEach(
                key -> Modules.SETTINGS.find(key).map(Options::of).ifPresent(spec::addOption));
    }

    static SettingValues values(ParseResult arguments, Path directory)
            throws ConfigException, IOException {
        var settingValues =
                new SettingValues(Modules.SETTINGS)
                        .putAll(Directories.settings(directory).settingValues());
        var given =
                new SettingValues(Modules.SETTINGS)
                        .putPairs(arguments.matchedOptionValue(Options.SET, List.of()));
        for (var key : SINKS) {
            if (arguments.hasMatchedOption("--" + key)) {
                given.put(key, arguments.matchedOptionValue("--" + key, ""));
            }
        }
        for (var name : CrawlDirectory.missingSecrets(directory)) {
            if (!given.has(name)) {
                throw new UsageException(
                        "%1$s has no .secrets.yaml with the %2$s that this crawl was given; repeat it with --set %2$s=..., or go on without by --set %2$s="
                                .formatted(directory, name));
            }
        }
        return settingValues.putAll(given);
    }
}
