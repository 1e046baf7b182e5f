package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.SourceSpec;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.ArchiveFile;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code orbweaver crawl URL...}: starts a crawl, or resumes it in its directory. */
record CrawlCommand(Terminal terminal) implements Command {

    private static final String STRICT = "--strict";

    /** Stands for the directory of a crawl, which its first seed will name. */
    private static final Path UNNAMED = Path.of("orbweaver");

    /** A seed for checking settings while the first one is not known. */
    private static final List<String> PLACEHOLDER = List.of("https://example.com/");

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
                        SeedsFile.OPTION,
                        "FILE",
                        "read start URLs from FILE, one per line (-: standard input); # starts a"
                                + " comment line"),
                PendingSeeds.option(),
                PendingSeeds.importCapturesOption(),
                Options.toggle(
                        STRICT,
                        "end with an error if a line of --seeds is not a URL, instead of skipping"
                                + " it"));
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
        addGeneral(groups);
    }

    /** Adds the options that set several settings at once, and what values look like. */
    static void addGeneral(OptionGroups groups) {
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
                "Limits also accept none. Repeatable options can be given more than once.",
                "Options are settings, except those that name the command's files, sources and",
                "output, such as --out, --seeds, --seed-from, --import-captures and --json.",
                "Every setting is also an environment variable, such as ORBWEAVER_MAX_PAGES;",
                "lists have one value per line. Options override --set, then variables, then",
                "--config.");
    }

    /** Whether a setting is an option; seeds are arguments, and their option names a file. */
    static boolean isOption(Setting setting) {
        return !setting.key().equals(Settings.SEEDS) && !setting.key().equals(Settings.SEED_LISTS);
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        try (var pending =
                new PendingSeeds(
                        terminal,
                        arguments.hasMatchedOption(Options.QUIET),
                        FleetOptions.isGiven(arguments)
                                ? Optional.empty()
                                : Optional.of(out(arguments).orElse(UNNAMED)))) {
            return execute(arguments, pending);
        }
    }

    private int execute(ParseResult arguments, PendingSeeds pending)
            throws ConfigException, IOException, InterruptedException {
        var settingValues = settings(arguments, terminal);
        var file = seedsFile(arguments, pending);
        var config = CrawlConfig.read(withSeeds(arguments, settingValues, file, pending));
        var hasLists = hasLists(file, pending);
        if (config.seeds().isEmpty() && !hasLists && existing(arguments).isEmpty()) {
            throw new UsageException(
                    "no seed URL; continue a crawl that was imported with 'orbweaver resume DIR'");
        }
        if (FleetOptions.isGiven(arguments)) {
            return submit(config, arguments, pending, file);
        }
        checkPrivateSeeds(
                config,
                hasLists || config.seeds().isEmpty(),
                arguments.hasMatchedOption(Options.QUIET));
        var directory =
                Directories.outputDirectory(
                        arguments,
                        config.seeds().isEmpty()
                                ? "crawl"
                                : config.seeds().getFirst().url().host());
        requireSameSeeds(config, directory);
        if (StoredCrawl.isCrawl(directory)) {
            new StartedCrawl(directory, config).prepareRestart(terminal);
        }
        return CrawlRun.of(arguments, terminal)
                .run(
                        config,
                        directory,
                        created -> {
                            pending.addNewTo(created);
                            if (file.isPresent()) {
                                file.get().addTo(created, terminal);
                            }
                        });
    }

    private int submit(
            CrawlConfig config,
            ParseResult arguments,
            PendingSeeds pending,
            Optional<SeedsFile> file)
            throws ConfigException, IOException, InterruptedException {
        if (arguments.hasMatchedOption(Options.OUT)) {
            throw new UsageException(
                    "--out cannot be used with --redis: the fleet's workers write the output");
        }
        var seedFiles = pending.seedFiles(file);
        if (!seedFiles.isEmpty()) {
            FleetOptions.requireScopeOfHosts(config);
        }
        if (arguments.hasMatchedOption(PendingSeeds.IMPORT_CAPTURES)
                && !arguments.hasMatchedOption(Options.QUIET)) {
            terminal.warn(
                    "in a fleet, revisit records do not refer to the payloads of an archive:"
                            + " content that it has is stored again");
        }
        return new FleetJobFollower(terminal, arguments.hasMatchedOption(Options.QUIET))
                .run(
                        config,
                        seedFiles,
                        arguments.hasMatchedOption(PendingSeeds.IMPORT_CAPTURES)
                                ? Optional.of(pending.directory())
                                : Optional.empty(),
                        FleetOptions.settings(arguments, "observer"));
    }

    private Optional<SeedsFile> seedsFile(ParseResult arguments, PendingSeeds pending)
            throws ConfigException, InterruptedException {
        if (!arguments.hasMatchedOption(SeedsFile.OPTION)) {
            return Optional.empty();
        }
        var file =
                SeedsFile.read(
                        arguments.matchedOptionValue(SeedsFile.OPTION, ""),
                        arguments.hasMatchedOption(STRICT),
                        pending);
        return Optional.of(file);
    }

    /**
     * Adds the seeds to the settings: arguments, the lines of short lists that have no fields, and
     * the first URL if all of them are in lists that the crawl reads.
     */
    private SettingValues withSeeds(
            ParseResult arguments,
            SettingValues settingValues,
            Optional<SeedsFile> file,
            PendingSeeds pending)
            throws ConfigException, IOException, InterruptedException {
        var named = arguments.matchedPositionalValue(0, List.<String>of());
        var seeds = new ArrayList<>(named);
        if (file.isPresent()) {
            var listed = file.get().settings(arguments.hasMatchedOption(STRICT), terminal);
            seeds.addAll(file.get().isLong() && !seeds.isEmpty() ? List.of() : listed);
            file.get().addLinesWithFields(pending);
        }
        var specs = PendingSeeds.specs(arguments);
        if (arguments.hasMatchedOption(PendingSeeds.IMPORT_CAPTURES)) {
            PendingSeeds.requireArchive(specs);
            if (!FleetOptions.isGiven(arguments)) {
                referToArchives(specs, settingValues);
            }
        }
        if (!specs.isEmpty()) {
            readSources(specs, seeds, arguments, settingValues, pending);
        }
        if (seeds.isEmpty() && settingValues.list(Settings.SEEDS).isEmpty()) {
            seeds.addAll(seedsOfLists(specs, arguments, file, pending));
            if (seeds.isEmpty() && (hasLists(file, pending) || existing(arguments).isPresent())) {
                settingValues.put(Settings.SEED_LISTS, "true");
            }
        }
        if (!seeds.isEmpty()) {
            settingValues.put(Settings.SEEDS, seeds);
        }
        return allowNamedOrigins(settingValues, named);
    }

    /** Makes the crawl refer to the payloads of archives whose captures it imports. */
    private static void referToArchives(List<SourceSpec> specs, SettingValues settingValues) {
        var revisits = settingValues.last(Settings.WARC_REVISITS).orElse("true");
        if (!revisits.toLowerCase(Locale.ROOT).matches("true|yes|on")) {
            return;
        }
        var places = new LinkedHashSet<>(settingValues.list(Settings.DEDUPE_WITH));
        for (var spec : specs) {
            if ((spec.type() == SourceType.WARC || spec.type() == SourceType.WACZ)
                    && ArchiveFile.isPlace(spec.argument())) {
                places.add(Path.of(spec.argument()).toAbsolutePath().normalize().toString());
            }
        }
        if (!places.isEmpty()) {
            settingValues.put(Settings.DEDUPE_WITH, List.copyOf(places));
        }
    }

    /** Reads the sources that the crawl does not have yet. */
    private static void readSources(
            List<SourceSpec> specs,
            List<String> seeds,
            ParseResult arguments,
            SettingValues settingValues,
            PendingSeeds pending)
            throws ConfigException, IOException, InterruptedException {
        var given = settingValues.list(Settings.SEEDS);
        var checked = new SettingValues(Modules.SETTINGS).putAll(settingValues);
        // Wrong settings are reported before anything is requested.
        var config =
                CrawlConfig.read(
                        checked.put(
                                Settings.SEEDS,
                                seeds.isEmpty() ? given.isEmpty() ? PLACEHOLDER : given : seeds));
        var existing = existing(arguments);
        var importCaptures = arguments.hasMatchedOption(PendingSeeds.IMPORT_CAPTURES);
        pending.read(
                existing.isPresent()
                        ? pending.missing(specs, existing.get(), importCaptures)
                        : specs,
                config,
                importCaptures);
    }

    /** Returns the seed of a crawl whose other seeds are in lists; empty if all must wait. */
    private static List<String> seedsOfLists(
            List<SourceSpec> specs,
            ParseResult arguments,
            Optional<SeedsFile> file,
            PendingSeeds pending)
            throws ConfigException, IOException {
        var existing = existing(arguments);
        if (!specs.isEmpty() && existing.isPresent()) {
            return StoredCrawl.open(existing.get(), Modules.SETTINGS).config().seeds().stream()
                    .map(seed -> seed.url().text())
                    .toList();
        }
        var first = pending.firstUrl().or(() -> file.flatMap(SeedsFile::firstUrl));
        if (first.isEmpty() && !specs.isEmpty() && file.isEmpty()) {
            throw new UsageException(
                    PendingSeeds.OPTION
                            + " lists no URL; give a URL as an argument or another source");
        }
        return first.stream().toList();
    }

    private static boolean hasLists(Optional<SeedsFile> file, PendingSeeds pending)
            throws IOException {
        return pending.hasLists() || file.filter(SeedsFile::isLong).isPresent();
    }

    /** Returns the crawl that the command continues. */
    private static Optional<Path> existing(ParseResult arguments) {
        return out(arguments).filter(StoredCrawl::isCrawl);
    }

    private static Optional<Path> out(ParseResult arguments) {
        return Optional.of(arguments.matchedOptionValue(Options.OUT, ""))
                .filter(out -> !out.isEmpty())
                .map(Directories::parse);
    }

    /**
     * Reports private seeds: seeds from a file allow no private address, and none a link-local. If
     * there is no other seed, no directory is created, which would remember them as refused.
     */
    private void checkPrivateSeeds(CrawlConfig config, boolean hasLists, boolean quiet) {
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
        if (!hasLists && refused.size() == config.seeds().size()) {
            throw new UsageException(
                    "all seeds have private addresses, such as %s; use --allow-private (for link-local addresses --allow-addresses), or give the URL as an argument"
                            .formatted(refused.getFirst()));
        }
        if (!refused.isEmpty() && !quiet) {
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

    /** Joins all sources of settings, those that override others last. */
    static SettingValues settings(ParseResult arguments, Terminal terminal) throws ConfigException {
        var settingValues = new SettingValues(Modules.SETTINGS);
        if (arguments.hasMatchedOption("--config")) {
            var file = arguments.<String>matchedOptionValue("--config", "");
            settingValues.putAll(YamlFile.read(Path.of(file), Modules.SETTINGS));
        }
        settingValues.putAll(Environment.settings());
        settingValues.putPairs(arguments.matchedOptionValue(Options.SET, List.of()));
        readFlags(arguments, settingValues);
        Environment.warnOfUnknown(arguments, settingValues, terminal);
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
                            + existing.firstSeed()
                            + "); continue it with '"
                            + CommandHint.of("resume", directory)
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
