package dev.orbweaver.cli;

import dev.orbweaver.config.RobotsReader;
import dev.orbweaver.config.Setting;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.util.List;

/** The options that commands share, and the forms they take. */
final class Options {

    static final String OUT = "--out";
    static final String SET = "--set";
    static final String QUIET = "--quiet";
    static final String JSON = "--json";

    private Options() {}

    static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("show this help")
                .build();
    }

    static OptionSpec quiet() {
        return toggle(QUIET, "print nothing but errors");
    }

    static OptionSpec json() {
        return toggle(
                JSON, "print the summary as JSON on standard output, all else on standard error");
    }

    static OptionSpec set() {
        return list(SET, "NAME=VALUE", "any setting by its name in the YAML file");
    }

    static PositionalParamSpec directory() {
        return parameter(0, "DIR", "the crawl's folder");
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
     * @param from the index of the first
     * @param arity "0..*" if there may be none
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

    /** The option for a setting. One that is on by default can only be switched off. */
    static OptionSpec of(Setting setting) {
        var fallback = setting.defaultValue();
        var help = setting.help();
        var full = fallback.isEmpty() ? help : help + "; default: " + fallback.replace(",", ", ");
        if (setting.key().equals(RobotsReader.KEY)) {
            return robots(setting, full);
        }
        return switch (setting.valueType()) {
            case SWITCH ->
                    fallback.equals("true")
                            ? toggle("--no-" + setting.key(), "do not " + help)
                            : toggle("--" + setting.key(), help);
            case LIST -> list("--" + setting.key(), setting.valueType().label(), full);
            case COUNT, FACTOR, DURATION, SIZE, TEXT, CHOICE ->
                    text("--" + setting.key(), setting.valueType().label(), full);
        };
    }

    /** Its value is one word, or two where the first is {@code custom}. */
    private static OptionSpec robots(Setting setting, String help) {
        return OptionSpec.builder("--" + setting.key())
                .type(String.class)
                .paramLabel("obey|ignore|custom FILE")
                .preprocessor(
                        (arguments, _, _, _) -> {
                            if (arguments.size() > 1 && arguments.peek().equals("custom")) {
                                var _ = arguments.push(arguments.pop() + " " + arguments.pop());
                            }
                            return false; // The value is still to be taken.
                        })
                .description(help)
                .build();
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

    static OptionSpec list(String name, String label, String help) {
        return OptionSpec.builder(name)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel(label)
                .description(help)
                .build();
    }
}
