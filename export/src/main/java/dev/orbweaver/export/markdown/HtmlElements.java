package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.Locale;
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

    /** The roles of footnotes (DPUB-ARIA 1.1). */
    private static final Set<String> FOOTNOTE_ROLES =
            Set.of("doc-footnote", "doc-endnote", "doc-endnotes");

    private static final Set<String> ARTICLES = Set.of("the", "a", "an");

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
        return name.length() == 2
                        && name.charAt(0) == 'h'
                        && name.charAt(1) >= '1'
                        && name.charAt(1) <= '6'
                ? name.charAt(1) - '0'
                : 0;
    }

    static boolean hasWords(String text) {
        return text.codePoints().anyMatch(Character::isLetterOrDigit);
    }

    /** Whether an element is never navigation: a term, a definition, code or a footnote. */
    static boolean isContentBlock(Element element) {
        return switch (element.normalName()) {
            case "dt", "dd", "pre" -> true;
            case "div", "aside", "section", "li", "ol", "table", "p" ->
                    element.className().contains("footnote")
                            || FOOTNOTE_ROLES.contains(element.attr("role"));
            default -> false;
        };
    }

    /** Whether an element is marked as the page's text. */
    static boolean isArticle(Element element) {
        return element.nameIs("main")
                || element.nameIs("article")
                || (element.hasAttr("role") && element.attr("role").equals("main"));
    }

    /** Whether an element is inside the page's text, as marked. */
    static boolean isPartOfArticle(Element element) {
        for (var above = element.parent(); above != null; above = above.parent()) {
            if (isArticle(above)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a heading is the page's title and not the site's: the title element begins with it,
     * or with the same word as the only heading of the first level.
     */
    static boolean isPageTitle(Element heading, Element body) {
        var document = body.ownerDocument();
        var title = document == null ? "" : document.title();
        var text = heading.text();
        return !text.isBlank()
                && (title.startsWith(text)
                        || (body.select("h1").size() == 1 && sameFirstWord(text, title)));
    }

    private static boolean sameFirstWord(String a, String b) {
        var word = firstWord(a).toLowerCase(Locale.ROOT);
        return !word.isEmpty() && !ARTICLES.contains(word) && word.equalsIgnoreCase(firstWord(b));
    }

    private static String firstWord(String text) {
        return text.substring(0, TextScan.endOf(text, 0, TextScan::isAlphanumeric));
    }
}
