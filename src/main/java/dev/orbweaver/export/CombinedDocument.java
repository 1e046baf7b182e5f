package dev.orbweaver.export;

import dev.orbweaver.parse.markdown.MarkdownPage;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Many pages as one Markdown document: a title, a table of contents, then the pages in reading
 * order. A page's headings go down a level, links among the pages become links within the document.
 */
final class CombinedDocument {

    private final TextStore store;
    private final Library library;
    private final String wantedTitle;
    private String title = "";
    private String description = "";
    private Instant from = Instant.MAX;
    private Instant to = Instant.MIN;

    CombinedDocument(TextStore store, Library library, String wantedTitle) {
        this.store = store;
        this.library = library;
        this.wantedTitle = wantedTitle;
    }

    void write(TextFile out) throws IOException {
        store.each(this::survey);
        out.write("# " + title() + "\n\n");
        if (!description.isEmpty()) {
            out.write("> " + MarkdownLines.escaped(description) + "\n\n");
        }
        out.write(measure());
        out.write("## Contents\n\n");
        var contents = new Contents();
        store.each((_, page) -> out.write(contents.line(page, heading(page.page()))));
        store.each((_, page) -> section(page.page(), out));
    }

    private void survey(int number, TextPage page) {
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
                : MarkdownLines.escaped(wantedTitle);
    }

    private String measure() {
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

    private void section(MarkdownPage page, TextFile out) throws IOException {
        out.write("\n---\n\n<a id=\"" + Library.anchor(page.url()) + "\"></a>\n\n");
        out.write("## " + heading(page) + "\n\n");
        out.write("Source: <" + page.url() + ">\n\n");
        var body = MarkdownLines.below(page.body(), 2);
        out.write(MarkdownLines.relinked(body, library::within));
    }

    /** The page's own heading as it was written, or its title, or its address. */
    static String heading(MarkdownPage page) {
        return MarkdownLines.heading(page.body())
                .filter(text -> !text.isEmpty())
                .or(
                        () ->
                                Optional.of(MarkdownLines.escaped(page.title()))
                                        .filter(text -> !text.isEmpty()))
                .orElseGet(() -> MarkdownLines.escaped(page.url()));
    }
}
