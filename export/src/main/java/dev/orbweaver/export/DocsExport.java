package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Exports a site as one Markdown document and as one text for language models. */
public final class DocsExport {

    private DocsExport() {}

    /**
     * Writes both files.
     *
     * @param markdown the document for people, with a table of contents
     * @param full the text for language models
     */
    public static ExportReport write(
            CrawlPages pages, ExportSettings.Text settings, Path markdown, Path full)
            throws IOException {
        try (var scratchDirectory =
                        ScratchDirectory.createBeside(new ExportTarget.PathTarget(markdown));
                var store = new TextStore(scratchDirectory.directory())) {
            var texts = new TextPages(pages, settings, scratchDirectory.directory());
            texts.fill(store);
            try (var out = AtomicTextFile.create(markdown)) {
                new CombinedDocument(store, new ExportedPages(store), settings.title()).write(out);
                out.finish();
            }
            try (var out = AtomicTextFile.create(full)) {
                LlmsTxtExport.writeFull(store, out);
                out.finish();
            }
            return new ExportReport(store.size(), "pages", List.copyOf(texts.notes()))
                    .with(pages.skippedPages().notes());
        }
    }
}
