package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The named character references of the HTML standard (section 13.5), matched by longest prefix.
 *
 * <p>The names are sorted. A lookup narrows a range of them byte by byte and keeps the last
 * complete name, so it takes at most as many steps as the longest name has bytes.
 */
final class NamedReferences {

    private static final String RESOURCE = "named-references.txt";

    private final byte[][] names;
    private final byte[][] values;

    private NamedReferences(byte[][] names, byte[][] values) {
        this.names = names;
        this.values = values;
    }

    /** Returns the table, which is loaded when a page first needs it. */
    static NamedReferences table() {
        return Holder.TABLE;
    }

    /** Returns the characters of the reference as UTF-8. */
    byte[] value(int reference) {
        return values[reference];
    }

    /** Returns the length of the name, with its semicolon if it has one. */
    int length(int reference) {
        return names[reference].length;
    }

    boolean isTerminated(int reference) {
        var name = names[reference];
        return name[name.length - 1] == ';';
    }

    /** Returns the longest name that starts at {@code start}, or -1. */
    int longest(byte[] bytes, int start, int end) {
        var low = 0;
        var high = names.length;
        var found = -1;
        for (var depth = 0; start + depth < end; depth++) {
            var wanted = bytes[start + depth];
            low = firstAtLeast(low, high, depth, wanted);
            high = firstAtLeast(low, high, depth, wanted + 1);
            if (low == high) {
                return found;
            }
            // The shortest name of a range sorts first.
            if (names[low].length == depth + 1) {
                found = low;
            }
        }
        return found;
    }

    private int firstAtLeast(int from, int to, int depth, int wanted) {
        var low = from;
        var high = to;
        while (low < high) {
            var middle = (low + high) >>> 1;
            var name = names[middle];
            if ((depth < name.length ? name[depth] : Integer.MIN_VALUE) < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private record Entry(String name, String value) {}

    private static final class Holder {
        static final NamedReferences TABLE = load();
    }

    private static NamedReferences load() {
        var entries = new ArrayList<Entry>();
        ResourceTable.read(RESOURCE).forEach(words -> read(words, entries));
        entries.sort(Comparator.comparing(Entry::name));
        return new NamedReferences(
                entries.stream().map(e -> e.name().getBytes(US_ASCII)).toArray(byte[][]::new),
                entries.stream().map(e -> e.value().getBytes(UTF_8)).toArray(byte[][]::new));
    }

    private static void read(String[] words, List<Entry> entries) {
        var value = new StringBuilder();
        for (var i = 1; i < words.length; i++) {
            value.appendCodePoint(Integer.parseInt(words[i], 16));
        }
        var name = words[0];
        if (name.endsWith("?")) {
            name = name.substring(0, name.length() - 1);
            entries.add(new Entry(name, value.toString()));
        }
        entries.add(new Entry(name + ";", value.toString()));
    }
}
