package dev.orbweaver.parse.markdown;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The words by which themes name navigation and the like in {@code class} and {@code id}. */
final class FurnitureNames {

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
                        + "|postnavigation|pagenav|contentbutton|sourcelink|srclink|viewcodelink|docfooter"
                        + "|languageswitch|versionswitch|themeswitch|colormode|copytoclipboard|testarrow|notabletraits|outofband");

    private static final Pattern STATE =
            Pattern.compile("(?<=^|\\s)(?:has|have|no|with|without)[-_]\\S+");
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern NOT_WORD = Pattern.compile("[^A-Za-z0-9]+");

    private FurnitureNames() {}

    /** Whether one of the names, with spaces between, is furniture's. */
    static boolean areIn(String allNames) {
        // "has-sidebar" and "no-toc" tell what else there is.
        var names = STATE.matcher(allNames).replaceAll("");
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
}
