package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

/**
 * Decides whether Markdown is an index: lines with a link into the same site, few words beside it,
 * and little prose.
 *
 * <p>Indexes, lists of packages and tables of contents have half of their text or more in such
 * lines; pages with text of their own have less than a third, even where half of it are summary
 * tables. A long list, such as that of all classes, may have a sentence beside each link.
 */
final class LinkLines {

    /** A line with a link is an entry if it has at most this many letters beside its links. */
    private static final int ENTRY_LETTERS_MAX = 60;

    private static final int PROSE_LETTERS_MIN = 100;
    private static final int ENTRIES_MIN = 5;
    private static final double ENTRY_SHARE_MIN = 0.45;
    private static final double PROSE_SHARE_MAX = 0.25;
    private static final int DESCRIPTION_LETTERS_MAX = 160;
    private static final int LONG_LIST_LINES_MIN = 200;
    private static final double LONG_LIST_SHARE_MIN = 0.7;

    private final String origin;
    private int lines;
    private int entries;
    private long letters;
    private long entryLetters;
    private long proseLetters;
    private int described;
    private long describedLetters;

    private LinkLines(String origin) {
        this.origin = origin;
    }

    /**
     * @param origin what the URLs of the site begin with
     */
    static boolean isIndex(String markdown, String origin) {
        var scan = new LinkLines(origin);
        var inCode = false;
        for (var at = 0; at < markdown.length(); ) {
            var feed = markdown.indexOf('\n', at);
            var end = feed < 0 ? markdown.length() : feed;
            var start = TextScan.endOf(markdown, at, c -> c == ' ' || c == '>');
            if (markdown.startsWith("```", start)) {
                inCode = !inCode;
            } else if (!inCode && start < end && markdown.charAt(start) != '#') {
                scan.line(markdown, start, end);
            }
            at = end + 1;
        }
        return scan.isIndex();
    }

    private boolean isIndex() {
        return (entries >= ENTRIES_MIN
                        && entries >= ENTRY_SHARE_MIN * lines
                        && entryLetters >= ENTRY_SHARE_MIN * letters
                        && proseLetters <= PROSE_SHARE_MAX * letters)
                || (lines >= LONG_LIST_LINES_MIN
                        && described >= LONG_LIST_SHARE_MIN * lines
                        && describedLetters >= LONG_LIST_SHARE_MIN * letters);
    }

    private void line(String markdown, int start, int end) {
        var linked = 0;
        var unlinked = 0;
        var sinceBracket = 0;
        var links = 0;
        for (var at = start; at < end; at++) {
            var c = markdown.charAt(at);
            if (Character.isLetterOrDigit(c)) {
                sinceBracket++;
            } else if (c == '\\') {
                at++;
            } else if (c == '[') {
                unlinked += sinceBracket;
                sinceBracket = 0;
            } else if (c == ']' && markdown.startsWith("(", at + 1)) {
                links += markdown.startsWith(origin, at + 2) ? 1 : 0;
                linked += sinceBracket;
                sinceBracket = 0;
                at = endOfTarget(markdown, at + 2, end);
            }
        }
        unlinked += sinceBracket;
        if (linked + unlinked == 0) {
            return;
        }
        lines++;
        letters += linked + unlinked;
        if (links > 0 && unlinked <= DESCRIPTION_LETTERS_MAX && beginsWithLink(markdown, start)) {
            described++;
            describedLetters += linked + unlinked;
        }
        if (links > 0 && unlinked <= ENTRY_LETTERS_MAX) {
            entries++;
            entryLetters += linked + unlinked;
        } else if (unlinked >= PROSE_LETTERS_MIN) {
            proseLetters += linked + unlinked;
        }
    }

    /** Whether an item, a row or a paragraph begins with a link, of code or of text. */
    private static boolean beginsWithLink(String markdown, int start) {
        return markdown.startsWith(
                "[", TextScan.endOf(markdown, start, c -> "-|*` ".indexOf(c) >= 0));
    }

    private static int endOfTarget(String markdown, int from, int end) {
        var open = 1;
        var at = from;
        while (at < end) {
            var c = markdown.charAt(at);
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (open == 0) {
                return at;
            }
            at += c == '\\' ? 2 : 1;
        }
        return end;
    }
}
