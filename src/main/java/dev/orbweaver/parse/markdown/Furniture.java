package dev.orbweaver.parse.markdown;

import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What stands on a page without being part of what it says: navigation, search, banners, buttons.
 *
 * <p>Elements and roles that say so themselves go first. Then the words of {@code class} and {@code
 * id}, as the makers of themes choose them. A name alone never removes what holds most of the
 * page's text: {@code <div class="page has-sidebar">} is the page and not a sidebar.
 */
final class Furniture {

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
                    "nav",
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

    private static final Set<String> ROLES =
            Set.of(
                    "navigation",
                    "search",
                    "contentinfo",
                    "banner",
                    "complementary",
                    "menu",
                    "menubar",
                    "toolbar",
                    "dialog",
                    "alertdialog",
                    "tablist",
                    "doc-toc");

    /** Words that name furniture when they stand alone between hyphens, underscores or humps. */
    private static final Set<String> WORDS =
            Set.of(
                    "nav",
                    "navbar",
                    "navigation",
                    "navheader",
                    "navfooter",
                    "navlinks",
                    "subnav",
                    "topnav",
                    "sidenav",
                    "bottomnav",
                    "menu",
                    "submenu",
                    "sidebar",
                    "sphinxsidebar",
                    "breadcrumb",
                    "breadcrumbs",
                    "toc",
                    "footer",
                    "search",
                    "searchbox",
                    "cookie",
                    "cookies",
                    "consent",
                    "banner",
                    "share",
                    "sharing",
                    "sharedaddy",
                    "social",
                    "related",
                    "comments",
                    "respond",
                    "pagination",
                    "pager",
                    "paginator",
                    "newsletter",
                    "subscribe",
                    "advert",
                    "advertisement",
                    "ads",
                    "promo",
                    "widget",
                    "widgets",
                    "masthead",
                    "colophon",
                    "toolbar",
                    "dropdown",
                    "popup",
                    "modal",
                    "headerlink",
                    "permalink",
                    "copybutton",
                    "copybtn",
                    "byline",
                    "announcement");

    /** The same when found anywhere in a name without its hyphens. */
    private static final Pattern PARTS =
            Pattern.compile(
                    "tableofcontents|skiplink|skipto|skipnav|screenreader|sronly|visuallyhidden"
                        + "|editthispage|editpage|editlink|prevnext|nextprev|lastupdated"
                        + "|hashlink|anchorlink|backtotop|entrymeta|entryfooter|postmeta"
                        + "|postnavigation|pagenav|contentbutton|sourcelink|docfooter"
                        + "|languageswitch|versionswitch|themeswitch|colormode|copytoclipboard");

    private static final Set<String> ADMONITIONS =
            Set.of(
                    "note",
                    "tip",
                    "warning",
                    "caution",
                    "danger",
                    "important",
                    "info",
                    "admonition");

    private static final Set<String> ARTICLES = Set.of("main", "article");
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern NOT_WORD = Pattern.compile("[^A-Za-z0-9]+");
    private static final Pattern INVISIBLE =
            Pattern.compile("display:\\s*none|visibility:\\s*hidden", Pattern.CASE_INSENSITIVE);

    private final Element body;
    private final Weights weights;

    private Furniture(Element body) {
        this.body = body;
        this.weights = new Weights(body);
    }

    /** Takes the furniture out of a tree. */
    static void removeFrom(Element body) {
        removeNeverContent(body);
        new Furniture(body).remove();
    }

    private static void removeNeverContent(Element body) {
        var gone = new ArrayList<Node>();
        body.forEachNode(
                node -> {
                    if (node instanceof Comment
                            || (node instanceof Element element
                                    && NEVER_CONTENT.contains(element.normalName()))) {
                        gone.add(node);
                    }
                });
        gone.stream().filter(Node::hasParent).forEach(Node::remove);
    }

    private void remove() {
        var gone =
                body.stream()
                        .filter(element -> !Elements.same(element, body) && isFurniture(element))
                        .toList();
        gone.stream().filter(Element::hasParent).forEach(Element::remove);
    }

    private boolean isFurniture(Element element) {
        return isHidden(element) || (saysSo(element) && !holdsThePage(element));
    }

    private static boolean isHidden(Element element) {
        return element.hasAttr("hidden")
                || (element.attr("aria-hidden").equalsIgnoreCase("true")
                        && !element.nameIs("pre")
                        && !element.nameIs("code"))
                || INVISIBLE.matcher(element.attr("style")).find();
    }

    private static boolean saysSo(Element element) {
        return switch (element.normalName()) {
            case "footer" -> true;
            case "header" -> !Elements.isIn(element, ARTICLES) || !holdsHeading(element);
            case "aside" -> !isAdmonition(element);
            case "body", "html", "main", "article", "pre", "code", "table", "tr", "td", "th" ->
                    false;
            default -> isNamedSo(element);
        };
    }

    private static boolean isNamedSo(Element element) {
        if (ROLES.contains(element.attr("role").toLowerCase(Locale.ROOT))) {
            return true;
        }
        var names = element.className() + " " + element.id();
        if (names.isBlank() || Elements.headingLevel(element) > 0) {
            return false;
        }
        // An id of a heading's section is made from its words, as "related-functions" is: only
        // what the theme names is looked at there.
        var name = element.nameIs("section") ? element.className() : names;
        return (hasFurnitureWord(name) && !isInHeading(element)) || isLocalContents(element);
    }

    private static boolean isInHeading(Element element) {
        return element.parents().stream().anyMatch(parent -> Elements.headingLevel(parent) > 0)
                && !element.nameIs("a");
    }

    private static boolean hasFurnitureWord(String names) {
        for (var name : NOT_WORD.splitAsStream(HUMP.matcher(names).replaceAll("-")).toList()) {
            if (WORDS.contains(name.toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        for (var name : names.split(" ", -1)) {
            var squashed = NOT_WORD.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
            if (PARTS.matcher(squashed).find()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLocalContents(Element element) {
        return element.hasClass("contents") && element.hasClass("topic");
    }

    private static boolean isAdmonition(Element element) {
        return NOT_WORD.splitAsStream(element.className().toLowerCase(Locale.ROOT))
                .anyMatch(ADMONITIONS::contains);
    }

    private static boolean holdsHeading(Element element) {
        return element.stream().anyMatch(inner -> Elements.headingLevel(inner) > 0);
    }

    /** Half of the text outside links, or the article itself. */
    private boolean holdsThePage(Element element) {
        return weights.unlinked(element) * 2 > weights.unlinked(body)
                || element.stream()
                        .anyMatch(
                                inner ->
                                        !Elements.same(inner, element)
                                                && ARTICLES.contains(inner.normalName()));
    }
}
