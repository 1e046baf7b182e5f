package dev.orbweaver.config;

import java.util.List;
import java.util.stream.Collectors;

/** Everything that is wrong with the settings. */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1;
    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(joined(problems, "\n"));
        this.problems = List.copyOf(problems);
    }

    /** With one problem; the key is empty where no single setting is wrong. */
    public ConfigException(String key, String message) {
        this(List.of(new Problem(key, message)));
    }

    public List<Problem> problems() {
        return problems;
    }

    /** All problems in one line. */
    public String summary() {
        return joined(problems, "; ");
    }

    private static String joined(List<Problem> problems, String separator) {
        return problems.stream().map(Problem::message).collect(Collectors.joining(separator));
    }
}
