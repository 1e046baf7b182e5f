package dev.orbweaver.config;

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

/** Settings as types. A bad value is noted and its default used, so that all problems are found. */
public final class CheckedValues {

    private static final Duration UNLIMITED = Duration.ofDays(36_500);
    private static final String TIME = "a time such as 500ms, 2s, 5m or 1h";
    private static final int SHOWN_MAX = 200;

    private final SettingValues settingValues;
    private final List<Problem> problems = new ArrayList<>();

    /** Notes a problem for every name that no setting has. */
    public CheckedValues(SettingValues settingValues) {
        this.settingValues = settingValues;
        problems.addAll(settingValues.unknownNames());
    }

    List<Problem> problems() {
        return problems;
    }

    public void addProblem(String key, String message) {
        problems.add(new Problem(key, message));
    }

    /** Notes that a value is not what its setting takes. */
    public void addInvalid(String key, String text, String expected) {
        addProblem(key, key + ": " + quote(text) + " is not " + expected);
    }

    /** What a user wrote, shortened and escaped for messages. */
    public static String quote(String text) {
        return text.codePoints()
                .limit(SHOWN_MAX)
                .mapToObj(c -> PrintableText.isPrintable(c) ? Character.toString(c) : " ")
                .collect(Collectors.joining("", "'", "'"));
    }

    List<String> list(String key) {
        return settingValues.list(key);
    }

    /** Words separated by commas, in lower case, without a dot before them. */
    Set<String> words(String key) {
        var texts = settingValues.has(key) ? settingValues.list(key) : List.of(defaultValue(key));
        return texts.stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .map(word -> word.startsWith(".") ? word.substring(1) : word)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }

    /** A text that may go into a header field: nothing in it can begin another line. */
    public String text(String key) {
        var text = settingValues.last(key).orElse(defaultValue(key));
        if (text.chars().anyMatch(c -> c < ' ' || c > '~')) {
            addProblem(key, key + " must be plain ASCII in one line");
            return defaultValue(key);
        }
        return text.strip();
    }

    /** The name of a file, if one is given. */
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
            // There can be no such file, which is what is said below.
        }
        addInvalid(key, text, "the name of a file");
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
                "yes or no");
    }

    /** How long to wait before something; {@code none} is not at all. */
    public Duration delay(String key) {
        return value(key, CheckedValues::parseDelay, TIME);
    }

    /** {@code auto} is what follows from other settings. */
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

    /** How long something may take at most; {@code none} is without end. */
    Duration limit(String key) {
        return value(
                key,
                text -> isNone(text) ? Optional.of(UNLIMITED) : Quantities.duration(text),
                TIME);
    }

    /** A {@link #limit} that cannot be 0. */
    public Duration timeout(String key) {
        return value(
                key,
                text ->
                        isNone(text)
                                ? Optional.of(UNLIMITED)
                                : Quantities.duration(text).filter(Duration::isPositive),
                TIME + ", more than 0");
    }

    /** How many bytes at most; {@code none} is without end. */
    long size(String key) {
        return value(
                key,
                text -> isNone(text) ? Optional.of(Long.MAX_VALUE) : Quantities.size(text),
                "a size such as 100KB, 20MB or 1GB");
    }

    int sizeInMemory(String key) {
        return (int) Math.min(size(key), Integer.MAX_VALUE / 2);
    }

    /** How many; {@code none} is 0, where that is allowed. */
    public int count(String key, int least) {
        return value(
                key,
                text ->
                        Quantities.count(isNone(text) ? "0" : text)
                                .filter(number -> number >= least && number <= Integer.MAX_VALUE)
                                .map(Long::intValue),
                "a whole number from " + least + " to " + Integer.MAX_VALUE);
    }

    /** {@code auto} is what follows from other settings. */
    int countOr(String key, int least, int automatic) {
        return value(
                key,
                text ->
                        text.equalsIgnoreCase(Settings.AUTO)
                                ? Optional.of(automatic)
                                : Quantities.count(text)
                                        .filter(n -> n >= least && n <= Integer.MAX_VALUE)
                                        .map(Long::intValue),
                "a whole number, " + least + " or more, or auto");
    }

    boolean isAuto(String key) {
        return settingValues.last(key).orElse(defaultValue(key)).equalsIgnoreCase(Settings.AUTO);
    }

    double factor(String key) {
        return value(key, Quantities::factor, "a number from 0 to " + Quantities.FACTOR_MAX);
    }

    /** How many at most; {@code none} is without end. */
    long countLimit(String key, long least) {
        return value(
                key,
                text ->
                        isNone(text)
                                ? Optional.of(Long.MAX_VALUE)
                                : Quantities.count(text).filter(number -> number >= least),
                "a whole number, " + least + " or more, or none");
    }

    public <E extends Enum<E>> E choice(Choice<E> choice) {
        return value(choice.key(), choice::parse, "one of " + String.join(", ", choice.ids()));
    }

    private static boolean isNone(String text) {
        return text.equalsIgnoreCase("none");
    }

    private <T> T value(String key, Function<String, Optional<T>> parse, String expected) {
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
