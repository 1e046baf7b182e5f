package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the element with the main content, in a tree from which {@link BoilerplateFilter} has
 * removed boilerplate.
 *
 * <p>What is outside the result is lost, so a container must prove itself. The landmarks {@code
 * main} and {@code article} need a sufficient share of the text, or a heading and all code. A name
 * such as {@code content} needs more: no heading, term, code block or footnote may be outside.
 * Without either, the search descends from the body, each time into the one child that has nearly
 * all the text outside links, while the other children have neither such blocks nor prose.
 */
final class MainContent {

    private static final List<String> LANDMARKS = List.of("main", "[role=main]");
    private static final List<String> ARTICLES =
            List.of("article", "[itemprop=articleBody]", ".entry-content", ".post-content");
    private static final List<String> NAMES = List.of("#main-content", "#content", ".content");

    /** The minimum share of the page's text that a marked part must have. */
    private static final double SHARE_MIN = 0.4;

    /** The minimum share of an element's text that a child must have to replace it. */
    private static final double DOMINANT_SHARE = 0.9;

    /** A block with more text than this outside links is prose. */
    private static final int PROSE_CHARS_MIN = 100;

    private final Element body;
    private final TextDensity textDensity;

    private MainContent(Element body, RepeatedBlocks memory) {
        this.body = body;
        this.textDensity = new TextDensity(body, memory.repeatedBlocks(body));
    }

    /**
     * @param memory the repeated blocks of the site; those do not count as content
     */
    static Element of(Element body, RepeatedBlocks memory) {
        var content = new MainContent(body, memory);
        return content.only(LANDMARKS, content::isPage)
                .or(() -> content.only(ARTICLES, content::isArticle))
                .or(() -> content.only(NAMES, content::hasAllBlocks))
                .orElseGet(content::byTextDensity);
    }

    private Optional<Element> only(List<String> selectors, Predicate<Element> condition) {
        for (var selector : selectors) {
            var found = body.select(selector);
            // With several articles the list of them is the main content.
            if (found.size() == 1
                    && textDensity.textLength(found.getFirst()) > 0
                    && condition.test(found.getFirst())) {
                return Optional.of(found.getFirst());
            }
        }
        return Optional.empty();
    }

    /** Whether a landmark is the page. It may be short: a chapter that only lists its sections. */
    private boolean isPage(Element element) {
        return hasEnoughText(element) || (textDensity.headings(element) > 0 && hasAllCode(element));
    }

    private boolean isArticle(Element element) {
        return hasEnoughText(element) && hasAllCode(element);
    }

    private boolean hasEnoughText(Element element) {
        return textDensity.unlinkedTextLength(element)
                >= SHARE_MIN * textDensity.unlinkedTextLength(body);
    }

    /** Whether no term, code block or footnote is outside; comments on an article have headings. */
    private boolean hasAllCode(Element element) {
        return textDensity.contentBlocks(element) == textDensity.contentBlocks(body);
    }

    /** Whether all blocks are inside, except for the page's title, which may be above. */
    private boolean hasAllBlocks(Element element) {
        var title = body.selectFirst("h1");
        var titles = title == null || title.parents().contains(element) ? 0 : 1;
        return hasEnoughText(element)
                && hasAllCode(element)
                && textDensity.headings(element) + titles == textDensity.headings(body);
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
                .filter(child -> isOnlyContent(child, element))
                .findFirst();
    }

    /**
     * Whether the other children of an element have no heading, no content block and no prose,
     * except for what repeats on the site.
     */
    private boolean isOnlyContent(Element child, Element element) {
        return textDensity.headings(child) == textDensity.headings(element)
                && textDensity.contentBlocks(child) == textDensity.contentBlocks(element)
                && element.children().stream()
                        .noneMatch(
                                other ->
                                        !HtmlElements.isSame(child, other)
                                                && textDensity.unlinkedTextLength(other)
                                                        >= PROSE_CHARS_MIN)
                && !followsHeading(child);
    }

    /** Whether a heading precedes the element; even a repeated one is then that of the element. */
    private static boolean followsHeading(Element element) {
        return element.previousElementSiblings().stream()
                .anyMatch(sibling -> sibling.selectFirst("h1, h2, h3, h4, h5, h6") != null);
    }

    /** Whether an element groups blocks. A list, a table or a code block is content itself. */
    private static boolean isContainer(String name) {
        return switch (name) {
            case "div", "section", "article", "main", "form", "center" -> true;
            default -> false;
        };
    }
}
