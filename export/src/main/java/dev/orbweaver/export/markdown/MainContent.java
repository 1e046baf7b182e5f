package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;

import java.util.List;
import java.util.Optional;

/**
 * Finds the element with the main content, in a tree from which {@link BoilerplateFilter} has
 * removed boilerplate.
 *
 * <p>A marked main part is used if it has a sufficient share of the text. Otherwise the search
 * descends from the body, each time into the one child that has nearly all the text outside links,
 * until no child has.
 */
final class MainContent {

    private static final List<String> SELECTORS =
            List.of(
                    "main",
                    "[role=main]",
                    "article",
                    "[itemprop=articleBody]",
                    ".entry-content",
                    ".post-content",
                    "#main-content",
                    "#content",
                    ".content");

    /** The minimum share of the page's text that a marked part must have. */
    private static final double SHARE_MIN = 0.4;

    /** The minimum share of an element's text that a child must have to replace it. */
    private static final double DOMINANT_SHARE = 0.9;

    private final Element body;
    private final TextDensity textDensity;

    private MainContent(Element body) {
        this.body = body;
        this.textDensity = new TextDensity(body);
    }

    static Element of(Element body) {
        var content = new MainContent(body);
        return content.bySelector().orElseGet(content::byTextDensity);
    }

    private Optional<Element> bySelector() {
        for (var mark : SELECTORS) {
            var found = body.select(mark);
            // With several articles the list of them is the main content.
            if (found.size() == 1 && hasEnoughText(found.getFirst())) {
                return Optional.of(found.getFirst());
            }
        }
        return Optional.empty();
    }

    private boolean hasEnoughText(Element element) {
        return textDensity.unlinkedTextLength(element) > 0
                && textDensity.unlinkedTextLength(element)
                        >= SHARE_MIN * textDensity.unlinkedTextLength(body);
    }

    private Element byTextDensity() {
        var at = body;
        while (true) {
            var heavy = dominantChild(at);
            if (heavy.isEmpty()) {
                return at;
            }
            at = heavy.get();
        }
    }

    private Optional<Element> dominantChild(Element element) {
        if (!HtmlElements.isBlock(element) || textDensity.unlinkedTextLength(element) == 0) {
            return Optional.empty();
        }
        return element.children().stream()
                .filter(child -> isContainer(child.normalName()))
                .filter(
                        child ->
                                textDensity.unlinkedTextLength(child)
                                        >= DOMINANT_SHARE * textDensity.unlinkedTextLength(element))
                .filter(child -> !followsHeading(child))
                .findFirst();
    }

    /** Whether a heading precedes the element as its sibling: then the two belong together. */
    private static boolean followsHeading(Element element) {
        return element.previousElementSiblings().stream()
                .anyMatch(
                        sibling ->
                                sibling.stream()
                                        .anyMatch(inner -> HtmlElements.headingLevel(inner) > 0));
    }

    /** Whether an element groups blocks. A list, a table or a code block is content itself. */
    private static boolean isContainer(String name) {
        return switch (name) {
            case "div", "section", "article", "main", "form", "center" -> true;
            default -> false;
        };
    }
}
