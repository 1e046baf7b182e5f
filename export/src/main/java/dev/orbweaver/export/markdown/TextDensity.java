package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeVisitor;

import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Counts the text of each element of a tree, in total and in links, and the blocks that make an
 * element content: headings, definition lists, code, footnotes.
 */
final class TextDensity {

    /** {@code text} and {@code linked} count characters that are not white space. */
    private static final class Count {
        private int text;
        private int linked;
        private int headings;
        private int headingText;
        private int headingLinked;
        private int contentBlocks;
        private int articles;
        private int blocksToHere;

        private void clear() {
            text = 0;
            linked = 0;
            headings = 0;
            headingText = 0;
            headingLinked = 0;
            contentBlocks = 0;
            articles = 0;
        }
    }

    private static final Count NOTHING = new Count();

    private final IdentityHashMap<Element, Count> counts = new IdentityHashMap<>();
    private final Set<Element> ignored;
    private int blocks;

    TextDensity(Element root) {
        this(root, Set.of());
    }

    /**
     * @param ignored elements that count as empty; compared by identity
     */
    TextDensity(Element root, Set<Element> ignored) {
        this.ignored = ignored;
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

    /** Returns the link density below the headings: that of a list does not depend on its title. */
    double linkDensityBelowHeadings(Element element) {
        var count = counts.getOrDefault(element, NOTHING);
        var text = count.text - count.headingText;
        return text == 0 ? 0 : (double) (count.linked - count.headingLinked) / text;
    }

    /** Returns the number of headings in an element; the element itself counts. */
    int headings(Element element) {
        return counts.getOrDefault(element, NOTHING).headings;
    }

    /**
     * Returns the number of terms, definitions, code blocks and footnotes, as {@link #headings}.
     */
    int contentBlocks(Element element) {
        return counts.getOrDefault(element, NOTHING).contentBlocks;
    }

    /** Whether an element is or contains the article of the page, by its landmarks. */
    boolean containsArticle(Element element) {
        return counts.getOrDefault(element, NOTHING).articles > 0;
    }

    /** Whether no heading and no content block is before the end of an element. */
    boolean isBeforeContent(Element element) {
        return counts.getOrDefault(element, NOTHING).blocksToHere == 0;
    }

    /** Whether no heading and no content block is after the end of an element. */
    boolean isAfterContent(Element element) {
        return counts.getOrDefault(element, NOTHING).blocksToHere == blocks;
    }

    private void count(Node node) {
        var parent = node.parent() instanceof Element above ? counts.get(above) : null;
        if (node instanceof TextNode text) {
            if (parent != null) {
                parent.text += countVisible(text.getWholeText());
            }
        } else if (node instanceof Element element) {
            var own = counts.getOrDefault(element, NOTHING);
            if (!ignored.isEmpty() && ignored.contains(element)) {
                own.clear();
            }
            if (element.nameIs("a") && element.hasAttr("href")) {
                own.linked = own.text;
            }
            if (own.text > 0) {
                classify(element, own);
            }
            own.blocksToHere = blocks;
            if (parent != null) {
                parent.text += own.text;
                parent.linked += own.linked;
                parent.headings += own.headings;
                parent.headingText += own.headingText;
                parent.headingLinked += own.headingLinked;
                parent.contentBlocks += own.contentBlocks;
                parent.articles += own.articles;
            }
        }
    }

    private void classify(Element element, Count own) {
        if (HtmlElements.headingLevel(element) > 0) {
            own.headings++;
            own.headingText = own.text;
            own.headingLinked = own.linked;
            blocks++;
        } else if (HtmlElements.isContentBlock(element)) {
            own.contentBlocks++;
            blocks++;
        } else if (HtmlElements.isArticle(element)) {
            own.articles++;
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
