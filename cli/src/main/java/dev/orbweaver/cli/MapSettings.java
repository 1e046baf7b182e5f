package dev.orbweaver.cli;

import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What makes a crawl the map of a site, for the command and the service. */
final class MapSettings {

    /** Defaults that differ from those of a crawl: the user is waiting, and nothing is resumed. */
    static final Map<String, String> DEFAULTS =
            Map.of("max-retries", "1", "max-idle-wait", "5s", "max-pages", "100");

    private static final Map<String, String> FIXED =
            Map.of(
                    "concurrency", "1",
                    "sitemaps", "false",
                    "page-requisites", "false",
                    "warc-compression", "none",
                    "min-free-disk", "none");

    static final List<SourceType> INDEX_SERVERS =
            Stream.of(SourceType.values()).filter(SourceType::isIndexServer).toList();

    private MapSettings() {}

    static Optional<SourceType> index(String name) {
        return INDEX_SERVERS.stream().filter(type -> type.id().equals(name)).findFirst();
    }

    static String indexNames() {
        return INDEX_SERVERS.stream().map(SourceType::id).collect(Collectors.joining(", "));
    }

    /** Returns the settings of a map with the given ones, among which its seed may be missing. */
    static SettingValues of(SettingValues given, int depth) {
        var values = new SettingValues(Modules.SETTINGS);
        DEFAULTS.forEach(values::put);
        values.putAll(given);
        FIXED.forEach(values::put);
        values.put("max-depth", Integer.toString(Math.max(0, depth - 1)));
        // The given settings may name databases, which are not to get these pages.
        var sources = Settings.CORE.with(SeedSources.extension());
        Modules.SETTINGS.all().stream()
                .filter(setting -> sources.find(setting.key()).isEmpty())
                .forEach(setting -> values.put(setting.key(), setting.defaultValue()));
        return values;
    }
}
