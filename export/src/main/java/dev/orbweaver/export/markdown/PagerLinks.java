package dev.orbweaver.export.markdown;

import com.google.re2j.Pattern;

import org.jsoup.nodes.Element;

import java.util.List;

/**
 * Removes "previous", "next" and "up" links above and below an article. Their targets differ from
 * page to page, so {@link RepeatedBlocks} does not find them, and old pages give them no class
 * name.
 */
final class PagerLinks {

    private static final Pattern WORDS =
            Pattern.compile(
                    "[\\s«»‹›←→↑<>|\\[\\]·-]*(?:prev(?:ious)?|next|up|home|top|contents|index|back)\\b.*"
                        + "|[\\s«»‹›←→↑<>|]+.*|.*[«»‹›←→↑]\\s*",
                    Pattern.CASE_INSENSITIVE);

    private static final int TITLE_CHARS_MAX = 20;
    private static final int CHARS_MAX = 300;
    private static final double LINK_DENSITY_MIN = 0.7;

    /** For links that declare themselves as pagers, between words such as "Next:". */
    private static final double DECLARED_LINK_DENSITY_MIN = 0.3;

    private final TextDensity textDensity;

    private PagerLinks(Element root) {
        this.textDensity = new TextDensity(root);
    }

    static void removeFrom(Element root) {
        var pagerLinks = new PagerLinks(root);
        var blocks = Blocks.leaves(root);
        pagerLinks.removeFromBeginning(blocks);
        pagerLinks.removeFromBeginning(blocks.reversed());
    }

    private void removeFromBeginning(List<Element> blocks) {
        for (var element : blocks) {
            if (!element.hasText()) {
                continue;
            }
            if (!isPager(element)) {
                return;
            }
            if (element.hasParent()) {
                element.remove();
            }
        }
    }

    private boolean isPager(Element element) {
        return HtmlElements.headingLevel(element) == 0
                && !HtmlElements.isContentBlock(element)
                && textDensity.textLength(element) <= CHARS_MAX
                && (textDensity.linkDensity(element) >= LINK_DENSITY_MIN
                        ? element.select("a[href]").stream().anyMatch(PagerLinks::isPagerLink)
                        : textDensity.linkDensity(element) >= DECLARED_LINK_DENSITY_MIN
                                && element.selectFirst("a[rel=next], a[rel=prev]") != null);
    }

    private static boolean isPagerLink(Element link) {
        var rel = link.attr("rel");
        return rel.equals("prev")
                || rel.equals("next")
                || WORDS.matcher(link.text()).matches()
                || (link.attr("title").length() < TITLE_CHARS_MAX
                        && WORDS.matcher(link.attr("title")).matches());
    }
}
