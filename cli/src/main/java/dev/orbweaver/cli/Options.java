package dev.orbweaver.cli;

import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.config.RobotsReader;
import dev.orbweaver.internal.config.Setting;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.util.List;

/** Options that several commands share, and factories for picocli option specs. */
final class Options {

    static final String OUT = "--out";
    static final String SET = "--set";
    static final String QUIET = "--quiet";
    static final String JSON = "--json";

    /** The options that set where a command writes. */
    private static final List<String> OUTPUTS = List.of(OUT, "--to", "--data");

    private Options() {}

    /** Returns the option that sets the output path of a command; empty if there is none. */
    static String outputOption(CommandSpec command) {
        return OUTPUTS.stream()
                .filter(option -> command.findOption(option) != null)
                .findFirst()
                .orElse("");
    }

    static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("show this help")
                .build();
    }

    static OptionSpec version() {
        return OptionSpec.builder(Main.VERSION_OPTIONS.toArray(String[]::new))
                .versionHelp(true)
                .description("show the version")
                .build();
    }

    static OptionSpec quiet() {
        return toggle(QUIET, "print errors only");
    }

    static OptionSpec json() {
        return toggle(
                JSON,
                "print the summary as JSON to standard output and everything else to standard"
                        + " error");
    }

    static OptionSpec set() {
        return set("max-pages=100");
    }

    static OptionSpec set(String example) {
        return list(
                SET, "NAME=VALUE", "set a setting by name, such as " + example + "; repeatable");
    }

    static PositionalParamSpec directory() {
        return parameter(0, "DIR", "directory of the crawl");
    }

    static PositionalParamSpec parameter(int index, String label, String help) {
        return PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .paramLabel(label)
                .type(String.class)
                .required(true)
                .description(help)
                .build();
    }

    /**
     * @param from the index of the first argument
     * @param arity "0..*" if the arguments are optional
     */
    static PositionalParamSpec parameters(int from, String arity, String label, String help) {
        return PositionalParamSpec.builder()
                .index(from + "..*")
                .arity(arity)
                .paramLabel(label)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .required(!arity.startsWith("0"))
                .description(help)
                .build();
    }

    /**
     * Returns the option for a setting; a switch that is on by default becomes {@code --no-KEY}.
     */
    static OptionSpec of(Setting setting) {
        return of(setting, Preset.NONE);
    }

    static OptionSpec of(Setting setting, Preset preset) {
        var fallback =
                setting.key().equals(Preset.KEY)
                        ? preset.id()
                        : preset.settings().getOrDefault(setting.key(), setting.defaultValue());
        return of(setting, fallback);
    }

    /**
     * @param fallback the default value to show
     */
    static OptionSpec of(Setting setting, String fallback) {
        var help = setting.help();
        var full =
                fallback.isEmpty()
                        ? help
                        : help + " (default: " + fallback.replace(",", ", ") + ")";
        if (setting.key().equals(RobotsReader.KEY)) {
            return robots(setting, full);
        }
        return switch (setting.valueType()) {
            case SWITCH ->
                    fallback.equals("true")
                            ? toggle("--no-" + setting.key(), "do not " + help)
                            : toggle("--" + setting.key(), help);
            case LIST -> list("--" + setting.key(), setting.placeholder(), full);
            case COUNT, FACTOR, DURATION, SIZE, TEXT, CHOICE ->
                    text("--" + setting.key(), setting.placeholder(), full);
        };
    }

    /** Accepts a value of one word, or of two if the first is {@code custom}. */
    private static OptionSpec robots(Setting setting, String help) {
        return OptionSpec.builder("--" + setting.key())
                .type(String.class)
                .paramLabel(setting.placeholder())
                .preprocessor(
                        (arguments, _, _, _) -> {
                            if (arguments.size() > 1 && arguments.peek().equals("custom")) {
                                var custom = arguments.pop();
                                if (arguments.peek().startsWith("--")) {
                                    arguments.push(custom); // The file is missing.
                                } else {
                                    arguments.push(custom + " " + arguments.pop());
                                }
                            }
                            return false; // Lets picocli consume the value.
                        })
                .description(help)
                .build();
    }

    static OptionSpec toggle(String name, String help) {
        return OptionSpec.builder(name).type(boolean.class).arity("0").description(help).build();
    }

    static OptionSpec text(String name, String label, String... help) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(help)
                .build();
    }

    static OptionSpec list(String name, String label, String help) {
        return OptionSpec.builder(name)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel(label)
                .description(help)
                .build();
    }
}
