package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeVisitor;

import java.util.IdentityHashMap;

/** Counts the text of each element of a tree, in total and in links. */
final class TextDensity {

    /** Counts characters that are not white space. */
    private static final class Count {
        private int text;
        private int linked;
    }

    private static final Count NOTHING = new Count();

    private final IdentityHashMap<Element, Count> counts = new IdentityHashMap<>();

    TextDensity(Element root) {
        root.traverse(
                new NodeVisitor() {
                    @Override
                    public void head(Node node, int depth) {
                        if (node instanceof Element element) {
                            counts.put(element, new Count());
                        }
                    }

                    @Override
                    public void tail(Node node, int depth) {
                        count(node);
                    }
                });
    }

    int textLength(Element element) {
        return counts.getOrDefault(element, NOTHING).text;
    }

    /** Counts characters outside links; navigation has few. */
    int unlinkedTextLength(Element element) {
        var count = counts.getOrDefault(element, NOTHING);
        return count.text - count.linked;
    }

    double linkDensity(Element element) {
        var count = counts.getOrDefault(element, NOTHING);
        return count.text == 0 ? 0 : (double) count.linked / count.text;
    }

    private void count(Node node) {
        var parent = node.parent() instanceof Element above ? counts.get(above) : null;
        if (node instanceof TextNode text) {
            if (parent != null) {
                parent.text += countVisible(text.getWholeText());
            }
        } else if (node instanceof Element element) {
            var own = counts.getOrDefault(element, NOTHING);
            if (element.nameIs("a") && element.hasAttr("href")) {
                own.linked = own.text;
            }
            if (parent != null) {
                parent.text += own.text;
                parent.linked += own.linked;
            }
        }
    }

    private static int countVisible(String text) {
        var count = 0;
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) > ' ') {
                count++;
            }
        }
        return count;
    }
}
