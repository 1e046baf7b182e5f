package dev.orbweaver.imports.crawls;

import dev.orbweaver.internal.seeds.SeedLine;

/**
 * Formats rows as lines of a seed list. Every row becomes exactly one line that is not a comment,
 * so that lines and rows can be compared.
 */
final class ListLines {

    private final StringBuilder line = new StringBuilder();

    private ListLines url(String text) {
        line.setLength(0);
        var start = 0;
        while (start < text.length() && text.charAt(start) <= ' ') {
            start++;
        }
        if (start == text.length() || text.charAt(start) == '#') {
            line.append("(not a URL) "); // The reader would take the line for a comment.
        }
        for (var i = start; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c != '\t' && c != '\n' && c != '\r') { // The URL standard removes them, too.
                line.append(c);
            }
        }
        return this;
    }

    String visited(String url) {
        return url(url).line.append("\tvisited\n").toString();
    }

    String queued(String url, int depth, int points) {
        var fields = url(url).line;
        if (depth > 0) {
            fields.append("\tdepth=").append(Math.min(depth, SeedLine.DEPTH_MAX));
        }
        if (points != 0) {
            var limited = Math.clamp(points, -SeedLine.PRIORITY_MAX, SeedLine.PRIORITY_MAX);
            fields.append("\tpriority=").append(limited > 0 ? "+" : "").append(limited);
        }
        return fields.append('\n').toString();
    }
}
