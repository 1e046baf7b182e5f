package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives boxes that only look like a table or like code the elements that they stand for.
 *
 * <p>Tables are told by their ARIA roles (WAI-ARIA 1.2, 5.4: table, row, cell), and as javadoc lays
 * them out: boxes in a row, of which the last of each line is named {@code col-last}. Signatures
 * are javadoc's, too: text whose line breaks a style sheet keeps.
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

    /** javadoc keeps words together and parameters apart by characters that no compiler reads. */
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
