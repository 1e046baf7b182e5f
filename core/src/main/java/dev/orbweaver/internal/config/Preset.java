package dev.orbweaver.internal.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Defaults for a purpose; values that the user sets override them. */
public enum Preset {
    /** The normal defaults. */
    NONE,
    /** A manual below one path, with several requests at a time. */
    DOCUMENTATION,
    /** A whole large site. */
    LARGE_SITE,
    /** Low load on the server. */
    CAREFUL,
    /** Pages with their images, style sheets and scripts. */
    ARCHIVE;

    /** The key of the setting. */
    public static final String KEY = "preset";

    public Map<String, String> settings() {
        return switch (this) {
            case NONE -> Map.of();
            case DOCUMENTATION ->
                    Map.of(
                            "scope",
                            "path",
                            "concurrency",
                            "30",
                            "concurrency-per-host",
                            "4",
                            "timeout",
                            "5s");
            case LARGE_SITE ->
                    Map.of(
                            "scope",
                            "host",
                            "concurrency",
                            "50",
                            "concurrency-per-host",
                            "8",
                            "timeout",
                            "3s");
            case CAREFUL ->
                    Map.of(
                            "concurrency",
                            "10",
                            "concurrency-per-host",
                            "1",
                            "delay",
                            "2s",
                            "timeout",
                            "8s");
            case ARCHIVE -> Map.of("page-requisites", "true", "warc-digests", "both");
        };
    }

    public String description() {
        return switch (this) {
            case NONE -> "the normal defaults";
            case DOCUMENTATION -> "a manual below one path, with several requests at a time";
            case LARGE_SITE -> "a whole large site";
            case CAREFUL -> "low load on the server";
            case ARCHIVE -> "pages with their images, style sheets and scripts";
        };
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the given values on top of the defaults of the preset that they name. */
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
