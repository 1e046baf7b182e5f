package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.Set;

/** Classifies elements by their names. */
final class HtmlElements {

    private static final Set<String> BLOCKS =
            Set.of(
                    "address",
                    "article",
                    "aside",
                    "blockquote",
                    "body",
                    "center",
                    "dd",
                    "details",
                    "dialog",
                    "dir",
                    "div",
                    "dl",
                    "dt",
                    "fieldset",
                    "figcaption",
                    "figure",
                    "footer",
                    "form",
                    "h1",
                    "h2",
                    "h3",
                    "h4",
                    "h5",
                    "h6",
                    "header",
                    "hgroup",
                    "hr",
                    "html",
                    "legend",
                    "li",
                    "main",
                    "menu",
                    "nav",
                    "ol",
                    "p",
                    "pre",
                    "section",
                    "summary",
                    "table",
                    "tbody",
                    "td",
                    "tfoot",
                    "th",
                    "thead",
                    "tr",
                    "ul",
                    "caption");

    private HtmlElements() {}

    static boolean isBlock(Node node) {
        return node instanceof Element element && BLOCKS.contains(element.normalName());
    }

    /** Whether the element is a block or contains one, such as a link around a card. */
    static boolean isOrContainsBlock(Node node) {
        return isBlock(node)
                || (node instanceof Element element
                        && element.childrenSize() > 0
                        && element.stream().anyMatch(HtmlElements::isBlock));
    }

    /** Compares by identity; jsoup elements with equal content may differ. */
    @SuppressWarnings("ReferenceEquality")
    static boolean isSame(Element a, Element b) {
        return a == b;
    }

    /** Returns the level of a heading, 1 to 6; otherwise 0. */
    static int headingLevel(Element element) {
        var name = element.normalName();
        return name.length() == 2 && name.charAt(0) == 'h' && name.charAt(1) != 'r'
                ? name.charAt(1) - '0'
                : 0;
    }

    static boolean hasAncestor(Element element, Set<String> names) {
        return element.parents().stream().anyMatch(parent -> names.contains(parent.normalName()));
    }
}
