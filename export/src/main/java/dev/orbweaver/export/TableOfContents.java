package dev.orbweaver.export;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes a table of contents. The parent of a page is the last preceding index page of a directory
 * that contains it; the root index has no children.
 */
final class TableOfContents {

    private static final int LEVELS_MAX = 6;

    private final Deque<String> directories = new ArrayDeque<>();
    private final StringBuilder lines = new StringBuilder();
    private boolean first = true;

    String line(TextPage page, String title) {
        var file = page.file();
        while (!directories.isEmpty() && !file.startsWith(directories.getFirst())) {
            directories.removeFirst();
        }
        lines.setLength(0);
        lines.append("  ".repeat(Math.min(directories.size(), LEVELS_MAX)));
        lines.append("- [").append(MarkdownLines.withoutLinkTargets(title)).append("](#");
        lines.append(ExportedPages.anchor(page.page().url())).append(")\n");
        if (file.endsWith("/index.md") && !first) {
            directories.addFirst(file.substring(0, file.length() - "index.md".length()));
        }
        first = false;
        return lines.toString();
    }
}
