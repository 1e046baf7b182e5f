package dev.orbweaver.internal.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.config.Setting.ValueType;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Settings as written, before they are checked. Later sources override earlier ones. Unknown names
 * are kept, so that all of them can be reported at once.
 */
public final class SettingValues {

    private final Map<String, List<String>> values = new LinkedHashMap<>();

    /** The environment variables that the values of some settings were read from. */
    private final Map<String, String> variables = new HashMap<>();

    private Settings table;

    /** Creates an empty set of values for {@link Settings#CORE}. */
    public SettingValues() {
        this(Settings.CORE);
    }

    public SettingValues(Settings table) {
        this.table = table;
    }

    public Settings table() {
        return table;
    }

    @CanIgnoreReturnValue
    public SettingValues put(String key, String value) {
        return put(key, List.of(value));
    }

    @CanIgnoreReturnValue
    public SettingValues put(String key, List<String> values) {
        this.values.put(key, List.copyOf(values));
        variables.remove(key);
        return this;
    }

    void putVariable(String key, String variable, List<String> values) {
        put(key, values);
        variables.put(key, variable);
    }

    /** Returns the environment variable that the value of a setting was read from, if any. */
    public Optional<String> variable(String key) {
        return Optional.ofNullable(variables.get(key));
    }

    /**
     * Sets values written as {@code NAME=VALUE}. A list that is named repeatedly has all these
     * values; an empty value clears it.
     */
    @CanIgnoreReturnValue
    public SettingValues putPairs(List<String> pairs) throws ConfigException {
        var lists = new HashMap<String, List<String>>();
        for (var pair : pairs) {
            var equals = pair.indexOf('=');
            if (equals < 1) {
                throw new ConfigException("", "a setting is NAME=VALUE, not '" + pair + "'");
            }
            var key = pair.substring(0, equals);
            var value = pair.substring(equals + 1);
            if (isList(key)) {
                var all = lists.computeIfAbsent(key, _ -> new ArrayList<>());
                if (value.isEmpty()) {
                    all.clear();
                } else {
                    all.add(value);
                }
                put(key, all);
            } else {
                put(key, value);
            }
        }
        return this;
    }

    boolean isList(String key) {
        return table.find(key).filter(it -> it.valueType() == ValueType.LIST).isPresent();
    }

    /** Copies all values of another source, and adds the extensions of its table. */
    @CanIgnoreReturnValue
    public SettingValues putAll(SettingValues others) {
        values.putAll(others.values);
        variables.keySet().removeAll(others.values.keySet());
        variables.putAll(others.variables);
        table = table.withExtensionsOf(others.table);
        return this;
    }

    public SettingValues filter(Predicate<String> names) {
        var part = new SettingValues(table);
        this.values.forEach(
                (key, values) -> {
                    if (names.test(key)) {
                        part.put(key, values);
                        variable(key).ifPresent(name -> part.variables.put(key, name));
                    }
                });
        return part;
    }

    /** Whether the setting was set explicitly. */
    public boolean has(String key) {
        return values.containsKey(key);
    }

    public List<String> list(String key) {
        return values.getOrDefault(key, List.of());
    }

    public Optional<String> last(String key) {
        var values = list(key);
        return values.isEmpty() ? Optional.empty() : Optional.of(values.getLast());
    }

    /** Returns the changed settings as {@code name VALUE (was VALUE)}; secrets without values. */
    public List<String> changesSince(SettingValues before) {
        var changes = new ArrayList<String>();
        for (var setting : table.all()) {
            var key = setting.key();
            var now = joined(has(key) ? list(key) : List.of(setting.defaultValue()));
            var was = joined(before.has(key) ? before.list(key) : List.of(setting.defaultValue()));
            if (!key.equals(Settings.SEEDS) && !now.equals(was)) {
                changes.add(table.isPrivate(key) ? key : "%s %s (was %s)".formatted(key, now, was));
            }
        }
        return changes;
    }

    private static String joined(List<String> values) {
        var text = String.join(",", values);
        return text.isEmpty() ? "empty" : text;
    }

    /** Returns a problem for every unknown setting. */
    List<Problem> unknownNames() {
        var problems = new ArrayList<Problem>();
        for (var key : values.keySet()) {
            if (table.find(key).isEmpty()) {
                var hint =
                        table.nearest(key).map(name -> "; did you mean " + name + "?").orElse("");
                problems.add(new Problem(key, "unknown setting " + key + hint));
            }
        }
        return problems;
    }
}
