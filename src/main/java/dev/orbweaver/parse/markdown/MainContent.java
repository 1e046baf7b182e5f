package dev.orbweaver.parse.markdown;

import org.jsoup.nodes.Element;

import java.util.List;
import java.util.Optional;

/**
 * The element that holds what a page is about, in a tree without {@link Furniture}.
 *
 * <p>A page that marks its main part is believed, as long as that part holds a fair share of the
 * text. Otherwise the way leads down from the body, each time into the one child that holds nearly
 * all the text outside links, until the text spreads.
 */
final class MainContent {

    private static final List<String> MARKS =
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

    /** The least share of the page's text that a marked part must hold. */
    private static final double SHARE_MIN = 0.4;

    /** The share of an element's text that one child must hold to stand for it. */
    private static final double NEARLY_ALL = 0.9;

    private final Element body;
    private final Weights weights;

    private MainContent(Element body) {
        this.body = body;
        this.weights = new Weights(body);
    }

    static Element of(Element body) {
        var content = new MainContent(body);
        return content.marked().orElseGet(content::heaviest);
    }

    private Optional<Element> marked() {
        for (var mark : MARKS) {
            var found = body.select(mark);
            // Several articles make a list of them, and the page is about the list.
            if (found.size() == 1 && holdsEnough(found.getFirst())) {
                return Optional.of(found.getFirst());
            }
        }
        return Optional.empty();
    }

    private boolean holdsEnough(Element element) {
        return weights.unlinked(element) > 0
                && weights.unlinked(element) >= SHARE_MIN * weights.unlinked(body);
    }

    private Element heaviest() {
        var at = body;
        while (true) {
            var heavy = heavyChild(at);
            if (heavy.isEmpty()) {
                return at;
            }
            at = heavy.get();
        }
    }

    private Optional<Element> heavyChild(Element element) {
        if (!Elements.isBlock(element) || weights.unlinked(element) == 0) {
            return Optional.empty();
        }
        return element.children().stream()
                .filter(child -> isContainer(child.normalName()))
                .filter(child -> weights.unlinked(child) >= NEARLY_ALL * weights.unlinked(element))
                .filter(child -> !isTitled(child))
                .findFirst();
    }

    /** Whether a heading stands before the element beside it: then the two belong together. */
    private static boolean isTitled(Element element) {
        return element.previousElementSiblings().stream()
                .anyMatch(
                        sibling ->
                                sibling.stream()
                                        .anyMatch(inner -> Elements.headingLevel(inner) > 0));
    }

    /** What groups blocks. A list, a table or a code block is content itself. */
    private static boolean isContainer(String name) {
        return switch (name) {
            case "div", "section", "article", "main", "form", "center" -> true;
            default -> false;
        };
    }
}
