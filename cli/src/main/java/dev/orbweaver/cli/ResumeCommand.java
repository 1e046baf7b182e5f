package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.EnvironmentVariables;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code orbweaver resume DIR}: continues a crawl with its settings. */
record ResumeCommand(Terminal terminal) implements Command {

    private static final List<String> SINKS = List.of("mongodb", "s3", "s3-endpoint");

    static CommandSpec spec(Terminal terminal) {
        var command = new ResumeCommand(terminal);
        var spec = command.describe("resume", "Continue a crawl.");
        spec.addPositional(Options.directory());
        addSinks(spec);
        spec.addOption(Options.set("max-pages=5000 to go past a limit"));
        spec.addOption(Options.quiet());
        spec.addOption(Options.json());
        spec.addOption(ProcessMetrics.option());
        spec.usageMessage()
                .footerHeading("%n")
                .footer(
                        "Secret settings can be environment variables, such as"
                                + " ORBWEAVER_CREDENTIALS.",
                        "Other variables change no crawl that has begun.");
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var directory = Directories.fromArgument(arguments);
        var config = CrawlConfig.read(values(arguments, directory, terminal));
        new StartedCrawl(directory, config).requireProspect();
        return CrawlRun.of(arguments, terminal).run(config, directory);
    }

    /** Adds the options of sinks; a sink can be added to a crawl at any time. */
    static void addSinks(CommandSpec spec) {
        SINKS.forEach(
                key -> Modules.SETTINGS.find(key).map(Options::of).ifPresent(spec::addOption));
    }

    /** Returns the first option that changes a setting. */
    static Optional<String> givenSetting(ParseResult arguments) {
        return Stream.concat(Stream.of(Options.SET), SINKS.stream().map("--"::concat))
                .filter(arguments::hasMatchedOption)
                .findFirst();
    }

    /**
     * Returns the stored settings with the given changes. Of environment variables only secrets are
     * read, which may not be stored: others could undo an option of the first run.
     */
    static SettingValues values(ParseResult arguments, Path directory, Terminal terminal)
            throws ConfigException, IOException {
        var settingValues =
                new SettingValues(Modules.SETTINGS)
                        .putAll(Directories.settings(directory).settingValues());
        var given =
                Environment.settings()
                        .filter(Modules.SETTINGS::isSecret)
                        .putPairs(arguments.matchedOptionValue(Options.SET, List.of()));
        for (var key : SINKS) {
            if (arguments.hasMatchedOption("--" + key)) {
                given.put(key, arguments.matchedOptionValue("--" + key, ""));
            }
        }
        for (var name : StoredCrawl.missingSecrets(directory)) {
            if (!given.has(name)) {
                throw new UsageException(
                        "%1$s does not contain the %2$s of this crawl, which is secret; repeat it with --set %2$s=... or in the environment variable %3$s, or continue without it with --set %2$s="
                                .formatted(directory, name, EnvironmentVariables.nameOf(name)));
            }
        }
        settingValues.putAll(given);
        Environment.warnOfUnknown(arguments, settingValues, terminal);
        return settingValues;
    }
}
