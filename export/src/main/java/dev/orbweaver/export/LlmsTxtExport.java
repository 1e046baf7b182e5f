package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.model.TextScan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Exports {@code llms.txt}, the list of a site's pages for language models (llmstxt.org) with a
 * section for each top-level directory, and {@code llms-full.txt}, the text of the pages.
 */
final class LlmsTxtExport {

    static final String LIST = "llms.txt";
    static final String FULL = "llms-full.txt";

    private static final String REST = "More";
    private static final String TOP = "Pages";
    private static final int SECTIONS_MAX = 100;
    private static final int DESCRIPTION_CHARS_MAX = 200;

    private final TextStore store;
    private final String wantedTitle;
    private final Map<String, Integer> sections = new LinkedHashMap<>();
    private final int[] sectionOf;
    private String common = "";
    private String title = "";
    private String description = "";

    private LlmsTxtExport(TextStore store, String wantedTitle) {
        this.store = store;
        this.wantedTitle = wantedTitle;
        this.sectionOf = new int[store.size()];
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var directory = settings.exportTarget().requirePath(ExportFormat.LLMS_TXT);
        if (Files.isRegularFile(directory)) {
            throw new InvalidArgumentException(
                    directory + " is a file; expected a directory for llms.txt");
        }
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var store = new TextStore(scratchDirectory.directory())) {
            var texts = new TextPages(pages, settings.text(), scratchDirectory.directory());
            texts.fill(store);
            write(store, settings.text().title(), directory);
            return new ExportReport(store.size(), "pages", texts.notes());
        }
    }

    private static void write(TextStore store, String title, Path directory) throws IOException {
        try (var list = AtomicTextFile.create(directory.resolve(LIST))) {
            new LlmsTxtExport(store, title).writeList(list);
            list.finish();
        }
        try (var full = AtomicTextFile.create(directory.resolve(FULL))) {
            writeFull(store, full);
            full.finish();
        }
    }

    /** Writes the text of all pages, each under its title and URL. */
    static void writeFull(TextStore store, AtomicTextFile out) throws IOException {
        store.forEach(
                (number, text) -> {
                    var page = text.page();
                    out.write(number == 0 ? "" : "\n");
                    out.write("# " + CombinedDocument.heading(page) + "\n\n");
                    out.write("Source: " + page.url() + "\n\n");
                    out.write(MarkdownLines.nestUnder(page.body(), 1));
                });
    }

    private void writeList(AtomicTextFile out) throws IOException {
        store.forEach(this::collectMetadata);
        store.forEach(this::assignSection);
        out.write("# " + title() + "\n");
        if (!description.isEmpty()) {
            out.write("\n> " + MarkdownLines.escape(description) + "\n");
        }
        for (var section : sections.entrySet()) {
            out.write("\n## " + MarkdownLines.escape(section.getKey()) + "\n\n");
            store.forEach(
                    pagesOfSection(section.getValue()), (_, page) -> out.write(line(page.page())));
        }
    }

    private void collectMetadata(int number, TextPage page) {
        var directory = page.file().substring(0, page.file().lastIndexOf('/') + 1);
        if (number == 0) {
            title = CombinedDocument.heading(page.page());
            description = page.page().description();
            common = directory;
        }
        while (!directory.startsWith(common)) {
            common = common.substring(0, common.lastIndexOf('/', common.length() - 2) + 1);
        }
    }

    private void assignSection(int number, TextPage page) {
        var rest = page.file().substring(common.length());
        var slash = rest.indexOf('/');
        var name = slash < 0 ? TOP : sectionTitle(rest.substring(0, slash));
        var full = sections.size() >= SECTIONS_MAX && !sections.containsKey(name);
        sectionOf[number] = sections.computeIfAbsent(full ? REST : name, _ -> sections.size());
    }

    /** Converts "getting-started" to "Getting started"; a host name is not changed. */
    private String sectionTitle(String directory) {
        if (common.isEmpty()) {
            return directory;
        }
        var words = TextScan.collapse(directory, c -> c == '-' || c == '_', ' ').strip();
        return words.isEmpty()
                ? directory
                : Character.toString(Character.toUpperCase(words.codePointAt(0)))
                        + words.substring(words.offsetByCodePoints(0, 1));
    }

    private int[] pagesOfSection(int section) {
        var numbers = new ArrayList<Integer>();
        for (var number = 0; number < sectionOf.length; number++) {
            if (sectionOf[number] == section) {
                numbers.add(number);
            }
        }
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    private static String line(MarkdownPage page) {
        var description = TextScan.collapse(page.description(), TextScan::isSpace, ' ').strip();
        return "- [%s](%s)%s\n"
                .formatted(
                        MarkdownLines.withoutLinkTargets(CombinedDocument.heading(page)),
                        page.url().replace("(", "%28").replace(")", "%29"),
                        description.isEmpty()
                                ? ""
                                : ": " + MarkdownLines.escape(truncate(description)));
    }

    private static String truncate(String text) {
        return text.codePointCount(0, text.length()) <= DESCRIPTION_CHARS_MAX
                ? text
                : text.substring(0, text.offsetByCodePoints(0, DESCRIPTION_CHARS_MAX - 1)) + "…";
    }

    private String title() {
        var own = title.isEmpty() ? TOP : title;
        return wantedTitle.isEmpty() ? own : MarkdownLines.escape(wantedTitle);
    }
}
