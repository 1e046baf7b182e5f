package dev.orbweaver.server;

import tools.jackson.databind.json.JsonMapper;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Answers as JSON. */
final class Json {

    private Json() {}

    static byte[] bytes(Object value) {
        return JsonMapper.shared().writeValueAsBytes(value);
    }

    /** A part of a list, with how long the whole is. */
    static <T> Map<String, Object> page(
            List<T> items, long total, int offset, int limit, Function<T, ?> each) {
        var json = new LinkedHashMap<String, Object>();
        json.put("items", items.stream().map(each).toList());
        json.put("total", total);
        json.put("offset", offset);
        json.put("limit", limit);
        return json;
    }

    /** Puts a value that may not be there; then it is null. */
    static void put(Map<String, Object> json, String name, Optional<?> value) {
        json.put(name, value.orElse(null));
    }
}
