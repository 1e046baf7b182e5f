package dev.orbweaver.internal.config;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** Reads and writes settings as YAML: one flat map with the names of the command line. */
public final class YamlFile {

    private static final YAMLMapper MAPPER =
            YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private YamlFile() {}

    /** Reads a file; reports every value of a wrong type, not only the first. */
    public static SettingValues read(Path file, Settings table) throws ConfigException {
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new ConfigException("", "cannot read settings file " + file + ": no such file");
        } catch (MalformedInputException e) {
            throw new ConfigException("", "cannot read settings file " + file + ": not UTF-8 text");
        } catch (IOException e) {
            throw new ConfigException(
                    "", "cannot read settings file %s: %s".formatted(file, e.getMessage()));
        }
        return parse(text, file.toString(), table);
    }

    /** Parses a text; error messages refer to it as {@code name}. */
    public static SettingValues parse(String text, String name, Settings table)
            throws ConfigException {
        var root = tree(text, name);
        if (root.isMissingNode() || root.isNull()) {
            return new SettingValues(table);
        }
        if (!root.isObject()) {
            throw new ConfigException("", name + ": expected lines of the form 'name: value'");
        }
        var settingValues = new SettingValues(table);
        var problems = new ArrayList<Problem>();
        for (var entry : root.properties()) {
            var key = entry.getKey();
            readValue(key, entry.getValue(), settingValues)
                    .ifPresent(
                            expected ->
                                    problems.add(
                                            new Problem(
                                                    key,
                                                    "%s: %s: expected %s"
                                                            .formatted(name, key, expected))));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return settingValues;
    }

    private static JsonNode tree(String text, String name) throws ConfigException {
        try {
            return MAPPER.readTree(text);
        } catch (JacksonException e) {
            // An exceeded limit of the library, such as its nesting depth, has no location.
            var where =
                    Optional.ofNullable(e.getLocation())
                            .map(location -> ", line " + location.getLineNr())
                            .orElse("");
            var what =
                    e.getOriginalMessage().startsWith("Duplicate")
                            ? "duplicate name"
                            : "invalid YAML";
            throw new ConfigException("", name + where + ": " + what);
        }
    }

    /** Sets a value; if it has the wrong type, returns what the setting expects. */
    private static Optional<String> readValue(
            String key, JsonNode node, SettingValues settingValues) {
        if (node.isObject()) {
            return Optional.of("a value or a list, not a map");
        }
        if (node.isArray()) {
            return readList(key, node, settingValues);
        }
        var text = node.isNull() ? "" : node.asString();
        settingValues.put(
                key, text.isEmpty() && settingValues.isList(key) ? List.of() : List.of(text));
        return Optional.empty();
    }

    private static Optional<String> readList(
            String key, JsonNode node, SettingValues settingValues) {
        if (settingValues.table().find(key).isPresent() && !settingValues.isList(key)) {
            return Optional.of("one value, not a list");
        }
        if (node.valueStream().anyMatch(item -> !item.isValueNode() || item.isNull())) {
            return Optional.of("a list of plain values; quote values with a colon or brackets");
        }
        settingValues.put(key, node.valueStream().map(JsonNode::asString).toList());
        return Optional.empty();
    }

    /**
     * Writes the effective settings as a file for {@link #read}. Settings of extensions are written
     * only if they are set, so that a program without the extension can read the file.
     */
    public static String write(SettingValues settingValues) {
        var map = new LinkedHashMap<String, Object>();
        for (var setting : settingValues.table().all()) {
            if (settingValues.has(setting.key())
                    || !settingValues.table().isOfExtension(setting.key())) {
                map.put(setting.key(), valueOf(setting, settingValues));
            }
        }
        return MAPPER.writeValueAsString(map).replaceFirst("^---\\n", "");
    }

    /** Returns the settings that differ from their defaults as JSON; {@link #parse} reads it. */
    public static String toJson(SettingValues settingValues) {
        var map = new LinkedHashMap<String, Object>();
        for (var setting : settingValues.table().all()) {
            var written = valueOf(setting, settingValues);
            var usual = valueOf(setting, new SettingValues());
            if (settingValues.has(setting.key()) && !written.equals(usual)) {
                map.put(setting.key(), written);
            }
        }
        return JsonMapper.shared().writeValueAsString(map);
    }

    private static Object valueOf(Setting setting, SettingValues settingValues) {
        if (setting.valueType() == Setting.ValueType.LIST) {
            return settingValues.has(setting.key())
                    ? settingValues.list(setting.key())
                    : defaultList(setting);
        }
        return settingValues.last(setting.key()).orElse(setting.defaultValue());
    }

    private static List<String> defaultList(Setting setting) {
        return setting.defaultValue().isEmpty() ? List.of() : List.of(setting.defaultValue());
    }
}
