package dev.orbweaver.internal.crawl;

import dev.orbweaver.spi.Extraction;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The fields of a page as a map and as JSON, within their limits. */
public final class Fields {

    private static final int NAME_MAX = 64;
    private static final JsonMapper READER =
            JsonMapper.builder().enable(DeserializationFeature.USE_LONG_FOR_INTS).build();

    private final Map<String, Object> values = new LinkedHashMap<>();

    void put(String name, Object value) {
        if (name.isEmpty() || name.length() > NAME_MAX) {
            throw new IllegalArgumentException(
                    "a field name has 1 to %d characters, not %d: %.80s"
                            .formatted(NAME_MAX, name.length(), name));
        }
        var before = values.put(name, Objects.requireNonNull(value, name));
        var bytes = toJson().getBytes(StandardCharsets.UTF_8).length;
        if (values.size() <= Extraction.FIELDS_MAX && bytes <= Extraction.FIELD_BYTES_MAX) {
            return;
        }
        if (before == null) {
            values.remove(name);
        } else {
            values.put(name, before);
        }
        throw new IllegalArgumentException(
                "field '%s' does not fit: a page has at most %d fields with %d bytes in all"
                        .formatted(name, Extraction.FIELDS_MAX, Extraction.FIELD_BYTES_MAX));
    }

    /** Returns a JSON object on one line, empty when there are no fields. */
    String toJson() {
        return values.isEmpty() ? "" : JsonMapper.shared().writeValueAsString(values);
    }

    /** Reads fields as they are stored; integers are longs. */
    public static Map<String, Object> parse(String json) {
        return json.isEmpty()
                ? Map.of()
                : Collections.unmodifiableMap(
                        READER.readValue(
                                json, new TypeReference<LinkedHashMap<String, Object>>() {}));
    }
}
