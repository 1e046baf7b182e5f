package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A whole site as one Markdown document and as one text for language models. */
public final class Documentation {

    private Documentation() {}

    /**
     * Writes both.
     *
     * @param markdown the document for people, with a table of contents
     * @param full the text for language models
     */
    public static ExportReport write(
            CrawlPages pages, ExportSettings.Text settings, Path markdown, Path full)
            throws IOException {
        try (var scratch = Scratch.beside(new Target.Place(markdown));
                var store = new TextStore(scratch.folder())) {
            var texts = new TextPages(pages, settings, scratch.folder());
            texts.fill(store);
            try (var out = TextFile.create(markdown)) {
                new CombinedDocument(store, new Library(store), settings.title()).write(out);
                out.finish();
            }
            try (var out = TextFile.create(full)) {
                LlmsTxtExport.full(store, out);
                out.finish();
            }
            return new ExportReport(store.size(), "pages", List.copyOf(texts.notes()))
                    .with(pages.unread().notes());
        }
    }
}
