package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.model.TextScan;
import dev.orbweaver.parse.markdown.MarkdownPage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code llms.txt}, the list of a site's pages for language models (llmstxt.org), and {@code
 * llms-full.txt}, their text. Sections of the list are the folders at the top of what the pages
 * have in common.
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
        var folder = settings.target().place(Format.LLMS_TXT);
        if (Files.isRegularFile(folder)) {
            throw new IOException(folder + " is a file; name a folder for llms.txt");
        }
        try (var scratch = Scratch.beside(settings.target());
                var store = new TextStore(scratch.folder())) {
            var texts = new TextPages(pages, settings.text(), scratch.folder());
            texts.fill(store);
            write(store, settings.text().title(), folder);
            return new ExportReport(store.size(), "pages", texts.notes());
        }
    }

    private static void write(TextStore store, String title, Path folder) throws IOException {
        try (var list = TextFile.create(folder.resolve(LIST))) {
            new LlmsTxtExport(store, title).list(list);
            list.finish();
        }
        try (var full = TextFile.create(folder.resolve(FULL))) {
            full(store, full);
            full.finish();
        }
    }

    /** The text of all pages, each under its title and its address. */
    static void full(TextStore store, TextFile out) throws IOException {
        store.each(
                (number, text) -> {
                    var page = text.page();
                    out.write(number == 0 ? "" : "\n");
                    out.write("# " + CombinedDocument.heading(page) + "\n\n");
                    out.write("Source: " + page.url() + "\n\n");
                    out.write(MarkdownLines.below(page.body(), 1));
                });
    }

    private void list(TextFile out) throws IOException {
        store.each(this::survey);
        store.each(this::sort);
        out.write("# " + title() + "\n");
        if (!description.isEmpty()) {
            out.write("\n> " + MarkdownLines.escaped(description) + "\n");
        }
        for (var section : sections.entrySet()) {
            out.write("\n## " + MarkdownLines.escaped(section.getKey()) + "\n\n");
            store.each(numbers(section.getValue()), (_, page) -> out.write(line(page.page())));
        }
    }

    private void survey(int number, TextPage page) {
        var folder = page.file().substring(0, page.file().lastIndexOf('/') + 1);
        if (number == 0) {
            title = CombinedDocument.heading(page.page());
            description = page.page().description();
            common = folder;
        }
        while (!folder.startsWith(common)) {
            common = common.substring(0, common.lastIndexOf('/', common.length() - 2) + 1);
        }
    }

    private void sort(int number, TextPage page) {
        var rest = page.file().substring(common.length());
        var slash = rest.indexOf('/');
        var name = slash < 0 ? TOP : readable(rest.substring(0, slash));
        var full = sections.size() >= SECTIONS_MAX && !sections.containsKey(name);
        sectionOf[number] = sections.computeIfAbsent(full ? REST : name, _ -> sections.size());
    }

    /** "getting-started" as "Getting started"; a host stays as it is. */
    private String readable(String folder) {
        if (common.isEmpty()) {
            return folder;
        }
        var words = TextScan.collapse(folder, c -> c == '-' || c == '_', ' ').strip();
        return words.isEmpty()
                ? folder
                : Character.toString(Character.toUpperCase(words.codePointAt(0)))
                        + words.substring(words.offsetByCodePoints(0, 1));
    }

    private int[] numbers(int section) {
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
                        MarkdownLines.withoutTargets(CombinedDocument.heading(page)),
                        page.url().replace("(", "%28").replace(")", "%29"),
                        description.isEmpty()
                                ? ""
                                : ": " + MarkdownLines.escaped(cut(description)));
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= DESCRIPTION_CHARS_MAX
                ? text
                : text.substring(0, text.offsetByCodePoints(0, DESCRIPTION_CHARS_MAX - 1)) + "…";
    }

    private String title() {
        var own = title.isEmpty() ? TOP : title;
        return wantedTitle.isEmpty() ? own : MarkdownLines.escaped(wantedTitle);
    }
}
