package dev.orbweaver.internal.config;

import dev.orbweaver.config.Problem;
import dev.orbweaver.model.PrintableText;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Converts settings to typed values. An invalid value is recorded as a problem and replaced by its
 * default, so that one pass finds all problems.
 */
public final class CheckedValues {

    private static final Duration UNLIMITED = Duration.ofDays(36_500);
    private static final String TIME = "a time such as 500ms, 2s, 5m or 1h";
    private static final int SHOWN_MAX = 200;

    private final SettingValues settingValues;
    private final List<Problem> problems = new ArrayList<>();

    /** Records a problem for every unknown setting. */
    public CheckedValues(SettingValues settingValues) {
        this.settingValues = settingValues;
        problems.addAll(settingValues.unknownNames());
    }

    public List<Problem> problems() {
        return problems;
    }

    public void addProblem(String key, String message) {
        var source =
                settingValues
                        .variable(key)
                        .map(name -> " (from the environment variable " + name + ")")
                        .orElse("");
        problems.add(new Problem(key, message + source));
    }

    /** Records that a value is invalid, and what is accepted. */
    public void addInvalid(String key, String text, String expected) {
        addProblem(key, key + ": " + quote(text) + " is not " + expected);
    }

    /** Quotes user input for messages: shortened, without control characters. */
    public static String quote(String text) {
        return text.codePoints()
                .limit(SHOWN_MAX)
                .mapToObj(c -> PrintableText.isPrintable(c) ? Character.toString(c) : " ")
                .collect(Collectors.joining("", "'", "'"));
    }

    List<String> list(String key) {
        return settingValues.list(key);
    }

    /** Returns comma-separated words in lower case, without a leading dot. */
    Set<String> words(String key) {
        var texts = settingValues.has(key) ? settingValues.list(key) : List.of(defaultValue(key));
        return texts.stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .map(word -> word.startsWith(".") ? word.substring(1) : word)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }

    /** Returns printable ASCII in one line, so that the text can be sent in a header field. */
    public String text(String key) {
        var text = settingValues.last(key).orElse(defaultValue(key));
        if (text.chars().anyMatch(c -> c < ' ' || c > '~')) {
            addProblem(key, key + " must be printable ASCII in one line");
            return defaultValue(key);
        }
        return text.strip();
    }

    /** Returns the path of a file, if one is set. */
    Optional<Path> file(String key) {
        var text = settingValues.last(key).orElse(defaultValue(key)).strip();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (text.chars().noneMatch(c -> c < ' ')) {
                return Optional.of(Path.of(text));
            }
        } catch (InvalidPathException e) {
            // Reported below.
        }
        addInvalid(key, text, "a file name");
        return Optional.empty();
    }

    public boolean flag(String key) {
        return value(
                key,
                text ->
                        switch (text.toLowerCase(Locale.ROOT)) {
                            case "true", "yes", "on" -> Optional.of(true);
                            case "false", "no", "off" -> Optional.of(false);
                            default -> Optional.empty();
                        },
                "true or false");
    }

    /** Returns a waiting time; {@code none} is 0. */
    public Duration delay(String key) {
        return value(key, CheckedValues::parseDelay, TIME);
    }

    /** Returns a waiting time; {@code auto} is the value derived from other settings. */
    Duration delayOr(String key, Duration automatic) {
        return value(
                key,
                text ->
                        text.equalsIgnoreCase(Settings.AUTO)
                                ? Optional.of(automatic)
                                : parseDelay(text),
                TIME);
    }

    private static Optional<Duration> parseDelay(String text) {
        return isNone(text) ? Optional.of(Duration.ZERO) : Quantities.duration(text);
    }

    /** Returns a maximum duration; {@code none} is unlimited. */
    Duration limit(String key) {
        return value(
                key,
                text -> isNone(text) ? Optional.of(UNLIMITED) : Quantities.duration(text),
                TIME);
    }

    /** Returns a {@link #limit} that must not be 0. */
    public Duration timeout(String key) {
        return value(
                key,
                text ->
                        isNone(text)
                                ? Optional.of(UNLIMITED)
                                : Quantities.duration(text).filter(Duration::isPositive),
                TIME + ", longer than 0");
    }

    /** Returns a maximum number of bytes; {@code none} is unlimited. */
    long size(String key) {
        return value(
                key,
                text -> isNone(text) ? Optional.of(Long.MAX_VALUE) : Quantities.size(text),
                "a size such as 100KB, 20MB or 1GB");
    }

    int sizeInMemory(String key) {
        return (int) Math.min(size(key), Integer.MAX_VALUE / 2);
    }

    /** Returns a number; {@code none} is 0, where 0 is allowed. */
    public int count(String key, int min) {
        return value(
                key,
                text ->
                        Quantities.count(isNone(text) ? "0" : text)
                                .filter(number -> number >= min && number <= Integer.MAX_VALUE)
                                .map(Long::intValue),
                "a whole number from " + min + " to " + Integer.MAX_VALUE);
    }

    /** Returns a number; {@code auto} is the value derived from other settings. */
    int countOr(String key, int min, int automatic) {
        return value(
                key,
                text ->
                        text.equalsIgnoreCase(Settings.AUTO)
                                ? Optional.of(automatic)
                                : Quantities.count(text)
                                        .filter(n -> n >= min && n <= Integer.MAX_VALUE)
                                        .map(Long::intValue),
                "a whole number, " + min + " or more, or auto");
    }

    boolean isAuto(String key) {
        return settingValues.last(key).orElse(defaultValue(key)).equalsIgnoreCase(Settings.AUTO);
    }

    double factor(String key) {
        return value(key, Quantities::factor, "a number from 0 to " + Quantities.FACTOR_MAX);
    }

    /** Returns a maximum number; {@code none} is unlimited. */
    long countLimit(String key, long min) {
        return value(
                key,
                text ->
                        isNone(text)
                                ? Optional.of(Long.MAX_VALUE)
                                : Quantities.count(text).filter(number -> number >= min),
                "a whole number, " + min + " or more, or none");
    }

    public <E extends Enum<E>> E choice(Choice<E> choice) {
        return value(choice.key(), choice::parse, "one of " + String.join(", ", choice.ids()));
    }

    private static boolean isNone(String text) {
        return text.equalsIgnoreCase("none");
    }

    /** Returns a value that a parser accepts; otherwise records a problem. */
    <T> T value(String key, Function<String, Optional<T>> parse, String expected) {
        var text = settingValues.last(key).orElse(defaultValue(key)).strip();
        var parsed = parse.apply(text);
        if (parsed.isEmpty()) {
            addInvalid(key, text, expected);
        }
        return parsed.or(() -> parse.apply(defaultValue(key))).orElseThrow();
    }

    private String defaultValue(String key) {
        return settingValues
                .table()
                .find(key)
                .orElseThrow(() -> new IllegalStateException("no setting " + key))
                .defaultValue();
    }
}
