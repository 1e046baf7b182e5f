package dev.orbweaver.export.markdown;

import com.google.re2j.Pattern;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;

/**
 * Removes boilerplate from a page: navigation, search, banners, buttons.
 *
 * <p>First it removes elements whose tag or ARIA role marks them as boilerplate, then those with
 * typical words in {@code class} and {@code id}. A name alone never removes an element with most of
 * the page's text: {@code <div class="page has-sidebar">} is the page and not a sidebar.
 */
final class BoilerplateFilter {

    private static final Set<String> NEVER_CONTENT =
            Set.of(
                    "script",
                    "style",
                    "noscript",
                    "template",
                    "iframe",
                    "object",
                    "embed",
                    "svg",
                    "canvas",
                    "audio",
                    "video",
                    "button",
                    "input",
                    "select",
                    "textarea",
                    "label",
                    "nav",
                    "link",
                    "meta",
                    "dialog",
                    "datalist",
                    "map",
                    "progress",
                    "meter",
                    "frameset",
                    "noframes",
                    "noembed",
                    "applet",
                    "head",
                    "title");

    private static final Set<String> ROLES =
            Set.of(
                    "navigation",
                    "search",
                    "contentinfo",
                    "banner",
                    "complementary",
                    "menu",
                    "menubar",
                    "toolbar",
                    "dialog",
                    "alertdialog",
                    "tablist",
                    "doc-toc");

    private static final Set<String> ADMONITIONS =
            Set.of(
                    "note",
                    "tip",
                    "warning",
                    "caution",
                    "danger",
                    "important",
                    "info",
                    "admonition");

    private static final Pattern FOOTER_NAME =
            Pattern.compile("\\b(?:footer|copyright|colophon)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern COPYRIGHT =
            Pattern.compile("©|\\bcopyright\\b", Pattern.CASE_INSENSITIVE);

    private static final Set<String> ARTICLES = Set.of("main", "article");
    private static final Pattern INVISIBLE =
            Pattern.compile("display:\\s*none|visibility:\\s*hidden", Pattern.CASE_INSENSITIVE);

    private final Element body;
    private final TextDensity textDensity;

    private BoilerplateFilter(Element body) {
        this.body = body;
        this.textDensity = new TextDensity(body);
    }

    static void removeFrom(Element body) {
        removeNeverContent(body);
        new BoilerplateFilter(body).remove();
    }

    /** Removes only elements that are never content. */
    static void removeNeverContent(Element body) {
        var gone = new ArrayList<Node>();
        body.forEachNode(
                node -> {
                    if (node instanceof Comment
                            || (node instanceof Element element
                                    && NEVER_CONTENT.contains(element.normalName()))) {
                        gone.add(node);
                    }
                });
        gone.stream().filter(Node::hasParent).forEach(Node::remove);
    }

    private void remove() {
        var gone =
                body.stream()
                        .filter(
                                element ->
                                        !HtmlElements.isSame(element, body)
                                                && isBoilerplate(element))
                        .toList();
        gone.stream().filter(Element::hasParent).forEach(Element::remove);
    }

    private boolean isBoilerplate(Element element) {
        return isHidden(element)
                || (isFooter(element) && !containsArticle(element))
                || (isBoilerplateElement(element) && !containsMostText(element));
    }

    private static boolean isHidden(Element element) {
        return element.hasAttr("hidden")
                || (element.attr("aria-hidden").equalsIgnoreCase("true")
                        && !element.nameIs("pre")
                        && !element.nameIs("code"))
                || INVISIBLE.matcher(element.attr("style")).find();
    }

    /** Whether an element is a footer, or is named like one and has a copyright notice. */
    private static boolean isFooter(Element element) {
        return element.nameIs("footer")
                || (FOOTER_NAME.matcher(element.className()).find()
                        && COPYRIGHT.matcher(element.text()).find());
    }

    private boolean isBoilerplateElement(Element element) {
        return switch (element.normalName()) {
            case "footer" -> true;
            case "header" -> !containsHeading(element) || !belongsToArticle(element);
            case "aside" -> !isAdmonition(element);
            case "body", "html", "main", "article", "pre", "code", "table", "tr", "td", "th" ->
                    false;
            default -> hasBoilerplateName(element);
        };
    }

    private boolean hasBoilerplateName(Element element) {
        if (ROLES.contains(element.attr("role").toLowerCase(Locale.ROOT))) {
            return true;
        }
        var names = element.className() + " " + element.id();
        if (names.isBlank() || HtmlElements.headingLevel(element) > 0) {
            return false;
        }
        // The id of a section is derived from its heading, such as "related-functions": only
        // the class is checked there.
        var name = element.nameIs("section") ? element.className() : names;
        return (BoilerplateNames.matchesAny(name) && !isHeadingText(element))
                || isTableOfContents(element);
    }

    /** Whether the element is in a heading and is not just a symbol beside its text. */
    private boolean isHeadingText(Element element) {
        return element.parents().stream()
                .filter(parent -> HtmlElements.headingLevel(parent) > 0)
                .anyMatch(
                        heading ->
                                !element.nameIs("a")
                                        || textDensity.textLength(element) * 2
                                                > textDensity.textLength(heading));
    }

    private static boolean isTableOfContents(Element element) {
        return element.hasClass("contents") && element.hasClass("topic");
    }

    private static boolean isAdmonition(Element element) {
        var names = element.className().toLowerCase(Locale.ROOT);
        return TextScan.runs(names, TextScan::isAlphanumeric).stream()
                .anyMatch(ADMONITIONS::contains);
    }

    /**
     * Whether a header belongs to the article: it is in one, or has the only heading, the title.
     */
    private boolean belongsToArticle(Element header) {
        if (HtmlElements.hasAncestor(header, ARTICLES)) {
            return true;
        }
        var headings = body.select("h1");
        var document = body.ownerDocument();
        return headings.size() == 1
                && document != null
                && headings.getFirst().parents().contains(header)
                && sameFirstWord(headings.getFirst().text(), document.title());
    }

    private static boolean sameFirstWord(String a, String b) {
        var word = firstWord(a);
        return !word.isEmpty() && word.equalsIgnoreCase(firstWord(b));
    }

    private static String firstWord(String text) {
        return text.substring(0, TextScan.endOf(text, 0, TextScan::isAlphanumeric));
    }

    private static boolean containsHeading(Element element) {
        return element.stream().anyMatch(inner -> HtmlElements.headingLevel(inner) > 0);
    }

    /** Whether an element has half of the text outside links, or is the article itself. */
    private boolean containsMostText(Element element) {
        return textDensity.unlinkedTextLength(element) * 2 > textDensity.unlinkedTextLength(body)
                || containsArticle(element);
    }

    private static boolean containsArticle(Element element) {
        return element.stream()
                .anyMatch(
                        inner ->
                                !HtmlElements.isSame(inner, element)
                                        && ARTICLES.contains(inner.normalName()));
    }
}
