package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code orbweaver resume DIR}: continues a crawl with its settings. */
record ResumeCommand(Terminal terminal) implements Command {

    private static final List<String> SINKS = List.of("mongodb", "s3", "s3-endpoint");

    static CommandSpec spec(Terminal terminal) {
        var command = new ResumeCommand(terminal);
        var spec = command.describe("resume", "Continue a crawl.");
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

    /** Adds the options of sinks; a sink can be added to a crawl at any time. */
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
        for (var name : StoredCrawl.missingSecrets(directory)) {
            if (!given.has(name)) {
                throw new UsageException(
                        "%1$s has no .secrets.yaml with the %2$s of this crawl; repeat it with --set %2$s=..., or continue without it with --set %2$s="
                                .formatted(directory, name));
            }
        }
        return settingValues.putAll(given);
    }
}
