package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes blocks. Recursion is bounded by {@link dev.orbweaver.internal.parse.HtmlTree#DEPTH_MAX}.
 */
record BlockWriter(InlineWriter inline) {

    private static final Set<String> ADMONITIONS =
            Set.of("admonition", "alert", "callout", "theme-admonition");

    private static final String RULE = "---";

    /** Writes the blocks of an element, separated by empty lines. */
    String write(Element element) {
        var blocks = blocks(element);
        // A rule at either end separates nothing.
        while (!blocks.isEmpty() && blocks.getFirst().equals(RULE)) {
            blocks.removeFirst();
        }
        while (!blocks.isEmpty() && blocks.getLast().equals(RULE)) {
            blocks.removeLast();
        }
        return String.join("\n\n", blocks);
    }

    private List<String> blocks(Element container) {
        var blocks = new ArrayList<String>();
        var run = new ArrayList<Node>();
        for (var node : container.childNodes()) {
            if (HtmlElements.isOrContainsBlock(node) && node instanceof Element element) {
                flush(run, blocks);
                block(element, blocks);
            } else {
                run.add(node);
            }
        }
        flush(run, blocks);
        return blocks;
    }

    private void flush(List<Node> run, List<String> blocks) {
        var paragraph = inline.paragraph(run);
        if (!paragraph.isEmpty()) {
            blocks.add(paragraph);
        }
        run.clear();
    }

    private void block(Element element, List<String> blocks) {
        switch (element.normalName()) {
            case "h1", "h2", "h3", "h4", "h5", "h6" -> heading(element, blocks);
            case "pre" -> code(element, blocks);
            case "ul", "ol", "menu", "dir" -> list(element, blocks);
            case "dt", "summary", "legend" -> term(element, blocks);
            case "table" -> table(element, blocks);
            case "blockquote" -> quote(blocks(element), blocks);
            case "hr" -> blocks.add(RULE);
            default -> {
                if (TextScan.words(element.className()).stream().anyMatch(ADMONITIONS::contains)) {
                    quote(blocks(element), blocks);
                } else {
                    blocks.addAll(blocks(element));
                }
            }
        }
    }

    private static void code(Element pre, List<String> blocks) {
        var code = CodeBlock.of(pre);
        if (!code.code().isBlank()) {
            blocks.add(code.fenced());
        }
    }

    private void heading(Element element, List<String> blocks) {
        var text = inline.heading(element);
        if (!text.isEmpty()) {
            blocks.add("#".repeat(HtmlElements.headingLevel(element)) + " " + text);
        }
    }

    /** Writes a term of a definition list, which Markdown does not have. */
    private void term(Element element, List<String> blocks) {
        if (element.children().stream().anyMatch(HtmlElements::isOrContainsBlock)) {
            blocks.addAll(blocks(element));
            return;
        }
        if (element.hasClass("sig") && element.hasText()) {
            // Sphinx: a declaration that is split up by markup.
            blocks.add(MarkdownEscaper.code(element.text()));
            return;
        }
        var text = inline.heading(element);
        if (!text.isEmpty()) {
            blocks.add(text.contains("*") || text.contains("`") ? text : "**" + text + "**");
        }
    }

    private void quote(List<String> inner, List<String> blocks) {
        if (!inner.isEmpty()) {
            blocks.add(
                    String.join("\n\n", inner)
                            .lines()
                            .map(line -> line.isEmpty() ? ">" : "> " + line)
                            .collect(Collectors.joining("\n")));
        }
    }

    private void table(Element table, List<String> blocks) {
        if (TableWriter.isNumberedCode(table)) {
            // The line numbers are a separate block before the code.
            code(table.select("pre").getLast(), blocks);
        } else if (TableWriter.isDataTable(table)) {
            blocks.add(TableWriter.write(table, inline));
        } else {
            blocks.addAll(blocks(table));
        }
    }

    private void list(Element list, List<String> blocks) {
        if (list.selectFirst("> li h1, > li h2, > li h3, > li h4") != null) {
            // The sections of a Javadoc page are list items; they are not a list for readers.
            list.children().forEach(section -> blocks.addAll(blocks(section)));
            return;
        }
        var number = list.nameIs("ol") ? start(list) : -1;
        var items = new ArrayList<String>();
        var loose = false;
        for (var item : list.children()) {
            var parts = blocks(item);
            if (parts.isEmpty()) {
                continue;
            }
            var mark = number < 0 ? "- " : number++ + ". ";
            items.add(item(mark, parts));
            loose |= parts.size() > 1 && !isList(parts.get(1));
        }
        if (!items.isEmpty()) {
            blocks.add(String.join(loose ? "\n\n" : "\n", items));
        }
    }

    private static int start(Element list) {
        var start = list.attr("start").strip();
        return TextScan.isNumber(start, 6) ? Integer.parseInt(start) : 1;
    }

    private static String item(String mark, List<String> parts) {
        var text = new StringBuilder(parts.getFirst());
        for (var part : parts.subList(1, parts.size())) {
            text.append(isList(part) && parts.size() == 2 ? "\n" : "\n\n").append(part);
        }
        var indent = " ".repeat(mark.length());
        return mark
                + text.toString()
                        .lines()
                        .map(line -> line.isEmpty() ? "" : indent + line)
                        .collect(Collectors.joining("\n"))
                        .stripLeading();
    }

    private static boolean isList(String block) {
        var digits = TextScan.endOf(block, 0, TextScan::isDigit);
        return block.startsWith("- ")
                || (digits > 0 && digits <= 7 && block.startsWith(". ", digits));
    }
}
