package dev.orbweaver.export.markdown;

import dev.orbweaver.export.markdown.Blocks.Block;

import org.jsoup.nodes.Element;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Removes blocks from a page that repeat on most pages of its site.
 *
 * <p>Repetition alone removes only paragraphs and list items. Where the theme marks the main part
 * of the page, it removes them only at the beginning and at the end of that part: between two
 * blocks of the page's own they are its text. A heading is removed if it repeats and its section is
 * navigation, that is, mostly links and nothing of the page's own: "Examples" is on every page of a
 * manual and belongs to each of them. Terms, definitions, code and tables with text are kept.
 */
final class RepeatedBlockFilter {

    private static final double LINK_DENSITY_MIN = 0.5;

    /** The share of a section of navigation that may differ from page to page. */
    private static final double OWN_SHARE_MAX = 0.2;

    private static final Set<String> CONTENT =
            Set.of("dl", "dd", "td", "th", "table", "pre", "blockquote", "figure");

    private final Element root;
    private final RepeatedBlocks memory;
    private final TextDensity textDensity;
    private final boolean marked;
    private final Set<Block> repeated = Collections.newSetFromMap(new IdentityHashMap<>());

    private RepeatedBlockFilter(Element root, RepeatedBlocks memory) {
        this.root = root;
        this.memory = memory;
        this.textDensity = new TextDensity(root);
        this.marked = HtmlElements.isArticle(root) || HtmlElements.isPartOfArticle(root);
    }

    static void removeFrom(Element root, RepeatedBlocks memory) {
        if (!memory.hasEnoughPages()) {
            return;
        }
        var blocks = Blocks.of(root);
        var filter = new RepeatedBlockFilter(root, memory);
        filter.find(blocks);
        if (blocks.stream().anyMatch(filter::isOwn)) {
            filter.repeated.forEach(RepeatedBlockFilter::remove);
        }
    }

    /** Whether a block remains. A page that has none, such as a notice, is kept as it is. */
    private boolean isOwn(Block block) {
        return !repeated.contains(block) && !(marked && isHeading(block));
    }

    private void find(List<Block> blocks) {
        if (marked) {
            findLeading(blocks);
            findTrailing(blocks);
        } else {
            sections(blocks).forEach(this::findInSection);
        }
    }

    /** Finds the repeated blocks at the beginning; the page's title may be among them. */
    private void findLeading(List<Block> blocks) {
        blocks.stream()
                .filter(block -> HtmlElements.headingLevel(block.element()) != 1)
                .takeWhile(this::isRemovable)
                .forEach(repeated::add);
    }

    /** Finds the repeated blocks at the end, unless they are all that a heading has. */
    private void findTrailing(List<Block> blocks) {
        var from = blocks.size();
        while (from > 0 && isRemovable(blocks.get(from - 1))) {
            from--;
        }
        if (from > 0 && !isHeading(blocks.get(from - 1))) {
            repeated.addAll(blocks.subList(from, blocks.size()));
        }
    }

    private boolean isRemovable(Block block) {
        return repeats(block) && (!isContent(block.element()) || isLinkTable(block.element()));
    }

    /** Returns the blocks from each heading to the next. */
    private List<List<Block>> sections(List<Block> blocks) {
        var sections = new ArrayList<List<Block>>();
        sections.add(new ArrayList<>());
        for (var block : blocks) {
            if (isHeading(block)) {
                sections.add(new ArrayList<>());
            }
            sections.getLast().add(block);
        }
        return sections;
    }

    private void findInSection(List<Block> section) {
        var headed = !section.isEmpty() && isHeading(section.getFirst());
        var body = headed ? section.subList(1, section.size()) : section;
        if (headed && repeats(section.getFirst())) {
            if (isNavigation(body)) {
                section.stream().filter(this::repeats).forEach(repeated::add);
                return;
            }
            if (body.stream().allMatch(this::repeats)) {
                return; // The text of the section, such as a licence, is on each page.
            }
        }
        for (var block : body) {
            if (isRemovable(block)) {
                repeated.add(block);
            }
        }
    }

    private boolean isNavigation(List<Block> body) {
        var text = 0;
        var unlinked = 0;
        var own = 0;
        for (var block : body) {
            var element = block.element();
            if (isContent(element) && !isLinkTable(element)) {
                return false;
            }
            text += textDensity.textLength(element);
            unlinked += textDensity.unlinkedTextLength(element);
            own += repeats(block) ? 0 : textDensity.textLength(element);
        }
        return text > 0
                && own <= OWN_SHARE_MAX * text
                && text - unlinked >= LINK_DENSITY_MIN * text;
    }

    private boolean isLinkTable(Element element) {
        return element.nameIs("table") && textDensity.linkDensity(element) >= LINK_DENSITY_MIN;
    }

    /** Whether a block is never removed because of repetition alone. */
    private boolean isContent(Element block) {
        if (HtmlElements.headingLevel(block) > 0 || HtmlElements.isContentBlock(block)) {
            return true;
        }
        for (var at = block; at != null && !HtmlElements.isSame(at, root); at = at.parent()) {
            if (CONTENT.contains(at.normalName())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isHeading(Block block) {
        return HtmlElements.headingLevel(block.element()) > 0;
    }

    private boolean repeats(Block block) {
        return memory.repeats(block.fingerprint());
    }

    private static void remove(Block block) {
        if (block.element().hasParent()) {
            block.element().remove();
        }
    }
}
