package dev.orbweaver.export;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A table of contents, written line by line. A page stands below the last one before it that is the
 * index of a folder it lies in; the index of the whole holds nobody.
 */
final class Contents {

    private static final int LEVELS_MAX = 6;

    private final Deque<String> folders = new ArrayDeque<>();
    private final StringBuilder lines = new StringBuilder();
    private boolean first = true;

    /** The line for the next page. */
    String line(TextPage page, String title) {
        var file = page.file();
        while (!folders.isEmpty() && !file.startsWith(folders.getFirst())) {
            folders.removeFirst();
        }
        lines.setLength(0);
        lines.append("  ".repeat(Math.min(folders.size(), LEVELS_MAX)));
        lines.append("- [").append(MarkdownLines.withoutTargets(title)).append("](#");
        lines.append(Library.anchor(page.page().url())).append(")\n");
        if (file.endsWith("/index.md") && !first) {
            folders.addFirst(file.substring(0, file.length() - "index.md".length()));
        }
        first = false;
        return lines.toString();
    }
}
