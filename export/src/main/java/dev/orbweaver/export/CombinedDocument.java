package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownPage;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Writes many pages as one Markdown document with a table of contents. Headings are lowered by one
 * level; links between the pages become links within the document.
 */
final class CombinedDocument {

    private final TextStore store;
    private final ExportedPages exportedPages;
    private final String wantedTitle;
    private String title = "";
    private String description = "";
    private Instant from = Instant.MAX;
    private Instant to = Instant.MIN;

    CombinedDocument(TextStore store, ExportedPages exportedPages, String wantedTitle) {
        this.store = store;
        this.exportedPages = exportedPages;
        this.wantedTitle = wantedTitle;
    }

    void write(AtomicTextFile out) throws IOException {
        store.forEach(this::collectMetadata);
        out.write("# " + title() + "\n\n");
        if (!description.isEmpty()) {
            out.write("> " + MarkdownLines.escape(description) + "\n\n");
        }
        out.write(summary());
        out.write("## Contents\n\n");
        var tableOfContents = new TableOfContents();
        store.forEach((_, page) -> out.write(tableOfContents.line(page, heading(page.page()))));
        store.forEach((_, page) -> section(page.page(), out));
    }

    private void collectMetadata(int number, TextPage page) {
        if (number == 0) {
            title = heading(page.page());
            description = page.page().description();
        }
        from = earlier(from, page.page().fetchedAt());
        to = earlier(page.page().fetchedAt(), to).equals(to) ? page.page().fetchedAt() : to;
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    private String title() {
        return wantedTitle.isEmpty()
                ? title.isEmpty() ? "Pages" : title
                : MarkdownLines.escape(wantedTitle);
    }

    private String summary() {
        if (store.size() == 0) {
            return "No pages.\n\n";
        }
        var first = from.truncatedTo(ChronoUnit.DAYS).toString().substring(0, 10);
        var last = to.truncatedTo(ChronoUnit.DAYS).toString().substring(0, 10);
        return "%d %s, fetched %s.\n\n"
                .formatted(
                        store.size(),
                        store.size() == 1 ? "page" : "pages",
                        first.equals(last) ? "on " + first : "from " + first + " to " + last);
    }

    private void section(MarkdownPage page, AtomicTextFile out) throws IOException {
        var body = PageAnchors.write(page, id -> exportedPages.anchorInDocument(page.url(), id));
        var start = PageAnchors.endOfLeadingAnchors(body);
        out.write("\n---\n\n<a id=\"" + ExportedPages.anchor(page.url()) + "\"></a>\n\n");
        out.write(body.substring(0, start));
        out.write("## " + heading(page) + "\n\n");
        out.write("Source: <" + page.url() + ">\n\n");
        var nested = MarkdownLines.nestUnder(body.substring(start), 2);
        out.write(MarkdownLines.rewriteLinks(nested, exportedPages::anchorLink));
    }

    /** Returns the page's own heading as written, its title, or its URL. */
    static String heading(MarkdownPage page) {
        return MarkdownLines.heading(page.body())
                .filter(text -> !text.isEmpty())
                .or(
                        () ->
                                Optional.of(MarkdownLines.escape(page.title()))
                                        .filter(text -> !text.isEmpty()))
                .orElseGet(() -> MarkdownLines.escape(page.url()));
    }
}
