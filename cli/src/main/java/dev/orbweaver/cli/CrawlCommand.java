package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Preset;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.SettingGroup;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.internal.engine.StoredCrawl;

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

/** {@code orbweaver crawl URL...}: starts a crawl, or resumes it in its directory. */
record CrawlCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var command = new CrawlCommand(terminal);
        var spec =
                command.describe(
                        "crawl",
                        "Crawl web sites, starting at one or more URLs.",
                        "Writes WARC files, a page log and a summary. Run again with the same URLs"
                                + " and --out, it resumes the crawl.");
        spec.addPositional(
                Options.parameters(
                        0,
                        "0..*",
                        "URL",
                        "where to start; without a scheme, https is tried first, then http"));
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(
                        Options.OUT,
                        "DIR",
                        "output directory (default: a new one named after the first host)"),
                Options.text(
                        "--seeds",
                        "FILE",
                        "read start URLs from FILE, one per line (-: standard input)"));
        addSettings(groups, Preset.NONE);
        groups.add(SettingGroup.COMMON.heading(), Options.quiet());
        groups.add(SettingGroup.OUTPUT.heading(), Options.json());
        groups.add(SettingGroup.ADVANCED.heading(), ProcessMetrics.option());
        groups.add(
                "Fleet (submit the crawl to workers instead of running it here)",
                FleetOptions.redis(),
                FleetOptions.fleet());
        return spec;
    }

    /** Adds an option for every setting, and those that set several settings at once. */
    static void addSettings(OptionGroups groups, Preset preset) {
        for (var group : SettingGroup.values()) {
            groups.add(
                    group.heading(),
                    Modules.SETTINGS.all().stream()
                            .filter(setting -> setting.group() == group && isOption(setting))
                            .map(setting -> Options.of(setting, preset))
                            .toList());
        }
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(
                        "--config",
                        "FILE",
                        "read settings from a YAML file; its keys are these options, such as"
                                + " max-pages: 100"));
        groups.add(SettingGroup.ADVANCED.heading(), Options.set());
        groups.footer(
                "TIME is a number with ms, s, m, h or d, such as 500ms; without a unit, seconds.",
                "SIZE is a number with KB, MB, GB or TB, such as 20MB; without a unit, bytes.",
                "Limits also accept none. Repeatable options can be given more than once.");
    }

    /** Whether a setting is an option; seeds are arguments, and their option names a file. */
    private static boolean isOption(Setting setting) {
        return !setting.key().equals(Settings.SEEDS);
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var config = CrawlConfig.read(values(arguments));
        if (FleetOptions.isGiven(arguments)) {
            if (arguments.hasMatchedOption(Options.OUT)) {
                throw new UsageException(
                        "--out cannot be used with --redis: the fleet's workers write the output");
            }
            return new FleetJobFollower(terminal, arguments.hasMatchedOption(Options.QUIET))
                    .run(config, FleetOptions.settings(arguments, "observer"));
        }
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            warnOfPrivateSeeds(config);
        }
        var directory =
                Directories.outputDirectory(arguments, config.seeds().getFirst().url().host());
        requireSameSeeds(config, directory);
        if (StoredCrawl.isCrawl(directory)) {
            announceResume(config, directory, terminal);
        }
        return CrawlRun.of(arguments, terminal).run(config, directory);
    }

    /**
     * Warns of private seeds: seeds from a file allow no private address, and none a link-local.
     */
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
                    "%,d %s and will not be requested, such as %s; use --allow-private (for link-local addresses --allow-addresses), or give the URL as an argument"
                            .formatted(
                                    refused.size(),
                                    refused.size() == 1
                                            ? "seed has a private address"
                                            : "seeds have private addresses",
                                    refused.getFirst()));
        }
    }

    static void announceResume(CrawlConfig config, Path directory, Terminal terminal)
            throws ConfigException {
        var changes =
                config.settingValues()
                        .changesSince(
                                StoredCrawl.open(directory, Modules.SETTINGS)
                                        .config()
                                        .settingValues());
        terminal.printError(
                "resuming the crawl in %s with %s"
                        .formatted(
                                directory,
                                changes.isEmpty()
                                        ? "the same settings"
                                        : "changed settings: "
                                                + String.join(", ", changes)
                                                + "; links that were refused stay refused"));
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

    /** Allows private addresses of seeds on the command line, but not of seeds from a file. */
    static SettingValues allowNamedOrigins(SettingValues settingValues, List<String> named) {
        var origins = new LinkedHashSet<>(settingValues.list(Settings.ALLOW_ORIGINS));
        origins.remove(Settings.AUTO);
        if (origins.isEmpty() && settingValues.list(Settings.SEEDS).equals(named)) {
            return settingValues; // All seeds were named, which is what the default allows.
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

    /** Fails if the directory contains a crawl of other seeds. */
    static void requireSameSeeds(CrawlConfig wanted, Path directory) throws ConfigException {
        if (!StoredCrawl.isCrawl(directory)) {
            return;
        }
        var existing = StoredCrawl.open(directory, Modules.SETTINGS).config();
        if (!urls(wanted).equals(urls(existing))) {
            throw new UsageException(
                    directory
                            + " contains a crawl of other seeds ("
                            + existing.seeds().getFirst().url()
                            + "); continue it with 'orbweaver resume "
                            + directory
                            + "', or choose another directory with --out");
        }
    }

    /** Whether a directory contains a crawl of the same seeds. */
    static boolean hasSameSeeds(CrawlConfig wanted, Path directory) {
        try {
            return StoredCrawl.isCrawl(directory)
                    && urls(wanted)
                            .equals(urls(StoredCrawl.open(directory, Modules.SETTINGS).config()));
        } catch (ConfigException e) {
            return false; // A crawl whose settings are damaged is left as it is.
        }
    }

    private static Set<String> urls(CrawlConfig config) {
        return config.seeds().stream()
                .map(Seed::url)
                .map(Object::toString)
                .collect(Collectors.toSet());
    }
}
