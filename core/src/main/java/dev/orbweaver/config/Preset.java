package dev.orbweaver.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Settings for a purpose, used as defaults: values that are given override them. */
public enum Preset {
    /** The defaults as they are. */
    NONE,
    /** A manual below one path, quickly. */
    DOCUMENTATION,
    /** All of a large site. */
    LARGE_SITE,
    /** A server that must not feel it. */
    CAREFUL,
    /** Pages with all that they need to be shown. */
    ARCHIVE;

    /** The name of the setting. */
    public static final String KEY = "preset";

    public Map<String, String> settings() {
        return switch (this) {
            case NONE -> Map.of();
            case DOCUMENTATION ->
                    Map.of("scope", "path", "workers", "30", "per-host", "4", "timeout", "5s");
            case LARGE_SITE ->
                    Map.of("scope", "host", "workers", "50", "per-host", "8", "timeout", "3s");
            case CAREFUL ->
                    Map.of("workers", "10", "per-host", "1", "delay", "2s", "timeout", "8s");
            case ARCHIVE -> Map.of("requisites", "true");
        };
    }

    public String description() {
        return switch (this) {
            case NONE -> "the defaults as they are";
            case DOCUMENTATION -> "a manual below one path, quickly";
            case LARGE_SITE -> "all of a large site";
            case CAREFUL -> "a server that must not feel it";
            case ARCHIVE -> "pages with all that they need to be shown";
        };
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What was said over what the preset that it names says. */
    static SettingValues applyDefaults(SettingValues given) {
        var word = given.last(KEY).orElse(NONE.id());
        var all = new SettingValues(given.table());
        Arrays.stream(values())
                .filter(preset -> preset.id().equalsIgnoreCase(word))
                .findFirst()
                .ifPresent(preset -> preset.settings().forEach(all::put));
        return all.putAll(given);
    }
}
