package dev.orbweaver.parse.markdown;

import org.jsoup.nodes.Element;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Takes out of a page the blocks that its whole site shares.
 *
 * <p>A paragraph or item that repeats goes by itself. A heading, a table or a code block goes only
 * with everything in its container: "Examples" stands on every page of a manual and belongs to each
 * of them. A heading whose section is empty afterwards goes too.
 */
final class Boilerplate {

    private final SiteMemory memory;
    private final Set<Element> emptied = Collections.newSetFromMap(new IdentityHashMap<>());

    private Boilerplate(SiteMemory memory) {
        this.memory = memory;
    }

    static void removeFrom(Element root, SiteMemory memory) {
        new Boilerplate(memory).remove(root);
    }

    private void remove(Element root) {
        var repeated = Collections.<Element>newSetFromMap(new IdentityHashMap<>());
        var kept = Collections.<Element>newSetFromMap(new IdentityHashMap<>());
        for (var block : Blocks.of(root)) {
            (memory.repeats(block.fingerprint()) ? repeated : kept).add(block.element());
        }
        // Whatever holds a block of the page's own stays.
        for (var element : Set.copyOf(kept)) {
            for (var above = element.parent(); above != null && kept.add(above); ) {
                above = above.parent();
            }
        }
        for (var element : repeated) {
            var top = topOfRepetition(element, root, kept);
            if (!Elements.same(top, element) || !staysAlone(element)) {
                noteHeadingBefore(top);
                if (top.hasParent()) {
                    top.remove();
                }
            }
        }
        emptied.stream().filter(Element::hasParent).forEach(Boilerplate::removeIfEmpty);
    }

    private static Element topOfRepetition(Element element, Element root, Set<Element> kept) {
        var top = element;
        for (var above = element.parent();
                above != null && !Elements.same(above, root) && !kept.contains(above);
                above = above.parent()) {
            top = above;
        }
        return top;
    }

    private static boolean staysAlone(Element element) {
        return switch (element.normalName()) {
            case "h1", "h2", "h3", "h4", "h5", "h6", "table", "pre", "dt", "td", "th", "caption" ->
                    true;
            default -> false;
        };
    }

    private void noteHeadingBefore(Element element) {
        for (var before = element.previousElementSibling();
                before != null;
                before = before.previousElementSibling()) {
            if (Elements.headingLevel(before) > 0) {
                emptied.add(before);
                return;
            }
        }
    }

    private static void removeIfEmpty(Element heading) {
        var next = heading.nextElementSibling();
        if (next == null
                || (Elements.headingLevel(next) > 0
                        && Elements.headingLevel(next) <= Elements.headingLevel(heading))) {
            heading.remove();
        }
    }
}
