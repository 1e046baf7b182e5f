package dev.orbweaver.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Options of the form {@code --name value}, and flags of the form {@code --name}. */
record Options(Map<String, String> values) {

    private static final String PREFIX = "--";
    private static final String SET = "true";

    static Options read(List<String> words) {
        var values = new HashMap<String, String>();
        for (var i = 0; i < words.size(); i++) {
            if (!words.get(i).startsWith(PREFIX)) {
                throw new IllegalArgumentException(
                        "expected --name or --name value, not " + words.get(i));
            }
            var name = words.get(i).substring(PREFIX.length());
            var isFlag = i + 1 == words.size() || words.get(i + 1).startsWith(PREFIX);
            values.put(name, isFlag ? SET : words.get(++i));
        }
        return new Options(values);
    }

    String text(String name, String fallback) {
        return values.getOrDefault(name, fallback);
    }

    int number(String name, int fallback) {
        return values.containsKey(name) ? Integer.parseInt(values.get(name)) : fallback;
    }

    /** Returns whether a flag is set. */
    boolean has(String name) {
        return values.containsKey(name);
    }
}
