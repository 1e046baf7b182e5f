package dev.orbweaver.internal.parse;

import dev.orbweaver.model.LinkKind;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Maps the relations of a {@code rel} attribute or a {@code Link} header to link kinds. */
final class LinkRelations {

    private static final Set<String> REQUISITE =
            Set.of(
                    "stylesheet",
                    "icon",
                    "apple-touch-icon",
                    "apple-touch-icon-precomposed",
                    "mask-icon",
                    "preload",
                    "modulepreload",
                    "manifest",
                    "prefetch");

    /**
     * Relations between documents that a reader might follow (IANA's list, and common practice).
     */
    private static final Set<String> RELATED =
            Set.of(
                    "amphtml",
                    "appendix",
                    "archives",
                    "author",
                    "bookmark",
                    "chapter",
                    "collection",
                    "contents",
                    "copyright",
                    "describedby",
                    "first",
                    "glossary",
                    "help",
                    "index",
                    "item",
                    "last",
                    "latest-version",
                    "license",
                    "me",
                    "next",
                    "predecessor-version",
                    "prev",
                    "previous",
                    "privacy-policy",
                    "related",
                    "search",
                    "section",
                    "shortlink",
                    "start",
                    "subsection",
                    "successor-version",
                    "tag",
                    "terms-of-service",
                    "toc",
                    "top",
                    "up",
                    "version-history",
                    "via");

    private static final Set<String> NOFOLLOW = Set.of("nofollow", "ugc", "sponsored");

    private LinkRelations() {}

    /** Returns the link kinds of these relations; none for relations that refer to no document. */
    static Set<LinkKind> kinds(String rel) {
        var kinds = EnumSet.noneOf(LinkKind.class);
        var words = Words.split(rel.toLowerCase(Locale.ROOT));
        // Evaluated once, not for each word: a rel may repeat "alternate" a million times.
        var stylesheet = words.contains("stylesheet");
        for (var word : words) {
            if (word.equals("canonical")) {
                kinds.add(LinkKind.CANONICAL);
            } else if (word.equals("alternate")) {
                // An alternate style sheet is still a style sheet (HTML standard, 4.6.7.1).
                if (!stylesheet) {
                    kinds.add(LinkKind.ALTERNATE);
                }
            } else if (REQUISITE.contains(word)) {
                kinds.add(LinkKind.REQUISITE);
            } else if (RELATED.contains(word)) {
                kinds.add(LinkKind.RELATED);
            }
        }
        return kinds;
    }

    /** Returns whether the author does not endorse the link. */
    static boolean isNofollow(String rel) {
        for (var word : Words.split(rel.toLowerCase(Locale.ROOT))) {
            if (NOFOLLOW.contains(word)) {
                return true;
            }
        }
        return false;
    }
}
