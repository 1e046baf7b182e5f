package dev.orbweaver.export;

import java.util.ArrayList;
import java.util.List;

/**
 * The removed and added lines of a change, limited in number and length: a feed and a line of JSON
 * are read as a whole.
 *
 * @param omitted the number of lines beyond the limit
 */
record ChangedLines(List<String> removed, List<String> added, int omitted) {

    static final int LINES_MAX = 100;
    static final int LINE_CHARS_MAX = 500;

    static ChangedLines of(List<String> diff) {
        var removed = new ArrayList<String>();
        var added = new ArrayList<String>();
        var omitted = 0;
        for (var line : diff) {
            var lines =
                    switch (line.charAt(0)) {
                        case '-' -> removed;
                        case '+' -> added;
                        default -> List.<String>of();
                    };
            if (lines.size() == LINES_MAX) {
                omitted++;
            } else if ("+-".indexOf(line.charAt(0)) >= 0) {
                lines.add(truncate(line.substring(1)));
            }
        }
        return new ChangedLines(removed, added, omitted);
    }

    private static String truncate(String line) {
        return line.codePointCount(0, line.length()) <= LINE_CHARS_MAX
                ? line
                : line.substring(0, line.offsetByCodePoints(0, LINE_CHARS_MAX)) + "…";
    }
}
