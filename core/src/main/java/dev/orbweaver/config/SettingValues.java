package dev.orbweaver.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.util.ArrayList;
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
        return this;
    }

    /** Sets values written as {@code NAME=VALUE}. */
    @CanIgnoreReturnValue
    public SettingValues putPairs(List<String> pairs) throws ConfigException {
        for (var pair : pairs) {
            var equals = pair.indexOf('=');
            if (equals < 1) {
                throw new ConfigException("", "--set: expected NAME=VALUE, not '" + pair + "'");
            }
            put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return this;
    }

    /** Copies all values of another source, and adds the extensions of its table. */
    @CanIgnoreReturnValue
    public SettingValues putAll(SettingValues others) {
        values.putAll(others.values);
        table = table.withExtensionsOf(others.table);
        return this;
    }

    public SettingValues filter(Predicate<String> names) {
        var part = new SettingValues(table);
        this.values.forEach(
                (key, values) -> {
                    if (names.test(key)) {
                        part.put(key, values);
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
