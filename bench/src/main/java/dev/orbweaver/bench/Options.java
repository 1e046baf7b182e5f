package dev.orbweaver.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Options of the form {@code --name value}. */
record Options(Map<String, String> values) {

    static Options read(List<String> words) {
        var values = new HashMap<String, String>();
        for (var i = 0; i + 1 < words.size(); i += 2) {
            if (!words.get(i).startsWith("--")) {
                throw new IllegalArgumentException("expected --name value, not " + words.get(i));
            }
            values.put(words.get(i).substring(2), words.get(i + 1));
        }
        if (words.size() % 2 != 0) {
            throw new IllegalArgumentException(words.getLast() + " has no value");
        }
        return new Options(values);
    }

    String text(String name, String fallback) {
        return values.getOrDefault(name, fallback);
    }

    int number(String name, int fallback) {
        return values.containsKey(name) ? Integer.parseInt(values.get(name)) : fallback;
    }
}
