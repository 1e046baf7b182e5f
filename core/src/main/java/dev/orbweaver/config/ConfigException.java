package dev.orbweaver.config;

import java.util.List;

/** Everything that is wrong with the settings, each in a sentence. */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1;
    private final transient List<String> problems;

    /** With at least one problem. */
    public ConfigException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** The sentences. */
    public List<String> problems() {
        return problems;
    }
}
