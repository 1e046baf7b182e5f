package dev.orbweaver.export.markdown;

import dev.orbweaver.export.markdown.Blocks.Block;

import org.jsoup.nodes.Element;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

/**
 * Removes blocks from a page that repeat on most pages of its site.
 *
 * <p>A repeated paragraph or list item is removed by itself. A heading, a table or a code block is
 * removed only together with everything in its container: "Examples" is on every page of a manual
 * and belongs to each of them. A repeated heading whose section is empty afterwards is removed,
 * too.
 */
final class RepeatedBlockFilter {

    private RepeatedBlockFilter() {}

    static void removeFrom(Element root, RepeatedBlocks memory) {
        var repeated = Collections.<Element>newSetFromMap(new IdentityHashMap<>());
        var kept = Collections.<Element>newSetFromMap(new IdentityHashMap<>());
        for (var block : Blocks.of(root)) {
            (memory.repeats(block.fingerprint()) ? repeated : kept).add(block.element());
        }
        // An element with a block that does not repeat is kept.
        for (var element : Set.copyOf(kept)) {
            for (var above = element.parent(); above != null && kept.add(above); ) {
                above = above.parent();
            }
        }
        for (var element : repeated) {
            var top = topRepeatedAncestor(element, root, kept);
            if (!HtmlElements.isSame(top, element) || !needsRepeatedContainer(element)) {
                if (top.hasParent()) {
                    top.remove();
                }
            }
        }
    }

    private static Element topRepeatedAncestor(Element element, Element root, Set<Element> kept) {
        var top = element;
        for (var above = element.parent();
                above != null && !HtmlElements.isSame(above, root) && !kept.contains(above);
                above = above.parent()) {
            top = above;
        }
        return top;
    }

    private static boolean needsRepeatedContainer(Element element) {
        return switch (element.normalName()) {
            case "h1", "h2", "h3", "h4", "h5", "h6", "table", "pre", "dt", "td", "th", "caption" ->
                    true;
            default -> false;
        };
    }

    /** Removes repeated headings without content. Must be called last. */
    static void removeEmptyHeadings(Element root, RepeatedBlocks memory) {
        var next = Optional.<Block>empty();
        for (var block : Blocks.of(root).reversed()) {
            var level = HtmlElements.headingLevel(block.element());
            if (level > 0 && memory.repeats(block.fingerprint()) && isSectionEmpty(next, level)) {
                block.element().remove();
            } else {
                next = Optional.of(block);
            }
        }
    }

    private static boolean isSectionEmpty(Optional<Block> next, int level) {
        var nextLevel = next.map(block -> HtmlElements.headingLevel(block.element())).orElse(1);
        return nextLevel > 0 && nextLevel <= level;
    }
}
