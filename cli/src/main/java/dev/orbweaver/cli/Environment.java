package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.EnvironmentVariables;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import picocli.CommandLine.ParseResult;

import java.util.List;

/** Reads settings from environment variables, and warns of variables that are no settings. */
final class Environment {

    private Environment() {}

    static SettingValues settings() {
        return EnvironmentVariables.read(System.getenv(), Modules.SETTINGS);
    }

    /**
     * Warns of unknown variables, except those that an option or a setting refers to, such as
     * {@code env:ORBWEAVER_PASSWORD}.
     */
    static void warnOfUnknown(ParseResult arguments, SettingValues values, Terminal terminal) {
        EnvironmentVariables.unknown(
                        System.getenv(),
                        Modules.SETTINGS,
                        name ->
                                refersTo(arguments.originalArgs(), name)
                                        || Modules.SETTINGS.all().stream()
                                                .anyMatch(
                                                        setting ->
                                                                refersTo(
                                                                        values.list(setting.key()),
                                                                        name)))
                .forEach(terminal::warn);
    }

    private static boolean refersTo(List<String> texts, String variable) {
        return texts.stream().anyMatch(text -> text.contains("env:" + variable));
    }

    /** Whether private addresses are allowed, by option or variable. */
    static boolean allowsPrivate(ParseResult arguments) throws ConfigException {
        return arguments.hasMatchedOption("--allow-private") || flag("allow-private");
    }

    private static boolean flag(String key) throws ConfigException {
        var checked = new CheckedValues(settings().filter(key::equals));
        var flag = checked.flag(key);
        if (!checked.problems().isEmpty()) {
            throw new ConfigException(checked.problems());
        }
        return flag;
    }

    /** The address ranges that are allowed, by option or variable. */
    static List<String> allowedAddresses(ParseResult arguments) {
        return arguments.matchedOptionValue(
                "--" + Settings.ALLOW_ADDRESSES, settings().list(Settings.ALLOW_ADDRESSES));
    }

    /** Names the option or the variable that {@link #text} reads, for error messages. */
    static String source(ParseResult arguments, String option) {
        return arguments.hasMatchedOption(option)
                ? option
                : settings().variable(option.substring("--".length())).orElse(option);
    }

    /** The value of an option, or of the variable of the same name. */
    static String text(ParseResult arguments, String option, String fallback) {
        return arguments.matchedOptionValue(
                option, settings().last(option.substring("--".length())).orElse(fallback));
    }
}
