package dev.orbweaver.export.markdown;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Parses the parts of Markdown that tests check. */
final class MarkdownReader {

    private static final Pattern FENCE = Pattern.compile("^(`{3,})[^`]*$");
    private static final Pattern HEADING = Pattern.compile("^(#{1,6}) (.*)$");

    private MarkdownReader() {}

    /** Returns the texts of fenced code blocks. */
    static List<String> code(String markdown) {
        var blocks = new ArrayList<String>();
        read(markdown, blocks, new ArrayList<>());
        return blocks;
    }

    /** Returns level and text of headings. */
    static List<String> headings(String markdown) {
        var headings = new ArrayList<String>();
        for (var line : outside(markdown)) {
            var heading = HEADING.matcher(line);
            if (heading.matches()) {
                headings.add(heading.group(1).length() + " " + plain(heading.group(2)));
            }
        }
        return headings;
    }

    /** Returns the rows of all tables, without empty header rows. */
    static List<List<String>> tables(String markdown) {
        var rows = new ArrayList<List<String>>();
        for (var line : outside(markdown)) {
            if (line.startsWith("|") && !line.matches("\\|(?: --- \\|)+")) {
                var cells =
                        Arrays.stream(
                                        line.substring(1, line.length() - 1)
                                                .split("(?<!\\\\)\\|", -1))
                                .map(cell -> plain(cell.strip()).replaceAll("[`*]", ""))
                                .toList();
                if (!cells.stream().allMatch(String::isEmpty)) {
                    rows.add(cells);
                }
            }
        }
        return rows;
    }

    static List<String> outside(String markdown) {
        var lines = new ArrayList<String>();
        read(markdown, new ArrayList<>(), lines);
        return lines;
    }

    private static void read(String markdown, List<String> blocks, List<String> outside) {
        var fence = "";
        var block = new ArrayList<String>();
        for (var line : markdown.split("\n", -1)) {
            if (!fence.isEmpty()) {
                if (line.equals(fence)) {
                    blocks.add(String.join("\n", block));
                    block.clear();
                    fence = "";
                } else {
                    block.add(line);
                }
                continue;
            }
            var opening = FENCE.matcher(line);
            if (opening.matches()) {
                fence = opening.group(1);
            } else {
                outside.add(line);
            }
        }
        if (!fence.isEmpty()) {
            blocks.add("UNCLOSED " + String.join("\n", block));
        }
    }

    private static String plain(String text) {
        return text.replaceAll("\\\\([\\p{Punct}])", "$1");
    }
}
