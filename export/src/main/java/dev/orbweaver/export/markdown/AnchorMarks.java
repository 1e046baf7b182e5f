package dev.orbweaver.export.markdown;

import dev.orbweaver.export.markdown.MarkdownPage.Anchor;
import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the ids of a page while it is written, so that links to them can be kept.
 *
 * <p>The writers join texts that they indent and quote later, so a position is known only at the
 * end. Until then a mark, two noncharacters around a number, stands at the beginning of the block
 * that has the id, and {@link #positions} removes it. A page that has such characters itself can at
 * most misplace its own anchors.
 */
final class AnchorMarks {

    private static final char BEGIN = '\uFDD0';
    private static final char END = '\uFDD1';
    private static final int IDS_MAX = 50_000;
    private static final int ID_CHARS_MAX = 300;

    private final List<String> ids = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final StringBuilder pending = new StringBuilder();

    /** Adds the id of an element; it belongs to the block that is written next. */
    void add(Element element) {
        if (element.attributesSize() == 0) {
            return;
        }
        add(element.id());
        if (element.nameIs("a")) {
            add(element.attr("name"));
        }
    }

    private void add(String id) {
        if (!id.isEmpty()
                && id.length() <= ID_CHARS_MAX
                && ids.size() < IDS_MAX
                && TextScan.endOf(id, 0, c -> c >= ' ' && c != '`') == id.length()
                && known.add(id)) {
            pending.append(BEGIN).append(ids.size()).append(END);
            ids.add(id);
        }
    }

    /** Returns the marks of the ids since the last block. */
    String take() {
        if (pending.isEmpty()) {
            return "";
        }
        var marks = pending.toString();
        pending.setLength(0);
        return marks;
    }

    /** A text without marks, and their positions. */
    record Positions(String text, List<Anchor> anchors) {}

    Positions positions(String marked) {
        if (ids.isEmpty()) {
            return new Positions(marked, List.of());
        }
        var out = new StringBuilder(marked.length());
        var anchors = new ArrayList<Anchor>();
        var at = 0;
        for (var mark = marked.indexOf(BEGIN); mark >= 0; mark = marked.indexOf(BEGIN, at)) {
            out.append(marked, at, mark);
            var end = TextScan.endOf(marked, mark + 1, TextScan::isDigit);
            var number = marked.substring(mark + 1, end);
            if (end < marked.length()
                    && marked.charAt(end) == END
                    && TextScan.isNumber(number, 5)
                    && Integer.parseInt(number) < ids.size()) {
                anchors.add(new Anchor(out.length(), ids.get(Integer.parseInt(number))));
                at = end + 1;
            } else {
                out.append(BEGIN);
                at = mark + 1;
            }
        }
        out.append(marked, at, marked.length());
        return new Positions(out.toString(), anchors);
    }
}
