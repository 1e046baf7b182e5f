package dev.orbweaver.cli;

import java.util.ArrayList;
import java.util.List;

/** Wraps lines at spaces, and words that are longer than a line anywhere. */
final class TextWrap {

    private static final String CONTINUATION = "  ";

    private TextWrap() {}

    /** Returns lines of at most {@code width} characters; those after the first are indented. */
    static List<String> lines(String text, int width) {
        var lines = new ArrayList<String>();
        var indent = " ".repeat(indent(text)) + CONTINUATION;
        var rest = text;
        while (rest.length() > width) {
            var space = rest.lastIndexOf(' ', width);
            if (rest.startsWith(" %", space)) { // The number before it belongs to it.
                space = rest.lastIndexOf(' ', space - 1);
            }
            var end = space > indent(rest) ? space : width;
            lines.add(rest.substring(0, end).stripTrailing());
            rest = indent + rest.substring(end).strip();
        }
        lines.add(rest);
        return lines;
    }

    private static int indent(String text) {
        return text.length() - text.stripLeading().length();
    }
}
