package dev.orbweaver.parse.markdown;

import com.google.re2j.Pattern;

import dev.orbweaver.parse.markdown.Blocks.Block;

import org.jsoup.nodes.Element;

import java.util.List;

/**
 * Takes away the "previous", "next" and "up" above and below an article. They differ from page to
 * page, so counting does not find them, and old pages give them no name.
 */
final class Signposts {

    private static final Pattern WORDS =
            Pattern.compile(
                    "[\\s«»‹›←→↑<>|\\[\\]·-]*(?:prev(?:ious)?|next|up|home|top|contents|index|back)\\b.*"
                        + "|[\\s«»‹›←→↑<>|]+.*|.*[«»‹›←→↑]\\s*",
                    Pattern.CASE_INSENSITIVE);

    private static final int TITLE_CHARS_MAX = 20;
    private static final int CHARS_MAX = 300;
    private static final double LINKED_MIN = 0.7;

    private final Weights weights;

    private Signposts(Element root) {
        this.weights = new Weights(root);
    }

    static void removeFrom(Element root) {
        var signposts = new Signposts(root);
        var blocks = Blocks.of(root);
        signposts.removeFromBeginning(blocks);
        signposts.removeFromBeginning(blocks.reversed());
    }

    private void removeFromBeginning(List<Block> blocks) {
        for (var block : blocks) {
            var element = block.element();
            if (!element.hasText()) {
                continue;
            }
            if (!isSignpost(element)) {
                return;
            }
            if (element.hasParent()) {
                element.remove();
            }
        }
    }

    private boolean isSignpost(Element element) {
        return Elements.headingLevel(element) == 0
                && !element.nameIs("pre")
                && weights.text(element) <= CHARS_MAX
                && weights.linkDensity(element) >= LINKED_MIN
                && element.select("a[href]").stream().anyMatch(Signposts::pointsOn);
    }

    private static boolean pointsOn(Element link) {
        var rel = link.attr("rel");
        return rel.equals("prev")
                || rel.equals("next")
                || WORDS.matcher(link.text()).matches()
                || (link.attr("title").length() < TITLE_CHARS_MAX
                        && WORDS.matcher(link.attr("title")).matches());
    }
}
