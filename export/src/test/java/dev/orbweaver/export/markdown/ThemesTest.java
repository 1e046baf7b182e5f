package dev.orbweaver.export.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.SampleManual.Code;
import dev.orbweaver.export.markdown.SampleManual.Definition;
import dev.orbweaver.export.markdown.SampleManual.Footnote;
import dev.orbweaver.export.markdown.SampleManual.Grid;
import dev.orbweaver.export.markdown.SampleManual.Heading;
import dev.orbweaver.export.markdown.SampleManual.Note;
import dev.orbweaver.export.markdown.SampleManual.Page;
import dev.orbweaver.export.markdown.SampleManual.Part;
import dev.orbweaver.export.markdown.SampleManual.Sidebar;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Converts a manual in several themes: the Markdown has its content and no boilerplate. */
class ThemesTest {

    private static final int PAGES = 12;
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @ParameterizedTest
    @EnumSource
    void theMarkdownOfAThemeIsTheManual(Theme theme) {
        var seed = Long.getLong("orbweaver.seed", 606L);
        var pages = new SampleManual(seed).pages(PAGES);
        var memory = new RepeatedBlocks();
        for (var page : pages) {
            memory.addPage(document(theme, page, pages));
        }
        for (var page : pages) {
            var markdown =
                    new MarkdownConverter(memory, false)
                            .convert(document(theme, page, pages), Instant.EPOCH)
                            .body();
            var about = theme + ", seed " + seed + ", page " + page.number() + ":\n" + markdown;
            assertThat(MarkdownReader.code(markdown)).as(about).isEqualTo(all(page, Code.class));
            assertThat(MarkdownReader.headings(markdown))
                    .as(about)
                    .isEqualTo(all(page, Heading.class));
            assertThat(MarkdownReader.tables(markdown)).as(about).isEqualTo(tables(page));
            assertThat(boilerplate(markdown)).as(about).isEmpty();
            assertThat(plain(markdown)).as(about).containsSubsequence(smallTexts(page));
            assertThat(plainWords(markdown)).as(about).containsAll(paragraphWords(page));
        }
    }

    private static Document document(Theme theme, Page page, List<Page> all) {
        var bytes = theme.page(page, all).getBytes(UTF_8);
        var url = URLS.parse("https://manual.example/guide/" + Theme.file(page)).orElseThrow();
        return new Document(url, "text/html", List.of(), bytes, bytes.length);
    }

    private static List<String> all(Page page, Class<? extends Part> kind) {
        return page.parts().stream()
                .filter(
                        part ->
                                kind.isInstance(part)
                                        || (part instanceof Sidebar && kind == Code.class))
                .flatMap(
                        part ->
                                switch (part) {
                                    case Code code -> Stream.of(code.text());
                                    case Sidebar sidebar -> Stream.of(sidebar.code().text());
                                    case Heading heading ->
                                            Stream.of(heading.level() + " " + heading.text());
                                    default -> Stream.<String>empty();
                                })
                .toList();
    }

    /** Returns the texts of terms, definitions, notes, footnotes and titles of sidebars. */
    private static List<String> smallTexts(Page page) {
        return page.parts().stream()
                .flatMap(
                        part ->
                                switch (part) {
                                    case Definition term -> Stream.of(term.term(), term.text());
                                    case Footnote note -> Stream.of(note.text());
                                    case Note note -> Stream.of(note.text());
                                    case Sidebar sidebar -> Stream.of(sidebar.title());
                                    default -> Stream.<String>empty();
                                })
                .toList();
    }

    private static String plain(String markdown) {
        return markdown.replaceAll("\\\\([\\p{Punct}])", "$1");
    }

    private static List<List<String>> tables(Page page) {
        var rows = new ArrayList<List<String>>();
        for (var part : page.parts()) {
            if (part instanceof Grid grid) {
                rows.add(grid.header());
                rows.addAll(grid.rows());
            }
        }
        return rows;
    }

    private static List<String> boilerplate(String markdown) {
        var found = new ArrayList<String>();
        for (var word : Theme.BOILERPLATE) {
            Pattern.compile("\\b" + word)
                    .matcher(markdown.toLowerCase(Locale.ROOT))
                    .results()
                    .forEach(match -> found.add(match.group()));
        }
        return found;
    }

    private static List<String> plainWords(String markdown) {
        return List.of(markdown.toLowerCase(Locale.ROOT).split("[^a-z]+", -1));
    }

    private static List<String> paragraphWords(Page page) {
        return page.parts().stream()
                .flatMap(
                        part ->
                                part instanceof SampleManual.Paragraph paragraph
                                        ? paragraph.runs().stream()
                                        : Stream.<SampleManual.Run>empty())
                .flatMap(run -> Stream.of(run.text().replace(".", "").split(" ", -1)))
                .toList();
    }
}
