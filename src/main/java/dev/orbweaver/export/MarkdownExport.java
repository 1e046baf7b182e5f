package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.parse.markdown.MarkdownPage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A folder of Markdown: a file for every page in the site's own tree, with links among them made
 * relative, and {@value #COMBINED} with all of them.
 */
final class MarkdownExport {

    static final String COMBINED = "combined.md";

    private MarkdownExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var folder = settings.target().place(Format.MARKDOWN);
        requireEmpty(folder);
        try (var scratch = Scratch.beside(settings.target());
                var store = new TextStore(scratch.folder())) {
            var texts = new TextPages(pages, settings.text(), scratch.folder());
            texts.fill(store);
            var library = new Library(store);
            Files.createDirectories(folder);
            store.each((_, page) -> write(folder, page, library));
            try (var out = TextFile.create(folder.resolve(COMBINED))) {
                new CombinedDocument(store, library, settings.text().title()).write(out);
                out.finish();
            }
            return new ExportReport(store.size(), "pages", texts.notes());
        }
    }

    /** Files of an earlier export would be taken for pages of this one. */
    private static void requireEmpty(Path folder) throws IOException {
        if (Files.isRegularFile(folder)) {
            throw new IOException(folder + " is a file; name a folder for the Markdown files");
        }
        if (Files.isDirectory(folder)) {
            try (var files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw new IOException(
                            folder + " is not empty; name a new folder for the Markdown files");
                }
            }
        }
    }

    private static void write(Path folder, TextPage text, Library library) throws IOException {
        var file = folder.resolve(text.file()).normalize();
        if (!file.startsWith(folder.normalize())) {
            throw new IllegalStateException("a name that leaves its folder: " + text.file());
        }
        var page = text.page();
        var body =
                MarkdownLines.relinked(page.body(), target -> library.between(text.file(), target));
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
