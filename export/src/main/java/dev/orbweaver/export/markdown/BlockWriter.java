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
            Set.of(
                    "admonition",
                    "alert",
                    "callout",
                    "theme-admonition",
                    "note",
                    "tip",
                    "important",
                    "caution",
                    "warning");

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
            blocks.add(marks() + paragraph);
        }
        run.clear();
    }

    /** Returns the marks of the ids that belong to the block that is written now. */
    private String marks() {
        return inline.marks().take();
    }

    private void block(Element element, List<String> blocks) {
        inline.marks().add(element);
        switch (element.normalName()) {
            case "h1", "h2", "h3", "h4", "h5", "h6" -> heading(element, blocks);
            case "pre" -> code(element, blocks);
            case "ul", "ol", "menu", "dir" -> list(element, blocks);
            case "dt", "summary", "legend" -> term(element, blocks);
            case "table" -> table(element, blocks);
            case "blockquote" -> quote(blocks(element), blocks);
            case "hr" -> blocks.add(RULE);
            default -> {
                if (isAdmonition(element)) {
                    quote(blocks(element), blocks);
                } else {
                    blocks.addAll(blocks(element));
                }
            }
        }
    }

    private void code(Element pre, List<String> blocks) {
        var code = CodeBlock.of(pre, inline.marks());
        if (!code.code().isBlank()) {
            var fenced = code.fenced();
            var end = fenced.indexOf('\n');
            blocks.add(fenced.substring(0, end) + marks() + fenced.substring(end));
        }
    }

    private void heading(Element element, List<String> blocks) {
        var text = inline.heading(element);
        if (text.isEmpty()) {
            return;
        }
        if (isTitleOfAdmonition(element)) {
            blocks.add(marks() + bold(text));
        } else {
            blocks.add("#".repeat(HtmlElements.headingLevel(element)) + " " + marks() + text);
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
            element.stream().forEach(inline.marks()::add);
            blocks.add(marks() + MarkdownEscaper.code(element.text()));
            return;
        }
        var text = inline.term(element);
        if (!text.isEmpty()) {
            blocks.add(marks() + bold(text));
        }
    }

    private static boolean isAdmonition(Element element) {
        return element.hasAttr("class")
                && TextScan.words(element.className()).stream().anyMatch(ADMONITIONS::contains);
    }

    /** Whether a heading is the first one of a note: it begins no section of the page. */
    private static boolean isTitleOfAdmonition(Element heading) {
        for (var above = heading.parent(); above != null; above = above.parent()) {
            if (isAdmonition(above)) {
                var first = above.selectFirst("h1, h2, h3, h4, h5, h6");
                return first != null && HtmlElements.isSame(first, heading);
            }
        }
        return false;
    }

    private static String bold(String text) {
        return text.contains("*") || text.contains("`") || text.contains("](")
                ? MarkdownEscaper.paragraph(text)
                : "**" + text + "**";
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
            for (var section : list.children()) {
                inline.marks().add(section);
                blocks.addAll(blocks(section));
            }
            return;
        }
        var number = list.nameIs("ol") ? start(list) : -1;
        var items = new ArrayList<String>();
        var loose = false;
        for (var item : list.children()) {
            inline.marks().add(item);
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
