package dev.orbweaver.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown for invalid settings; lists every problem, not only the first.
 *
 * <pre>{@code
 * } catch (ConfigException e) {
 *     e.problems().forEach(problem -> System.err.println(problem.message()));
 * }
 * }</pre>
 */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1;
    private final transient List<Problem> problems;

    /** Reports problems. */
    public ConfigException(List<Problem> problems) {
        super(joined(problems, "\n"));
        this.problems = List.copyOf(problems);
    }

    /** Reports one problem; the key is empty if it concerns no single setting. */
    public ConfigException(String key, String message) {
        this(List.of(new Problem(key, message)));
    }

    /** Returns all problems. */
    public List<Problem> problems() {
        return problems;
    }

    /** Returns all problems in one line. */
    public String summary() {
        return joined(problems, "; ");
    }

    private static String joined(List<Problem> problems, String separator) {
        return problems.stream().map(Problem::message).collect(Collectors.joining(separator));
    }
}
