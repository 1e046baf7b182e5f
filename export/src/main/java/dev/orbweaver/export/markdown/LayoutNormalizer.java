package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

import java.util.ArrayList;
import java.util.List;

/**
 * Replaces generic boxes that only look like tables or code by table and code elements.
 *
 * <p>Tables are recognised by ARIA roles (WAI-ARIA 1.2, 5.4: table, row, cell) and by the layout of
 * Javadoc: a sequence of boxes, in which the last one of each row has the class {@code col-last}.
 * Signatures are Javadoc's, too: text whose line breaks are preserved by a style sheet.
 */
final class LayoutNormalizer {

    private static final String TABLES = "[role=table], [role=grid], [role=treegrid]";
    private static final String CELLS =
            "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
    private static final String LAST_OF_LINE = "col-last";

    private LayoutNormalizer() {}

    static void normalize(Element body) {
        for (var box : body.select(TABLES)) {
            if (!box.nameIs("table")) {
                replace(box, linesByRole(box));
            }
        }
        for (var box : body.select(".summary-table:has(> .col-last)")) {
            replace(box, linesByColumn(box));
        }
        for (var box : body.select("div.member-signature, div.type-signature")) {
            box.tagName("pre").addClass("language-java");
            box.nodeStream(TextNode.class).forEach(LayoutNormalizer::plainSpaces);
        }
    }

    /** Javadoc uses no-break and zero-width spaces in signatures, which are not valid in code. */
    private static void plainSpaces(TextNode text) {
        text.text(text.getWholeText().replace('\u00A0', ' ').replace("\u200B", ""));
    }

    private static List<List<Element>> linesByRole(Element box) {
        var lines = new ArrayList<List<Element>>();
        for (var row : box.select("[role=row]")) {
            var table = row.closest(TABLES);
            if (table != null && HtmlElements.isSame(table, box)) {
                lines.add(row.select(CELLS));
            }
        }
        return lines;
    }

    private static List<List<Element>> linesByColumn(Element box) {
        var lines = new ArrayList<List<Element>>();
        var line = new ArrayList<Element>();
        for (var cell : box.children()) {
            line.add(cell);
            if (cell.hasClass(LAST_OF_LINE)) {
                lines.add(List.copyOf(line));
                line.clear();
            }
        }
        lines.add(line);
        return lines;
    }

    private static void replace(Element box, List<List<Element>> lines) {
        var table = new Element("table");
        for (var line : lines) {
            if (!line.isEmpty()) {
                var row = table.appendElement("tr");
                line.forEach(cell -> row.appendChild(cell.tagName(isHeader(cell) ? "th" : "td")));
            }
        }
        if (table.childrenSize() > 0) {
            box.replaceWith(table);
        }
    }

    private static boolean isHeader(Element cell) {
        return cell.hasClass("table-header") || cell.attr("role").equals("columnheader");
    }
}
