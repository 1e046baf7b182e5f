package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The words by which themes name navigation and other boilerplate in {@code class}. */
final class BoilerplateNames {

    /** What a name says about an element. */
    enum Match {
        NONE,
        /** A symbol or a link beside the text, such as a permalink. */
        MARK,
        /** Navigation, unless the content contradicts. */
        NAVIGATION,
        /** A word that also names content, such as "search": another sign is needed. */
        POSSIBLE
    }

    private static final Set<String> MARKS =
            Set.of("headerlink", "permalink", "copybutton", "copybtn");

    /** Whole words, separated by hyphens, underscores or camel case. */
    private static final Set<String> NAVIGATION =
            Set.of(
                    "nav",
                    "navbar",
                    "navheader",
                    "navfooter",
                    "navlinks",
                    "subnav",
                    "topnav",
                    "sidenav",
                    "bottomnav",
                    "sphinxsidebar",
                    "sharedaddy",
                    "pagination",
                    "pager",
                    "paginator",
                    "masthead",
                    "colophon");

    private static final Set<String> POSSIBLE =
            Set.of(
                    "menu",
                    "submenu",
                    "sidebar",
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
                    "social",
                    "related",
                    "comments",
                    "respond",
                    "newsletter",
                    "subscribe",
                    "advert",
                    "advertisement",
                    "ads",
                    "promo",
                    "widget",
                    "widgets",
                    "toolbar",
                    "dropdown",
                    "popup",
                    "modal",
                    "byline",
                    "announcement");

    /** Substrings of a name without its hyphens. */
    private static final List<String> MARK_PARTS =
            List.of(
                    "skiplink",
                    "skipto",
                    "skipnav",
                    "screenreader",
                    "sronly",
                    "visuallyhidden",
                    "hashlink",
                    "anchorlink",
                    "contentbutton",
                    "sourcelink",
                    "srclink",
                    "viewcodelink",
                    "copytoclipboard",
                    "testarrow",
                    "notabletraits",
                    "outofband");

    private static final List<String> NAVIGATION_PARTS =
            List.of(
                    "navigation",
                    "breadcrumb",
                    "tableofcontents",
                    "editthispage",
                    "editpage",
                    "editlink",
                    "prevnext",
                    "nextprev",
                    "lastupdated",
                    "backtotop",
                    "entrymeta",
                    "entryfooter",
                    "postmeta",
                    "pagenav",
                    "docfooter",
                    "languageswitch",
                    "versionswitch",
                    "themeswitch",
                    "colormode");

    private static final List<String> STATE_PREFIXES =
            List.of("has", "have", "no", "with", "without");

    private BoilerplateNames() {}

    /**
     * @param allNames separated by spaces
     */
    static Match match(String allNames) {
        var match = Match.NONE;
        for (var name : TextScan.words(allNames)) {
            // "has-sidebar" and "no-toc" describe other elements.
            if (!isState(name)) {
                var other = matchOne(name);
                match = match == Match.NONE || other == Match.NAVIGATION ? other : match;
            }
        }
        return match;
    }

    private static Match matchOne(String name) {
        var squashed = squashed(name);
        if (containsWord(name, MARKS) || MARK_PARTS.stream().anyMatch(squashed::contains)) {
            return Match.MARK;
        }
        if (containsWord(name, NAVIGATION)
                || NAVIGATION_PARTS.stream().anyMatch(squashed::contains)) {
            return Match.NAVIGATION;
        }
        return containsWord(name, POSSIBLE) ? Match.POSSIBLE : Match.NONE;
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

    private static boolean containsWord(String name, Set<String> words) {
        var start = 0;
        for (var at = 0; at <= name.length(); at++) {
            var ends = at == name.length() || !TextScan.isAlphanumeric(name.charAt(at));
            if (ends || isCamelCaseBoundary(name, at)) {
                if (words.contains(name.substring(start, at).toLowerCase(Locale.ROOT))) {
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

    private static String squashed(String name) {
        var squashed = new StringBuilder(name.length());
        for (var i = 0; i < name.length(); i++) {
            if (TextScan.isAlphanumeric(name.charAt(i))) {
                squashed.append(name.charAt(i));
            }
        }
        return squashed.toString().toLowerCase(Locale.ROOT);
    }
}
