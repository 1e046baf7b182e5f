package dev.orbweaver.lab;

import java.util.ArrayDeque;
import java.util.List;

/**
 * Writes a page: head, navigation, and blocks of text until the links are used up and the size is
 * reached. Between them stands what looks like a link and is none: in comments, scripts, styles and
 * attributes, with schemes that nobody crawls. All of those lead below {@code /trap/}, so that a
 * crawler that follows one is seen to do it.
 */
final class HtmlWriter {

    /** A page's link as the writer needs it. */
    record Anchor(String authority, String path, boolean nofollow) {}

    /** What the page's head says besides its title. */
    record Head(String charset, String robots, String canonical, boolean base) {}

    private static final String BASE = "/base/of/links/";

    private final Dice dice;
    private final Href href;
    private final Head head;
    private final ArrayDeque<Anchor> left;
    private final StringBuilder out;
    private final int size;

    HtmlWriter(
            String scheme,
            String authority,
            String path,
            Head head,
            List<Anchor> links,
            int size,
            Dice dice) {
        this.dice = dice;
        this.head = head;
        this.size = size;
        var query = path.indexOf('?');
        var ownPath = query < 0 ? path : path.substring(0, query);
        href = new Href(scheme, head.base ? BASE : ownPath, authority);
        left = new ArrayDeque<>(links);
        out = new StringBuilder(size + size / 4 + 512);
    }

    String write() {
        head();
        navigation();
        traps();
        do {
            block();
        } while (out.length() < size || !left.isEmpty());
        out.append("<footer><p>&copy; the simulated web</p></footer>\n</body>\n</html>\n");
        return out.toString();
    }

    private void head() {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
        if (!head.charset.isEmpty()) {
            out.append("<meta charset=\"").append(head.charset).append("\">\n");
        }
        out.append("<title>").append(Prose.title(dice)).append(" &amp; ");
        out.append(Prose.word(dice)).append("</title>\n");
        if (head.base) {
            out.append("<base href=\"");
            out.append(dice.oneIn(2) ? BASE : href.scheme() + href.authority() + BASE);
            out.append("\">\n");
        }
        if (!head.robots.isEmpty()) {
            out.append("<meta name=\"robots\" content=\"").append(head.robots).append("\">\n");
        }
        if (!head.canonical.isEmpty()) {
            out.append("<link rel=\"canonical\" href=\"").append(head.canonical).append("\">\n");
        }
        out.append("<style>body > a[href=\"/trap/style\"] { color: teal }</style>\n");
        out.append("</head>\n<body>\n");
    }

    private void navigation() {
        out.append("<nav>\n<ul>\n");
        for (var i = 0; i < 3 && !left.isEmpty(); i++) {
            out.append("<li>");
            anchor();
            out.append("</li>\n");
        }
        out.append("</ul>\n</nav>\n<h1>").append(Prose.title(dice)).append("</h1>\n");
    }

    private void traps() {
        switch (dice.below(5)) {
            case 0 -> out.append("<!-- was: <a href=\"/trap/comment\">old</a> -->\n");
            case 1 ->
                    out.append("<script>var x = '<a href=\"/trap/script\">' + (1 < 2);</script>\n");
            case 2 -> out.append("<p title='<a href=\"/trap/attribute\">'>Hover.</p>\n");
            case 3 ->
                    out.append("<a href=\"mailto:someone@example.test\">mail</a> ")
                            .append("<a href=\"javascript:go('/trap/scheme')\">go</a>\n");
            default -> out.append("<a name=\"part-1\" data-href=\"/trap/data\">Part 1</a>\n");
        }
    }

    private void block() {
        switch (dice.below(10)) {
            case 0 -> list();
            case 1 -> table();
            case 2 -> code();
            case 3 -> map();
            case 4 -> out.append("<h2>").append(Prose.title(dice)).append("</h2>\n");
            default -> paragraph();
        }
    }

    private void paragraph() {
        out.append("<p>");
        for (var i = 2 + dice.below(3); i > 0; i--) {
            Prose.sentence(out, dice);
            if (dice.oneIn(2)) {
                anchor();
                out.append(' ');
            }
        }
        // An end tag that may be left out often is.
        out.append(dice.oneIn(3) ? "\n" : "</p>\n");
    }

    private void list() {
        out.append("<ul>\n");
        for (var i = 2 + dice.below(4); i > 0; i--) {
            out.append("<li>");
            anchor();
            out.append(' ').append(Prose.word(dice)).append('\n');
        }
        out.append("</ul>\n");
    }

    private void table() {
        out.append("<table>\n");
        for (var i = 2 + dice.below(3); i > 0; i--) {
            out.append("<tr><th>").append(Prose.word(dice)).append("</th><td>");
            out.append(dice.below(1000)).append("</td><td>");
            anchor();
            out.append("</td></tr>\n");
        }
        out.append("</table>\n");
    }

    private void code() {
        out.append("<pre><code>if (").append(Prose.word(dice)).append(" &lt; ");
        out.append(dice.below(100)).append(" &amp;&amp; ").append(Prose.word(dice));
        out.append(") {\n    return \"&lt;a href='/trap/code'&gt;\";\n}</code></pre>\n");
    }

    private void map() {
        if (left.isEmpty()) {
            paragraph();
            return;
        }
        var link = left.remove();
        var value = href.write(link.authority, link.path, dice);
        out.append("<map name=\"m\"><area shape=\"default\" alt=\"\" ");
        out.append(Href.attribute(value, dice)).append("></map>\n");
    }

    private void anchor() {
        if (left.isEmpty()) {
            out.append("<em>").append(Prose.word(dice)).append("</em>");
            return;
        }
        var link = left.remove();
        out.append(dice.oneIn(8) ? "<A class=x " : "<a ");
        out.append(Href.attribute(href.write(link.authority, link.path, dice), dice));
        if (link.nofollow) {
            out.append(" rel=\"sponsored nofollow\"");
        }
        out.append('>').append(Prose.word(dice)).append("</a>");
    }
}
