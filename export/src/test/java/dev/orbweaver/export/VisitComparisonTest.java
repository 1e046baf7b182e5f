package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.MainTextComparison.Result;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class VisitComparisonTest {

    private static final String URL = "http://a.test/page";
    private static final String TEXT =
            "<h1>Spiders</h1><p>They are not insects. They have eight legs, and weave webs.</p>"
                    + "<p>"
                    + "Some of them live in water and breathe air from bubbles. ".repeat(8)
                    + "</p>";

    @TempDir Path directory;
    private CrawlFixture crawl;

    @BeforeEach
    void open() throws IOException {
        crawl = CrawlFixture.in(directory);
    }

    @AfterEach
    void close() throws IOException {
        crawl.close();
    }

    @Test
    void aDateInTheFooterIsTheSameText() throws IOException {
        assertThat(
                        compare(
                                page("", TEXT, "<footer>As of 2026-11-18</footer>"),
                                page("", TEXT, "<footer>As of 2026-11-19</footer>")))
                .isEqualTo(Result.SAME_TEXT);
    }

    @Test
    void aNonceIsTheSameText() throws IOException {
        assertThat(
                        compare(
                                page("<script nonce=a1>s('a1')</script>", TEXT, form("a1")),
                                page("<script nonce=b2>s('b2')</script>", TEXT, form("b2"))))
                .isEqualTo(Result.SAME_TEXT);
    }

    private static String form(String token) {
        return "<form action=/search><input type=hidden name=token value=%s></form>"
                .formatted(token);
    }

    @Test
    void aNewMenuEntryIsTheSameText() throws IOException {
        var entry = "<li><a href=/a>Insects</a>";
        assertThat(
                        compare(
                                page("<nav><ul>" + entry + "</ul></nav>", TEXT, ""),
                                page("<nav><ul>" + entry + entry + "</ul></nav>", TEXT, "")))
                .isEqualTo(Result.SAME_TEXT);
    }

    @Test
    void oneOtherWordIsAnotherText() throws IOException {
        assertThat(compare(page("", TEXT, ""), page("", TEXT.replace("eight", "six"), "")))
                .isEqualTo(Result.DIFFERENT_TEXT);
    }

    @Test
    void aDateInTheTextIsAnotherText() throws IOException {
        assertThat(
                        compare(
                                page("", TEXT + "<p>Opens on 2026-11-18.</p>", ""),
                                page("", TEXT + "<p>Opens on 2026-11-19.</p>", "")))
                .isEqualTo(Result.DIFFERENT_TEXT);
    }

    @Test
    void textThatChangesOnAllPagesOfASiteIsTheSameTextFromTheFourthPageOn() throws IOException {
        for (var i = 0; i < 8; i++) {
            for (var day = 18; day < 20; day++) {
                crawl.page("http://a.test/" + i, unnamed(i, "eight", day));
            }
        }
        var results = results();
        assertThat(results.subList(0, 3)).containsOnly(Result.DIFFERENT_TEXT);
        assertThat(results.subList(3, 8)).containsOnly(Result.SAME_TEXT);
    }

    @Test
    void aChangedPageAmongPagesWithAnotherThemeIsFound() throws IOException {
        for (var i = 0; i < 60; i++) {
            for (var day = 18; day < 20; day++) {
                var legs = i == 20 && day == 19 ? "six" : "eight";
                var theme = i < 30 ? 0 : 100;
                crawl.page("http://a.test/" + i, unnamed(i, legs, day + theme));
            }
        }
        var results = results();
        assertThat(results.get(20)).isEqualTo(Result.DIFFERENT_TEXT);
        assertThat(results.subList(4, 20)).containsOnly(Result.SAME_TEXT);
        assertThat(results.subList(40, 60)).containsOnly(Result.SAME_TEXT);
    }

    /** A page whose theme has no element or class that is known as boilerplate. */
    private static String unnamed(int number, String legs, int day) {
        return """
        <title>Spider %1$d</title><div><h1>Spider %1$d</h1>
        <p>Spider number %1$d is not an insect. It has %2$s legs, and weaves %1$d webs.</p>
        <p>Species %1$d lives in water and breathes air from %1$d bubbles.</p>
        <p>Edition of day %3$d, printed in Bern</p></div>
        """
                .formatted(number, legs, day);
    }

    @Test
    void contentWithoutMainTextIsCompared() throws IOException {
        crawl.body(URL, "application/pdf", "a".getBytes(UTF_8), false);
        crawl.body(URL, "application/pdf", "b".getBytes(UTF_8), false);
        assertThat(results()).containsExactly(Result.DIFFERENT_TEXT);
    }

    private static String page(String head, String text, String foot) {
        return "<title>Spiders</title><body>%s<main>%s</main>%s".formatted(head, text, foot);
    }

    private Result compare(String before, String after) throws IOException {
        crawl.page(URL, before).page(URL, after);
        return results().getFirst();
    }

    /** Compares the first with the second line, the third with the fourth, and so on. */
    private List<Result> results() throws IOException {
        var pages = crawl.pages();
        var lines = new ArrayList<StoredPage>();
        pages.forEachLine(lines::add);
        assertThat(lines).extracting(StoredPage::kind).containsOnly(Kind.PAGE);
        var comparison = new VisitComparison(pages);
        var results = new ArrayList<Result>();
        for (var i = 0; i < lines.size(); i += 2) {
            results.add(comparison.compare(lines.get(i), lines.get(i + 1)));
        }
        return results;
    }
}
