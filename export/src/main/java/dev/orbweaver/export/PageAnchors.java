package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.model.TextScan;

import java.util.Optional;
import java.util.function.Function;

/**
 * Writes ids of a page into its Markdown as {@code <a id="..."></a>}, so that links to them work.
 *
 * <p>Renderers derive ids from headings, each in its own way, and pages link to terms and
 * paragraphs, too; an explicit anchor works everywhere. Ids are compared decoded, as a browser does
 * (HTML 7.4.6.4): the link {@code #a%20b} leads to the id {@code a b}.
 */
final class PageAnchors {

    private static final String FENCE = "```";

    /** Characters that a fragment may have unencoded and that mean nothing in a link target. */
    private static final String PLAIN = "-._~:/?@!$'*+,;=&()";

    private PageAnchors() {}

    /**
     * Returns the body with anchors. One of a heading or a code block is on a line before it.
     *
     * @param nameOf returns the name of the anchor for an id; empty to write none
     */
    static String write(MarkdownPage page, Function<String, Optional<String>> nameOf) {
        var body = page.body();
        var out = new StringBuilder(body.length() + 64);
        var at = 0;
        for (var anchor : page.anchors()) {
            var name = nameOf.apply(anchor.id());
            if (name.isEmpty()) {
                continue;
            }
            var tag = "<a id=\"" + escape(name.get()) + "\"></a>";
            var lineStart = body.lastIndexOf('\n', anchor.offset() - 1) + 1;
            if (MarkdownLines.headingLevel(body.substring(lineStart, anchor.offset())) > 0) {
                out.append(body, at, lineStart).append(tag).append("\n\n");
                at = lineStart;
            } else if (isFence(body, lineStart, anchor.offset())) {
                var fence = body.indexOf(FENCE, lineStart);
                var indent = continuation(body.substring(lineStart, fence));
                out.append(body, at, fence).append(tag).append('\n').append(indent);
                at = fence;
            } else {
                out.append(body, at, anchor.offset()).append(tag);
                at = anchor.offset();
            }
        }
        return out.append(body, at, body.length()).toString();
    }

    /** Returns the end of the anchors above the first heading; a page's own body has no tags. */
    static int endOfLeadingAnchors(String anchored) {
        var end = 0;
        while (anchored.startsWith("<a id=", end) && anchored.indexOf("\n\n", end) >= 0) {
            var next = anchored.indexOf("\n\n", end) + 2;
            if (!anchored.startsWith("</a>", next - 6)) {
                break;
            }
            end = next;
        }
        return end;
    }

    private static boolean isFence(String body, int lineStart, int offset) {
        var fence = body.indexOf(FENCE, lineStart);
        return fence >= 0
                && fence < offset
                && TextScan.endOf(
                                body, lineStart, c -> " >-.".indexOf(c) >= 0 || TextScan.isDigit(c))
                        == fence;
    }

    /** Returns what a further line begins with: quotes continue, the marks of items do not. */
    private static String continuation(String prefix) {
        var out = new StringBuilder(prefix.length());
        prefix.chars().forEach(c -> out.append(c == '>' ? '>' : ' '));
        return out.toString();
    }

    /** Returns the form in which ids and fragments are compared: decoded. */
    static String key(String fragment) {
        return FileNames.percentDecode(fragment);
    }

    /** Returns a decoded id as the fragment of a link target. */
    static String fragment(String id) {
        var balanced = isBalanced(id);
        var out = new StringBuilder(id.length() + 1).append('#');
        for (var b : id.getBytes(UTF_8)) {
            var c = (char) (b & 0xFF);
            var bracket = c == '(' || c == ')';
            if (c < 0x80
                    && (TextScan.isAlphanumeric(c) || PLAIN.indexOf(c) >= 0)
                    && (balanced || !bracket)) {
                out.append(c);
            } else {
                out.append('%').append("%02X".formatted((int) c));
            }
        }
        return out.toString();
    }

    /** Whether parentheses are in pairs that are not nested, as a link target allows. */
    private static boolean isBalanced(String id) {
        var open = 0;
        for (var i = 0; i < id.length() && open >= 0 && open <= 1; i++) {
            open += id.charAt(i) == '(' ? 1 : id.charAt(i) == ')' ? -1 : 0;
        }
        return open == 0;
    }

    private static String escape(String name) {
        return name.replace("&", "&amp;")
                .replace("\"", "&quot;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("|", "&#124;");
    }
}
