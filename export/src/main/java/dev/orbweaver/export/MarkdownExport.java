package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Exports a directory of Markdown: one file per page with relative links, and {@value #COMBINED}.
 */
final class MarkdownExport {

    static final String COMBINED = "combined.md";

    private MarkdownExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var directory = settings.exportTarget().requirePath(ExportFormat.MARKDOWN);
        requireEmpty(directory);
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var store = new TextStore(scratchDirectory.directory())) {
            var texts = new TextPages(pages, settings.text(), scratchDirectory.directory());
            texts.fill(store);
            var exportedPages = new ExportedPages(store);
            Files.createDirectories(directory);
            store.forEach((_, page) -> write(directory, page, exportedPages));
            try (var out = AtomicTextFile.create(directory.resolve(COMBINED))) {
                new CombinedDocument(store, exportedPages, settings.text().title()).write(out);
                out.finish();
            }
            return new ExportReport(store.size(), "pages", texts.notes());
        }
    }

    /** Rejects a directory with files, which would be mixed with the exported pages. */
    static void requireEmpty(Path directory) throws IOException {
        if (Files.isRegularFile(directory)) {
            throw new InvalidArgumentException(
                    directory + " is a file; expected a new or empty directory for the files");
        }
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new InvalidArgumentException(
                            directory
                                    + " is not empty; expected a new or empty directory for the"
                                    + " files");
                }
            }
        }
    }

    private static void write(Path directory, TextPage text, ExportedPages exportedPages)
            throws IOException {
        var file = directory.resolve(text.file()).normalize();
        if (!file.startsWith(directory.normalize())) {
            throw new IllegalStateException(
                    "file name leaves the export directory: " + text.file());
        }
        var page = text.page();
        var anchored = PageAnchors.write(page, id -> exportedPages.anchorInPage(page.url(), id));
        var body =
                MarkdownLines.rewriteLinks(
                        anchored, target -> exportedPages.relativeLink(text.file(), target));
        Files.createDirectories(file.getParent());
        Files.write(file, page.withBody(body).withFrontMatter().getBytes(UTF_8));
    }
}
