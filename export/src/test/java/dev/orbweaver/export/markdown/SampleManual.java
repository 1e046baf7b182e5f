package dev.orbweaver.export.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A generated manual whose headings, paragraphs, lists, tables, code blocks, terms, footnotes and
 * sidebars are known, so that Markdown can be compared with it in every theme.
 */
final class SampleManual {

    /** A part of a page. */
    sealed interface Part {}

    record Heading(int level, String text) implements Part {}

    record Paragraph(List<Run> runs) implements Part {}

    record Bullets(List<String> items) implements Part {}

    record Grid(List<String> header, List<List<String>> rows) implements Part {}

    record Code(String language, String text) implements Part {}

    record Note(String text) implements Part {}

    /** A term with its definition; the id is of a kind that names boilerplate elsewhere. */
    record Definition(String id, String term, String text) implements Part {}

    record Footnote(int number, String text) implements Part {}

    /** A box beside the text with a program in it. */
    record Sidebar(String title, Code code) implements Part {}

    /** Text in one style: plain, code, strong, or a link. */
    record Run(Style style, String text) {}

    enum Style {
        PLAIN,
        CODE,
        STRONG,
        LINK
    }

    record Page(int number, String title, List<Part> parts) {}

    private static final List<String> WORDS =
            List.of(
                    "thread",
                    "silk",
                    "anchor",
                    "radius",
                    "spiral",
                    "tension",
                    "frame",
                    "dew",
                    "knot",
                    "weave",
                    "garden",
                    "signal",
                    "branch",
                    "morning",
                    "repair",
                    "measure",
                    "strand",
                    "bridge",
                    "capture",
                    "orb",
                    "pattern",
                    "season",
                    "vibration",
                    "hub",
                    "sector",
                    "angle",
                    "length",
                    "value",
                    "default",
                    "option",
                    "returns",
                    "holds");

    /** The lines of code, with characters that incorrect escaping would change. */
    private static final List<String> LINES =
            List.of(
                    "let web = Orb::new();",
                    "    if a < b && c > d { return `x`; }",
                    "\tindented with a tab",
                    "",
                    "# not a heading",
                    "- not an item",
                    "| not | a table |",
                    "```not a fence",
                    "```",
                    "trailing spaces   ",
                    "<div class=\"x\">&amp; &lt;b&gt;</div>",
                    "$ orbweaver crawl --delay 0",
                    "1. not a number",
                    "\\escaped \\\\ twice *stars* _lines_",
                    "größer ≥ kleiner — 蜘蛛",
                    "        deep",
                    "}");

    /** Function names and topics that are also words for parts of a theme. */
    private static final List<String> IDS =
            List.of("search", "cookie", "comments", "share", "related", "toc", "menu", "nav");

    private static final List<String> SHARED_HEADINGS =
            List.of("Examples", "Parameters", "See also");

    private final Random random;

    SampleManual(long seed) {
        this.random = new Random(seed);
    }

    List<Page> pages(int count) {
        var pages = new ArrayList<Page>();
        for (var i = 0; i < count; i++) {
            pages.add(page(i));
        }
        return pages;
    }

    private Page page(int number) {
        var title = capital(words(2)) + " " + number;
        var parts = new ArrayList<Part>();
        parts.add(new Heading(1, title));
        parts.add(paragraph());
        for (var section = 0; section < 3 + random.nextInt(3); section++) {
            parts.add(new Heading(2, capital(words(3))));
            parts.add(paragraph());
            fill(parts);
        }
        for (var shared : SHARED_HEADINGS) {
            parts.add(new Heading(2, shared));
            fill(parts);
            parts.add(paragraph());
        }
        parts.add(new Footnote(1, capital(words(7)) + "."));
        parts.add(new Footnote(2, capital(words(4)) + "."));
        return new Page(number, title, parts);
    }

    private Definition definition(int number) {
        var id = IDS.get(random.nextInt(IDS.size()));
        return new Definition(
                "web." + id, id + number + "(" + words(1) + ")", capital(words(8)) + ".");
    }

    private void fill(List<Part> parts) {
        for (var i = random.nextInt(3); i >= 0; i--) {
            switch (random.nextInt(8)) {
                case 0 -> parts.add(new Bullets(List.of(words(4), words(6), words(3))));
                case 1 -> parts.add(table());
                case 2, 3 -> parts.add(code());
                case 4 -> {
                    parts.add(new Heading(3, capital(words(2)) + " <T>"));
                    parts.add(paragraph());
                }
                case 5 -> parts.add(new Note(capital(words(9)) + "."));
                case 6 -> parts.add(definition(parts.size()));
                default -> parts.add(new Sidebar(capital(words(2)), (Code) code()));
            }
        }
    }

    private Part paragraph() {
        var runs = new ArrayList<Run>();
        for (var i = 0; i < 3; i++) {
            runs.add(new Run(Style.PLAIN, words(8 + random.nextInt(10))));
            runs.add(new Run(Style.values()[1 + random.nextInt(3)], words(1 + random.nextInt(2))));
        }
        runs.add(new Run(Style.PLAIN, words(5) + "."));
        return new Paragraph(runs);
    }

    private Part table() {
        var columns = 2 + random.nextInt(3);
        var rows = new ArrayList<List<String>>();
        for (var i = 0; i < 2 + random.nextInt(5); i++) {
            rows.add(row(columns, random.nextInt(8) == 0 ? "a|b" : words(2)));
        }
        return new Grid(row(columns, "Name"), rows);
    }

    private List<String> row(int columns, String first) {
        var cells = new ArrayList<String>(List.of(first));
        while (cells.size() < columns) {
            cells.add(words(2));
        }
        return cells;
    }

    private Part code() {
        var lines = new ArrayList<String>();
        lines.add("fn part" + random.nextInt(1_000_000) + "() {");
        for (var i = random.nextInt(8); i >= 0; i--) {
            lines.add(LINES.get(random.nextInt(LINES.size())));
        }
        lines.add("}");
        var language = List.of("rust", "java", "python", "").get(random.nextInt(4));
        return new Code(language, String.join("\n", lines));
    }

    private String words(int count) {
        return random.ints(count, 0, WORDS.size())
                .mapToObj(WORDS::get)
                .collect(Collectors.joining(" "));
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
