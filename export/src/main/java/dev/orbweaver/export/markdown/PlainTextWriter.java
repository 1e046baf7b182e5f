package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * Writes the visible text of an element without markup: an empty line between blocks, a line for
 * each list item, term and table row, a tab between cells, code as it is. Recursion is bounded by
 * {@link dev.orbweaver.internal.parse.HtmlTree#DEPTH_MAX}.
 */
final class PlainTextWriter {

    private static final String SPACES = " \t\n\f\r\u00A0";

    private final StringBuilder out = new StringBuilder();

    /** Line ends to write before the next text; no text begins or ends with one. */
    private int lineEnds;

    /** Whether a space belongs before the next text of the same line. */
    private boolean space;

    private boolean tab;

    private PlainTextWriter() {}

    /** Returns the text, ending in a line end; empty if there is none. */
    static String write(Element element) {
        var writer = new PlainTextWriter();
        writer.children(element);
        return writer.out.isEmpty() ? "" : writer.out.append('\n').toString();
    }

    private void children(Element element) {
        element.childNodes().forEach(this::node);
    }

    private void node(Node node) {
        if (node instanceof TextNode text) {
            text(text.getWholeText());
        } else if (node instanceof Element element) {
            element(element);
        }
    }

    private void element(Element element) {
        switch (element.normalName()) {
            case "br" -> endLines(1);
            case "pre" -> code(element);
            case "li", "dt", "dd", "tr" -> block(element, 1);
            case "td", "th" -> {
                tab = true;
                children(element);
                tab = true;
            }
            case "annotation" -> {
                // The source of a formula.
            }
            default -> {
                if (HtmlElements.isBlock(element)) {
                    // Paragraphs within an item or a cell do not tear it apart.
                    var inItem = element.closest("li, dd, td, th") != null;
                    block(element, inItem ? 1 : 2);
                } else {
                    children(element);
                }
            }
        }
    }

    private void block(Element element, int apart) {
        endLines(apart);
        children(element);
        endLines(apart);
    }

    private void code(Element pre) {
        var code = CodeBlock.of(pre, new AnchorMarks()).code();
        if (!code.isBlank()) {
            endLines(2);
            beforeText();
            out.append(code.stripTrailing());
            endLines(2);
        }
    }

    private void endLines(int count) {
        lineEnds = Math.max(lineEnds, count);
        tab = false;
    }

    private void beforeText() {
        if (!out.isEmpty()) {
            if (lineEnds > 0) {
                out.repeat("\n", lineEnds);
            } else if (tab) {
                out.append('\t');
            } else if (space) {
                out.append(' ');
            }
        }
        lineEnds = 0;
        tab = false;
        space = false;
    }

    private void text(String whole) {
        var text = TextScan.collapse(whole, c -> SPACES.indexOf(c) >= 0, ' ');
        var words = text.strip();
        if (words.isEmpty()) {
            space |= !text.isEmpty();
            return;
        }
        space |= text.charAt(0) == ' ';
        beforeText();
        out.append(words);
        space = text.charAt(text.length() - 1) == ' ';
    }
}
