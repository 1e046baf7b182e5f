package dev.orbweaver.imports;

import dev.orbweaver.config.ConfigException;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A source as a user writes it: {@code TYPE:ARGUMENT}, for some types followed by {@code
 * #NAME=VALUE}, such as {@code csv:urls.csv#column=link}.
 *
 * @param option the value of the type's option; empty if it is not given
 */
public record SourceSpec(SourceType type, String argument, String option) {

    /** The option that takes sources, for messages. */
    static final String KEY = "seed-from";

    /**
     * Parses one source; {@code -} is {@code txt:-}.
     *
     * @throws ConfigException if the type is unknown, the argument missing or an option wrong
     */
    public static SourceSpec parse(String text) throws ConfigException {
        var trimmed = text.strip();
        if (trimmed.equals(InputFile.STANDARD_INPUT)) {
            return new SourceSpec(SourceType.TXT, trimmed, "");
        }
        var colon = trimmed.indexOf(':');
        var type =
                colon < 0
                        ? Optional.<SourceType>empty()
                        : SourceType.find(trimmed.substring(0, colon));
        if (type.isEmpty()) {
            throw invalid(
                    text,
                    "expected TYPE:ARGUMENT, where TYPE is one of "
                            + Arrays.stream(SourceType.values())
                                    .map(SourceType::id)
                                    .collect(Collectors.joining(", ")));
        }
        return parse(text, type.get(), trimmed.substring(colon + 1).strip());
    }

    private static SourceSpec parse(String text, SourceType type, String rest)
            throws ConfigException {
        // Only a type with an option gives # a meaning: file names and URLs may contain it.
        var mark = type.option().isEmpty() ? -1 : rest.lastIndexOf('#');
        var argument = mark < 0 ? rest : rest.substring(0, mark);
        if (argument.isEmpty()) {
            throw invalid(text, "expected " + type.id() + ":" + type.argument());
        }
        if (mark < 0) {
            return new SourceSpec(type, argument, "");
        }
        var prefix = type.option() + "=";
        var option = rest.substring(mark + 1);
        if (!option.startsWith(prefix) || option.length() == prefix.length()) {
            throw invalid(text, "expected #%sVALUE after the argument".formatted(prefix));
        }
        return new SourceSpec(type, argument, option.substring(prefix.length()));
    }

    /** Returns the option as a number from 1, or the default. */
    int count(int fallback) throws ConfigException {
        if (option.isEmpty()) {
            return fallback;
        }
        try {
            var number = Integer.parseInt(option);
            if (number >= 1) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw invalid(toString(), "expected a whole number from 1 after " + type.option() + "=");
    }

    static ConfigException invalid(String text, String expected) {
        return new ConfigException(KEY, "%s: '%s': %s".formatted(KEY, text, expected));
    }

    @Override
    public String toString() {
        return type.id()
                + ":"
                + argument
                + (option.isEmpty() ? "" : "#" + type.option() + "=" + option);
    }
}
