package dev.orbweaver.testkit;

import java.util.ArrayDeque;
import java.util.List;

/**
 * Writes a page: head, navigation, and blocks of text until all links are used and the size is
 * reached. Between them are false links: in comments, scripts, styles and attributes, or with
 * schemes that crawlers ignore. All of them point below {@code /trap/}, so that the auditor detects
 * a crawler that follows one.
 */
final class HtmlWriter {

    record Anchor(String authority, String path, boolean nofollow) {}

    record Head(
            String charset,
            String robots,
            String canonical,
            boolean base,
            PageBoilerplate boilerplate) {}

    private static final String BASE = "/base/of/links/";

    private final SeededRandom seededRandom;
    private final Href href;
    private final Head head;
    private final ArrayDeque<Anchor> remainingLinks;
    private final StringBuilder out;
    private final int size;

    HtmlWriter(
            String scheme,
            String authority,
            String path,
            Head head,
            List<Anchor> links,
            int size,
            SeededRandom seededRandom) {
        this.seededRandom = seededRandom;
        this.head = head;
        this.size = size;
        var query = path.indexOf('?');
        var ownPath = query < 0 ? path : path.substring(0, query);
        href = new Href(scheme, head.base ? BASE : ownPath, authority);
        remainingLinks = new ArrayDeque<>(links);
        out = new StringBuilder(size + size / 4 + 512);
    }

    String write() {
        head();
        navigation();
        falseLinks();
        do {
            block();
        } while (out.length() < size || !remainingLinks.isEmpty());
        out.append("<footer><p>&copy; the simulated web");
        if (!head.boilerplate.footer().isEmpty()) {
            out.append(", ").append(head.boilerplate.footer());
        }
        out.append("</p></footer>\n</body>\n</html>\n");
        return out.toString();
    }

    private void head() {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
        if (!head.charset.isEmpty()) {
            out.append("<meta charset=\"").append(head.charset).append("\">\n");
        }
        out.append("<title>").append(Prose.title(seededRandom)).append(" &amp; ");
        out.append(Prose.word(seededRandom)).append("</title>\n");
        if (head.base) {
            out.append("<base href=\"");
            out.append(seededRandom.oneIn(2) ? BASE : href.scheme() + href.authority() + BASE);
            out.append("\">\n");
        }
        if (!head.robots.isEmpty()) {
            out.append("<meta name=\"robots\" content=\"").append(head.robots).append("\">\n");
        }
        if (!head.canonical.isEmpty()) {
            out.append("<link rel=\"canonical\" href=\"").append(head.canonical).append("\">\n");
        }
        out.append("<style>body > a[href=\"/trap/style\"] { color: teal }</style>\n");
        if (!head.boilerplate.nonce().isEmpty()) {
            out.append("<script nonce=\"").append(head.boilerplate.nonce());
            out.append("\">start()</script>\n");
        }
        out.append("</head>\n<body>\n");
    }

    private void navigation() {
        out.append("<nav>\n<ul>\n");
        for (var i = 0; i < 3 && !remainingLinks.isEmpty(); i++) {
            out.append("<li>");
            anchor();
            out.append("</li>\n");
        }
        if (!head.boilerplate.menu().isEmpty()) {
            out.append("<li>News of ").append(head.boilerplate.menu()).append("</li>\n");
        }
        out.append("</ul>\n</nav>\n<h1>").append(Prose.title(seededRandom)).append("</h1>\n");
    }

    private void falseLinks() {
        switch (seededRandom.nextInt(5)) {
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
        switch (seededRandom.nextInt(10)) {
            case 0 -> list();
            case 1 -> table();
            case 2 -> code();
            case 3 -> map();
            case 4 -> out.append("<h2>").append(Prose.title(seededRandom)).append("</h2>\n");
            default -> paragraph();
        }
    }

    private void paragraph() {
        out.append("<p>");
        for (var i = 2 + seededRandom.nextInt(3); i > 0; i--) {
            Prose.sentence(out, seededRandom);
            if (seededRandom.oneIn(2)) {
                anchor();
                out.append(' ');
            }
        }
        // Optional end tags are often omitted.
        out.append(seededRandom.oneIn(3) ? "\n" : "</p>\n");
    }

    private void list() {
        out.append("<ul>\n");
        for (var i = 2 + seededRandom.nextInt(4); i > 0; i--) {
            out.append("<li>");
            anchor();
            out.append(' ').append(Prose.word(seededRandom)).append('\n');
        }
        out.append("</ul>\n");
    }

    private void table() {
        out.append("<table>\n");
        for (var i = 2 + seededRandom.nextInt(3); i > 0; i--) {
            out.append("<tr><th>").append(Prose.word(seededRandom)).append("</th><td>");
            out.append(seededRandom.nextInt(1000)).append("</td><td>");
            anchor();
            out.append("</td></tr>\n");
        }
        out.append("</table>\n");
    }

    private void code() {
        out.append("<pre><code>if (").append(Prose.word(seededRandom)).append(" &lt; ");
        out.append(seededRandom.nextInt(100))
                .append(" &amp;&amp; ")
                .append(Prose.word(seededRandom));
        out.append(") {\n    return \"&lt;a href='/trap/code'&gt;\";\n}</code></pre>\n");
    }

    private void map() {
        if (remainingLinks.isEmpty()) {
            paragraph();
            return;
        }
        var link = remainingLinks.remove();
        var value = href.write(link.authority, link.path, seededRandom);
        out.append("<map name=\"m\"><area shape=\"default\" alt=\"\" ");
        out.append(Href.attribute(value, seededRandom)).append("></map>\n");
    }

    private void anchor() {
        if (remainingLinks.isEmpty()) {
            out.append("<em>").append(Prose.word(seededRandom)).append("</em>");
            return;
        }
        var link = remainingLinks.remove();
        out.append(seededRandom.oneIn(8) ? "<A class=x " : "<a ");
        out.append(
                Href.attribute(href.write(link.authority, link.path, seededRandom), seededRandom));
        if (link.nofollow) {
            out.append(" rel=\"sponsored nofollow\"");
        }
        out.append('>').append(Prose.word(seededRandom)).append("</a>");
    }
}
