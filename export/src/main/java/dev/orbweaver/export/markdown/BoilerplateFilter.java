package dev.orbweaver.export.markdown;

import com.google.re2j.Pattern;

import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Removes boilerplate from a page: navigation, search, banners, buttons.
 *
 * <p>Losing content is worse than keeping boilerplate, so one sign is not enough, except for
 * landmarks that are navigation by definition (HTML 4.3.4, WAI-ARIA 1.2 5.3.3). The signs are:
 *
 * <ul>
 *   <li>the landmark: {@code nav}, {@code aside}, {@code footer}, {@code header}, ARIA roles;
 *   <li>the position: inside {@code main} or {@code article}, an aside, header or footer belongs to
 *       the text;
 *   <li>the link density: navigation is links and little else;
 *   <li>the class ({@link BoilerplateNames}). An id says nothing by itself: generators derive ids
 *       from headings and function names, such as {@code re.search}. It counts only for an element
 *       that is mostly links.
 * </ul>
 *
 * <p>An element with a term, a definition, code or a footnote is never removed by its name, and an
 * element with a heading only if it is mostly links. Repetition across the site is a further sign:
 * see {@link RepeatedBlockFilter}.
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

    /** Not content, with any text in them, unless one is the page itself. */
    private static final Set<String> NAVIGATION_ROLES =
            Set.of(
                    "navigation",
                    "search",
                    "menu",
                    "menubar",
                    "toolbar",
                    "dialog",
                    "alertdialog",
                    "tablist",
                    "doc-toc");

    private static final Pattern FOOTER_NAME =
            Pattern.compile("\\b(?:footer|copyright|colophon)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern COPYRIGHT =
            Pattern.compile("©|\\bcopyright\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern INVISIBLE =
            Pattern.compile("display:\\s*none|visibility:\\s*hidden", Pattern.CASE_INSENSITIVE);

    /** The minimum share of links in the text of navigation. */
    private static final double LINK_DENSITY_MIN = 0.5;

    /** The maximum text of a banner or a line of metadata that has few links or none. */
    private static final int SHORT_CHARS_MAX = 300;

    private final Element body;
    private final TextDensity textDensity;
    private final Map<String, BoilerplateNames.Match> matches = new HashMap<>();

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
                                    && NEVER_CONTENT.contains(element.normalName())
                                    && !isTitleOfSection(element))) {
                        gone.add(node);
                    }
                });
        gone.stream().filter(Node::hasParent).forEach(Node::remove);
    }

    /** Whether a button is all of a heading or a term, as in sections that can be collapsed. */
    private static boolean isTitleOfSection(Element button) {
        var parent = button.parent();
        return (button.nameIs("button") || button.nameIs("label"))
                && parent != null
                && (isHeadingOrTerm(parent) || parent.nameIs("summary"))
                && parent.text().length() == button.text().length();
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
        if (isHidden(element)) {
            return !isCollapsedContent(element);
        }
        return switch (element.normalName()) {
            case "nav" -> !textDensity.containsArticle(element);
            case "footer" -> isPageFooter(element);
            case "header" -> isSiteHeader(element);
            case "aside" -> isSideNote(element);
            case "body", "html", "main", "article", "pre", "code", "tr", "td", "th", "dt", "dd" ->
                    false;
            case "h1", "h2", "h3", "h4", "h5", "h6" -> false;
            default -> hasBoilerplateRole(element) || isNamedBoilerplate(element);
        };
    }

    private static boolean isHidden(Element element) {
        return element.hasAttr("hidden")
                || (element.attr("aria-hidden").equalsIgnoreCase("true")
                        && !element.nameIs("pre")
                        && !element.nameIs("code"))
                || (element.hasAttr("style") && INVISIBLE.matcher(element.attr("style")).find());
    }

    /** Whether a hidden element is shown on demand, such as the second of several tabs. */
    private boolean isCollapsedContent(Element element) {
        return HtmlElements.isPartOfArticle(element)
                && textDensity.headings(element) + textDensity.contentBlocks(element) > 0;
    }

    /** Whether a header or footer is that of a section and not the page's (HTML 4.3.8). */
    private static boolean belongsToSection(Element element) {
        return HtmlElements.isPartOfArticle(element) || element.closest("section") != null;
    }

    private boolean isPageFooter(Element footer) {
        if (footer.closest("blockquote, figure") != null) {
            return false;
        }
        return belongsToSection(footer)
                ? textDensity.headings(footer) + textDensity.contentBlocks(footer) == 0
                : !textDensity.containsArticle(footer)
                        && footer.selectFirst("[class*=footnote]") == null;
    }

    private boolean isSiteHeader(Element header) {
        return textDensity.headings(header) == 0
                ? !containsMostText(header) && textDensity.contentBlocks(header) == 0
                : !belongsToSection(header) && !hasPageTitle(header) && !containsMostText(header);
    }

    /** Whether an aside is navigation or an advertisement, and not a note of the text. */
    private boolean isSideNote(Element aside) {
        if (containsMostText(aside) || textDensity.contentBlocks(aside) > 0) {
            return false;
        }
        if (HtmlElements.isPartOfArticle(aside)) {
            return isMostlyLinks(aside) && textDensity.headings(aside) == 0;
        }
        return isMostlyLinks(aside) || textDensity.headings(aside) == 0;
    }

    private boolean hasBoilerplateRole(Element element) {
        if (!element.hasAttr("role")) {
            return false;
        }
        var role = element.attr("role").toLowerCase(Locale.ROOT);
        return switch (role) {
            case "contentinfo" -> isPageFooter(element);
            case "banner" -> isSiteHeader(element);
            case "complementary" -> isSideNote(element);
            default -> NAVIGATION_ROLES.contains(role) && !textDensity.containsArticle(element);
        };
    }

    /** Whether the element's class names boilerplate, and its content does not contradict. */
    private boolean isNamedBoilerplate(Element element) {
        var classes = element.className();
        if ((classes.isEmpty() && element.id().isEmpty())
                || textDensity.contentBlocks(element) > 0
                || textDensity.containsArticle(element)) {
            return false;
        }
        return switch (match(classes)) {
            case NONE -> isFooterWithCopyright(element) || hasIdOfNavigation(element);
            case MARK -> textDensity.headings(element) == 0 && !isTextOfBlock(element);
            case NAVIGATION -> isNavigation(element);
            case POSSIBLE -> isFooterWithCopyright(element) || isPossibleBoilerplate(element);
        };
    }

    private BoilerplateNames.Match match(String names) {
        return names.isEmpty()
                ? BoilerplateNames.Match.NONE
                : matches.computeIfAbsent(names, BoilerplateNames::match);
    }

    private boolean hasIdOfNavigation(Element element) {
        return isMostlyLinks(element)
                && HtmlElements.isBlock(element)
                && textDensity.headings(element) == 0
                && match(element.id()) != BoilerplateNames.Match.NONE
                && !HtmlElements.isPartOfArticle(element);
    }

    private boolean isNavigation(Element element) {
        if (isTextOfBlock(element)) {
            return false;
        }
        return isMostlyLinks(element)
                || (textDensity.headings(element) == 0
                        && (textDensity.textLength(element) <= SHORT_CHARS_MAX
                                || !containsMostText(element)));
    }

    private boolean isPossibleBoilerplate(Element element) {
        var inArticle = HtmlElements.isPartOfArticle(element);
        if (!HtmlElements.isOrContainsBlock(element)) {
            return isMostlyLinks(element) && !inArticle && !isTextOfBlock(element);
        }
        if (textDensity.headings(element) > 0) {
            return isMostlyLinks(element) && (!inArticle || linksOnlyWithinPage(element));
        }
        return isMostlyLinks(element) || (!inArticle && isShortNotice(element));
    }

    /** Whether an element is a few words above or below the text, such as a request for consent. */
    private boolean isShortNotice(Element element) {
        return textDensity.textLength(element) <= SHORT_CHARS_MAX
                && (textDensity.isBeforeContent(element) || textDensity.isAfterContent(element))
                && !element.nameIs("table")
                && !containsMostText(element)
                && !isPartOfSidebar(element);
    }

    /** Whether an element is a part, such as the title, of a box that has content. */
    private boolean isPartOfSidebar(Element element) {
        var parent = element.parent();
        return parent != null
                && textDensity.contentBlocks(parent) > 0
                && match(parent.className()) == BoilerplateNames.Match.POSSIBLE;
    }

    /** Whether an element links to the headings of its own page, as a table of contents does. */
    private static boolean linksOnlyWithinPage(Element element) {
        return element.select("a[href]").stream()
                .allMatch(link -> link.attr("href").startsWith("#"));
    }

    private boolean isFooterWithCopyright(Element element) {
        return textDensity.headings(element) == 0
                && textDensity.isAfterContent(element)
                && FOOTER_NAME.matcher(element.className()).find()
                && COPYRIGHT.matcher(element.text()).find();
    }

    private boolean isMostlyLinks(Element element) {
        return textDensity.linkDensityBelowHeadings(element) >= LINK_DENSITY_MIN;
    }

    /**
     * Whether the element is words of a heading, a term or code. A permalink is not: it has no
     * letters, or is a word beside the text.
     */
    private boolean isTextOfBlock(Element element) {
        for (var above = element.parent(); above != null; above = above.parent()) {
            if (isHeadingOrTerm(above) || above.nameIs("pre")) {
                var text = element.text();
                return (HtmlElements.hasWords(text) && !InlineWriter.isSelfLink(text))
                        || textDensity.textLength(element) == textDensity.textLength(above);
            }
        }
        return false;
    }

    private static boolean isHeadingOrTerm(Element element) {
        return HtmlElements.headingLevel(element) > 0 || element.nameIs("dt");
    }

    /** Whether a header has the title of the page and not the site's. */
    private boolean hasPageTitle(Element header) {
        var heading = header.selectFirst("h1");
        return heading != null && HtmlElements.isPageTitle(heading, body);
    }

    /** Whether an element has half of the text outside links, or is the article itself. */
    private boolean containsMostText(Element element) {
        return textDensity.unlinkedTextLength(element) * 2 > textDensity.unlinkedTextLength(body)
                || textDensity.containsArticle(element);
    }
}
