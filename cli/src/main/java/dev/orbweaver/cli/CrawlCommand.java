package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code orbweaver crawl URL...}: a new crawl, or the same one again in its folder. */
record CrawlCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var command = new CrawlCommand(terminal);
        var spec = command.describe("crawl", "Crawl from one or more URLs.", "");
        spec.addPositional(
                Options.parameters(
                        0,
                        "0..*",
                        "URL",
                        "where to begin; without a scheme https is tried, then http"));
        spec.addOption(
                Options.text(
                        "--seeds",
                        "FILE",
                        "read URLs from a file, one a line; - is standard input"));
        spec.addOption(
                Options.text(
                        Options.OUT,
                        "DIR",
                        "the folder for everything; default: a new one named after the first"
                                + " host"));
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        addSettings(spec);
        spec.addOption(Options.quiet());
        spec.addOption(Options.json());
        spec.addOption(ProcessMetrics.option());
        return spec;
    }

    /** An option for every setting, and the ways to give them otherwise. */
    static void addSettings(CommandSpec spec) {
        Modules.SETTINGS.all().stream()
                .filter(CrawlCommand::isOption)
                .map(Options::of)
                .forEach(spec::addOption);
        spec.addOption(
                Options.text(
                        "--config",
                        "FILE",
                        "read settings from a YAML file, with the names of these options"));
        spec.addOption(Options.set());
    }

    /** The seeds are arguments, and their option names a file. */
    private static boolean isOption(Setting setting) {
        return !setting.key().equals(Settings.SEEDS);
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var config = CrawlConfig.read(values(arguments));
        if (FleetOptions.isGiven(arguments)) {
            if (arguments.hasMatchedOption(Options.OUT)) {
                throw new UsageException("--out is for a crawl here; a fleet's workers write");
            }
            return new FleetJobFollower(terminal, arguments.hasMatchedOption(Options.QUIET))
                    .run(config, FleetOptions.settings(arguments, "visitor"));
        }
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            warnOfPrivateSeeds(config);
        }
        var directory =
                Directories.outputDirectory(arguments, config.seeds().getFirst().url().host());
        requireSameSeeds(config, directory);
        if (CrawlDirectory.isCrawl(directory)) {
            announceResume(config, directory);
        }
        return CrawlRun.of(arguments, terminal).run(config, directory);
    }

    /** Seeds of a file open no private address, and none opens a link-local one. */
    private void warnOfPrivateSeeds(CrawlConfig config) {
        var addresses = config.networkSettings().addresses();
        var refused =
                config.seeds().stream()
                        .filter(
                                seed ->
                                        seed.address()
                                                .flatMap(
                                                        to ->
                                                                addresses.refusalReason(
                                                                        seed.url(), to))
                                                .isPresent())
                        .map(seed -> seed.url().toString())
                        .toList();
        if (!refused.isEmpty()) {
            terminal.warn(
                    "%,d of the seeds are private addresses and will not be requested, such as %s; name them as arguments, or allow them with --allow-addresses"
                            .formatted(refused.size(), refused.getFirst()));
        }
    }

    private void announceResume(CrawlConfig config, Path directory) throws ConfigException {
        var changes =
                config.settingValues()
                        .changesSince(
                                CrawlDirectory.open(directory, Modules.SETTINGS)
                                        .config()
                                        .settingValues());
        terminal.printError(
                "%s holds this crawl already: it goes on, %s"
                        .formatted(
                                directory,
                                changes.isEmpty()
                                        ? "with the same settings"
                                        : "with other settings: "
                                                + String.join(", ", changes)
                                                + "; links refused so far stay refused"));
    }

    private static SettingValues values(ParseResult arguments) throws ConfigException {
        var settingValues = settings(arguments);
        var named = arguments.matchedPositionalValue(0, List.<String>of());
        var seeds = new ArrayList<>(named);
        seeds.addAll(seedsFrom(arguments.matchedOptionValue("--seeds", "")));
        if (!seeds.isEmpty()) {
            settingValues.put(Settings.SEEDS, seeds);
        }
        return allowNamedOrigins(settingValues, named);
    }

    /** Only seeds named on the command line open private addresses, those of a file do not. */
    static SettingValues allowNamedOrigins(SettingValues settingValues, List<String> named) {
        var origins = new LinkedHashSet<>(settingValues.list(Settings.ALLOW_ORIGINS));
        origins.remove(Settings.AUTO);
        if (origins.isEmpty() && settingValues.list(Settings.SEEDS).equals(named)) {
            return settingValues; // All of them were named: the default says that.
        }
        origins.addAll(Seed.literalOrigins(named));
        return settingValues.put(Settings.ALLOW_ORIGINS, List.copyOf(origins));
    }

    static SettingValues settings(ParseResult arguments) throws ConfigException {
        var settingValues = new SettingValues(Modules.SETTINGS);
        if (arguments.hasMatchedOption("--config")) {
            var file = arguments.<String>matchedOptionValue("--config", "");
            settingValues.putAll(YamlFile.read(Path.of(file), Modules.SETTINGS));
        }
        settingValues.putPairs(arguments.matchedOptionValue(Options.SET, List.of()));
        readFlags(arguments, settingValues);
        return settingValues;
    }

    private static void readFlags(ParseResult arguments, SettingValues settingValues) {
        for (var setting : Modules.SETTINGS.all()) {
            var name = "--" + setting.key();
            if (arguments.hasMatchedOption("--no-" + setting.key())) {
                settingValues.put(setting.key(), "false");
            } else if (isOption(setting) && arguments.hasMatchedOption(name)) {
                switch (setting.valueType()) {
                    case SWITCH -> settingValues.put(setting.key(), "true");
                    case LIST ->
                            settingValues.put(
                                    setting.key(),
                                    arguments.matchedOptionValue(name, List.<String>of()));
                    case COUNT, FACTOR, DURATION, SIZE, TEXT, CHOICE ->
                            settingValues.put(
                                    setting.key(), arguments.matchedOptionValue(name, ""));
                }
            }
        }
    }

    private static List<String> seedsFrom(String file) throws ConfigException {
        if (file.isEmpty()) {
            return List.of();
        }
        try (Reader in =
                        file.equals("-")
                                ? new InputStreamReader(System.in, StandardCharsets.UTF_8)
                                : Files.newBufferedReader(Path.of(file));
                var lines = new BufferedReader(in)) {
            return lines.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException | UncheckedIOException | InvalidPathException e) {
            throw new ConfigException("", "cannot read URLs from " + file);
        }
    }

    static List<String> allowAddresses(ParseResult arguments) {
        return arguments.matchedOptionValue("--" + Settings.ALLOW_ADDRESSES, List.of());
    }

    /** Refuses to go on with another crawl than the one in the folder. */
    static void requireSameSeeds(CrawlConfig wanted, Path directory) throws ConfigException {
        if (!CrawlDirectory.isCrawl(directory)) {
            return;
        }
        var there = CrawlDirectory.open(directory, Modules.SETTINGS).config();
        if (!urls(wanted).equals(urls(there))) {
            throw new UsageException(
                    directory
                            + " holds a crawl of other seeds ("
                            + there.seeds().getFirst().url()
                            + "); go on with it by 'orbweaver resume "
                            + directory
                            + "', or choose another folder");
        }
    }

    private static Set<String> urls(CrawlConfig config) {
        return config.seeds().stream()
                .map(Seed::url)
                .map(Object::toString)
                .collect(Collectors.toSet());
    }
}
