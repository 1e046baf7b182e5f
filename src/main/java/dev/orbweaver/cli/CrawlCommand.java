package dev.orbweaver.cli;

import dev.orbweaver.Orbweaver;
import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.config.YamlFile;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code orbweaver crawl URL...}: a new crawl, or the same one again in its folder. */
final class CrawlCommand implements Command {

    private static final Set<String> NOT_AN_OPTION = Set.of(Settings.SEEDS);

    private final Terminal terminal;

    private CrawlCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandSpec spec(Terminal terminal) {
        var command = new CrawlCommand(terminal);
        var spec = command.describe("crawl", "Crawl from one or more URLs.", "");
        spec.addPositional(
                PositionalParamSpec.builder()
                        .paramLabel("URL")
                        .arity("0..*")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .description("where to begin; without a scheme https is tried, then http")
                        .build());
        spec.addOption(
                text("--seeds", "FILE", "read URLs from a file, one a line; - is standard input"));
        spec.addOption(
                text(
                        "--out",
                        "DIR",
                        "the folder for everything; default: a new one named after the first"
                                + " host"));
        Settings.all().stream()
                .filter(setting -> !NOT_AN_OPTION.contains(setting.key()))
                .map(CrawlCommand::option)
                .forEach(spec::addOption);
        spec.addOption(
                text(
                        "--config",
                        "FILE",
                        "read settings from a YAML file, with the names of these options"));
        spec.addOption(
                OptionSpec.builder("--set")
                        .paramLabel("NAME=VALUE")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .description("any setting by its name in the YAML file")
                        .build());
        spec.addOption(toggle("--quiet", "print nothing but errors"));
        spec.addOption(
                toggle(
                        "--json",
                        "print the summary as JSON on standard output, all else on standard"
                                + " error"));
        return spec;
    }

    static OptionSpec toggle(String name, String help) {
        return OptionSpec.builder(name).type(boolean.class).arity("0").description(help).build();
    }

    static OptionSpec text(String name, String label, String help) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(help)
                .build();
    }

    private static OptionSpec option(Setting setting) {
        var help = setting.help();
        var fallback = setting.fallback();
        return switch (setting.form()) {
            case SWITCH ->
                    fallback.equals("true")
                            ? toggle("--no-" + setting.key(), "do not " + help)
                            : toggle("--" + setting.key(), help);
            case LIST ->
                    OptionSpec.builder("--" + setting.key())
                            .type(List.class)
                            .auxiliaryTypes(String.class)
                            .paramLabel(setting.form().label())
                            .description(
                                    help
                                            + (fallback.isEmpty()
                                                    ? ""
                                                    : "; default: " + fallback.replace(",", ", ")))
                            .build();
            case COUNT, DURATION, SIZE, TEXT, CHOICE ->
                    text(
                            "--" + setting.key(),
                            setting.form().label(),
                            help + (fallback.isEmpty() ? "" : "; default: " + fallback));
        };
    }

    @Override
    public int execute(ParseResult arguments) {
        try {
            var config = CrawlConfig.read(values(arguments));
            var folder = folder(arguments, config);
            return new CrawlRun(
                            terminal,
                            arguments.hasMatchedOption("--quiet"),
                            arguments.hasMatchedOption("--json"))
                    .run(config, folder);
        } catch (ConfigException e) {
            throw new UsageException(String.join("\norbweaver: ", e.problems()));
        }
    }

    private static Values values(ParseResult arguments) throws ConfigException {
        var values = new Values();
        if (arguments.hasMatchedOption("--config")) {
            values.putAll(
                    YamlFile.read(Path.of(arguments.<String>matchedOptionValue("--config", ""))));
        }
        values.putPairs(arguments.matchedOptionValue("--set", List.of()));
        flags(arguments, values);
        var seeds = new ArrayList<>(arguments.matchedPositionalValue(0, List.<String>of()));
        seeds.addAll(seedsFrom(arguments.matchedOptionValue("--seeds", "")));
        if (!seeds.isEmpty()) {
            values.put(Settings.SEEDS, seeds);
        }
        return values;
    }

    private static void flags(ParseResult arguments, Values values) {
        for (var setting : Settings.all()) {
            var name = "--" + setting.key();
            if (arguments.hasMatchedOption("--no-" + setting.key())) {
                values.put(setting.key(), "false");
            } else if (arguments.hasMatchedOption(name) && !NOT_AN_OPTION.contains(setting.key())) {
                switch (setting.form()) {
                    case SWITCH -> values.put(setting.key(), "true");
                    case LIST ->
                            values.put(
                                    setting.key(),
                                    arguments.matchedOptionValue(name, List.<String>of()));
                    case COUNT, DURATION, SIZE, TEXT, CHOICE ->
                            values.put(setting.key(), arguments.matchedOptionValue(name, ""));
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
        } catch (IOException e) {
            throw new ConfigException(List.of("cannot read URLs from " + file));
        }
    }

    private static Path folder(ParseResult arguments, CrawlConfig config) throws ConfigException {
        if (!arguments.hasMatchedOption("--out")) {
            return newFolder(config.seeds().getFirst().url().host());
        }
        var folder = Path.of(arguments.<String>matchedOptionValue("--out", ""));
        if (Orbweaver.isCrawl(folder)) {
            requireSameSeeds(config, Orbweaver.settingsOf(folder), folder);
        }
        return folder;
    }

    private static Path newFolder(String host) {
        var name = host.replaceAll("[^A-Za-z0-9._-]", "_");
        var folder = Path.of(name);
        for (var number = 2; Files.exists(folder); number++) {
            folder = Path.of(name + "-" + number);
        }
        return folder;
    }

    private static void requireSameSeeds(CrawlConfig wanted, CrawlConfig there, Path folder) {
        if (!urls(wanted).equals(urls(there))) {
            throw new UsageException(
                    folder
                            + " holds a crawl of other seeds ("
                            + there.seeds().getFirst().url()
                            + "); go on with it by 'orbweaver resume "
                            + folder
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
