package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.internal.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory of Markdown: a file for every page with relative links, and {@value #COMBINED}. */
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

    /** Files of an earlier export would be taken for pages of this one. */
    private static void requireEmpty(Path directory) throws IOException {
        if (Files.isRegularFile(directory)) {
            throw new IOException(directory + " is a file; name a folder for the Markdown files");
        }
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new IOException(
                            directory + " is not empty; name a new folder for the Markdown files");
                }
            }
        }
    }

    private static void write(Path directory, TextPage text, ExportedPages exportedPages)
            throws IOException {
        var file = directory.resolve(text.file()).normalize();
        if (!file.startsWith(directory.normalize())) {
            throw new IllegalStateException("a name that leaves its folder: " + text.file());
        }
        var page = text.page();
        var body =
                MarkdownLines.rewriteLinks(
                        page.body(), target -> exportedPages.relativeLink(text.file(), target));
        Files.createDirectories(file.getParent());
        Files.write(file, with(page, body).withFrontMatter().getBytes(UTF_8));
    }

    private static MarkdownPage with(MarkdownPage page, String body) {
        return new MarkdownPage(
                page.url(),
                page.title(),
                page.description(),
                page.language(),
                page.fetchedAt(),
                body,
                page.quality(),
                page.tokens(),
                page.simHash());
    }
}
