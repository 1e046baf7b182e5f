package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The words in {@code class} and {@code id} by which themes name navigation and other boilerplate.
 */
final class BoilerplateNames {

    /** Whole words, separated by hyphens, underscores or camel case. */
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

    /** Substrings of a name without its hyphens. */
    private static final List<String> PARTS =
            List.of(
                    "tableofcontents",
                    "skiplink",
                    "skipto",
                    "skipnav",
                    "screenreader",
                    "sronly",
                    "visuallyhidden",
                    "editthispage",
                    "editpage",
                    "editlink",
                    "prevnext",
                    "nextprev",
                    "lastupdated",
                    "hashlink",
                    "anchorlink",
                    "backtotop",
                    "entrymeta",
                    "entryfooter",
                    "postmeta",
                    "postnavigation",
                    "pagenav",
                    "contentbutton",
                    "sourcelink",
                    "srclink",
                    "viewcodelink",
                    "docfooter",
                    "languageswitch",
                    "versionswitch",
                    "themeswitch",
                    "colormode",
                    "copytoclipboard",
                    "testarrow",
                    "notabletraits",
                    "outofband");

    private static final List<String> STATE_PREFIXES =
            List.of("has", "have", "no", "with", "without");

    private BoilerplateNames() {}

    /**
     * @param allNames separated by spaces
     */
    static boolean matchesAny(String allNames) {
        for (var name : TextScan.words(allNames)) {
            // "has-sidebar" and "no-toc" describe other elements.
            if (!isState(name) && (containsWord(name) || containsPart(name))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isState(String name) {
        for (var state : STATE_PREFIXES) {
            if (name.startsWith(state)
                    && name.length() > state.length() + 1
                    && "-_".indexOf(name.charAt(state.length())) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean containsWord(String name) {
        var start = 0;
        for (var at = 0; at <= name.length(); at++) {
            var ends = at == name.length() || !TextScan.isAlphanumeric(name.charAt(at));
            if (ends || isCamelCaseBoundary(name, at)) {
                if (WORDS.contains(name.substring(start, at).toLowerCase(Locale.ROOT))) {
                    return true;
                }
                start = ends ? at + 1 : at;
            }
        }
        return false;
    }

    private static boolean isCamelCaseBoundary(String name, int at) {
        return at > 0
                && Character.isUpperCase(name.charAt(at))
                && TextScan.isAlphanumeric(name.charAt(at - 1))
                && !Character.isUpperCase(name.charAt(at - 1));
    }

    private static boolean containsPart(String name) {
        var squashed = new StringBuilder(name.length());
        for (var i = 0; i < name.length(); i++) {
            if (TextScan.isAlphanumeric(name.charAt(i))) {
                squashed.append(name.charAt(i));
            }
        }
        var lower = squashed.toString().toLowerCase(Locale.ROOT);
        return PARTS.stream().anyMatch(lower::contains);
    }
}
