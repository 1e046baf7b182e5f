package dev.orbweaver.internal.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Settings from environment variables: {@code max-pages} is {@code ORBWEAVER_MAX_PAGES}. A list has
 * one value per line. An empty variable counts as not set.
 */
public final class EnvironmentVariables {

    private static final String PREFIX = "ORBWEAVER_";

    /** Variables that are no settings: the fleet's Redis, and test data. */
    static final Set<String> RESERVED = Set.of("ORBWEAVER_REDIS", "ORBWEAVER_VECTORS");

    private EnvironmentVariables() {}

    /** Returns the variable of a setting. */
    public static String nameOf(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Returns the settings that the environment contains. */
    public static SettingValues read(Map<String, String> environment, Settings table) {
        var settingValues = new SettingValues(table);
        for (var setting : table.all()) {
            var name = nameOf(setting.key());
            var text = environment.getOrDefault(name, "").strip();
            if (!text.isEmpty()) {
                settingValues.putVariable(setting.key(), name, values(setting, text));
            }
        }
        return settingValues;
    }

    private static List<String> values(Setting setting, String text) {
        return setting.valueType() == Setting.ValueType.LIST
                ? text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList()
                : List.of(text);
    }

    /**
     * Returns a warning for every variable with the prefix that is neither a setting nor reserved.
     *
     * @param isReferenced whether the user refers to a variable by its name
     */
    public static List<String> unknown(
            Map<String, String> environment, Settings table, Predicate<String> isReferenced) {
        var known = new TreeSet<>(RESERVED);
        table.all().forEach(setting -> known.add(nameOf(setting.key())));
        var warnings = new ArrayList<String>();
        for (var name : new TreeSet<>(environment.keySet())) {
            if (name.startsWith(PREFIX) && !known.contains(name) && !isReferenced.test(name)) {
                var key =
                        name.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '-');
                warnings.add(
                        "unknown environment variable %s is ignored%s"
                                .formatted(
                                        name,
                                        table.nearest(key)
                                                .map(it -> "; did you mean " + nameOf(it) + "?")
                                                .orElse("")));
            }
        }
        return warnings;
    }
}
