package dev.orbweaver.fleet.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the elements of a script's reply in order. */
final class ScriptReply {

    private final List<?> elements;
    private int at;

    /** Creates a reader. A reply that is not a list counts as a list with one element. */
    ScriptReply(Object reply) {
        this.elements = reply instanceof List<?> list ? list : List.of(reply);
    }

    boolean hasNext() {
        return at < elements.size();
    }

    byte[] bytes() {
        if (elements.get(at++) instanceof byte[] bytes) {
            return bytes;
        }
        throw new IllegalStateException("expected a string in a reply of Redis");
    }

    String text() {
        return RedisConnection.string(bytes());
    }

    boolean flag() {
        return text().equals("1");
    }

    int integer() {
        return Integer.parseInt(text());
    }

    long number() {
        return Long.parseLong(text());
    }

    /** Reads a number, or a default if the script has written none. */
    long numberOr(long absent) {
        var text = text();
        return text.isEmpty() ? absent : Long.parseLong(text);
    }

    SpilledRange spilledRange() {
        return SpilledRange.decode(bytes());
    }

    ScriptReply list() {
        if (elements.get(at++) instanceof List<?> list) {
            return new ScriptReply(list);
        }
        throw new IllegalStateException("expected a list in a reply of Redis");
    }

    <T> List<T> each(Function<ScriptReply, T> read) {
        var all = new ArrayList<T>();
        while (hasNext()) {
            all.add(read.apply(this));
        }
        return all;
    }

    /** Reads a text with a letter for each item of the request. */
    <T extends ScriptConstants.Constant> List<T> letters(T[] values) {
        return letters(text(), values);
    }

    static <T extends ScriptConstants.Constant> List<T> letters(String text, T[] values) {
        var results = new ArrayList<T>(text.length());
        for (var i = 0; i < text.length(); i++) {
            results.add(constant(text.substring(i, i + 1), values));
        }
        return results;
    }

    static <T extends ScriptConstants.Constant> T constant(String text, T[] values) {
        for (var value : values) {
            if (value.text().equals(text)) {
                return value;
            }
        }
        throw new IllegalStateException("unexpected reply of a script: '" + text + "'");
    }
}
