package dev.orbweaver.internal.parse;

import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;

import java.util.Locale;

/**
 * Recognises the shell of an application that scripts fill with content in a browser. Its document
 * has scripts, almost no text, no links to other pages, and either an empty element for the content
 * or a note that JavaScript is needed.
 */
public final class AppShell {

    private static final int TEXT_MAX = 200;
    private static final String NO_TEXT = "script, style, noscript, template, svg";

    private AppShell() {}

    public static boolean matches(Document document) {
        var body = HtmlTree.of(document).body();
        var root = body.parent();
        if (root == null || root.selectFirst("script") == null || hasLinks(body)) {
            return false;
        }
        var asksForScripts =
                root.select("noscript").stream()
                        .anyMatch(
                                note ->
                                        note.html()
                                                .toLowerCase(Locale.ROOT)
                                                .contains("javascript"));
        body.select(NO_TEXT).remove();
        return body.text().strip().length() <= TEXT_MAX
                && (asksForScripts || body.children().stream().anyMatch(AppShell::isEmpty));
    }

    private static boolean hasLinks(Element body) {
        return body.select("a[href]").stream().anyMatch(link -> !link.attr("href").startsWith("#"));
    }

    /** Whether an element was left for scripts to fill. */
    private static boolean isEmpty(Element element) {
        return !element.hasText()
                && element.select("img, video, audio, canvas, iframe, object, form").isEmpty();
    }
}
