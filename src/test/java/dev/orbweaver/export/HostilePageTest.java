package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.archive.Answer;
import dev.orbweaver.archive.PageFilter;
import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** No page, whatever is in it, makes an export fail. */
@Slow
class HostilePageTest {

    private static final int PAGES = 9;

    @TempDir Path folder;

    @Test
    void aLinkOfAnyLengthAndNestingOfAnyDepthFailNoExport() throws IOException {
        try (var shelf = site(Files.createDirectory(folder.resolve("crawl")))) {
            for (var format : new Format[] {Format.MARKDOWN, Format.LLMS_TXT, Format.CHUNKS}) {
                var target = new Target.Place(folder.resolve(format.word()));
                var report = Exports.run(shelf.pages(), ExportSettings.of(format, target));
                assertThat(report.count()).as(format.word()).isPositive();
                assertThat(report.notes())
                        .as(format.word())
                        .noneMatch(n -> n.contains("processed"));
            }
            var report =
                    Documentation.write(
                            shelf.pages(),
                            Text.DEFAULT,
                            folder.resolve("all.md"),
                            folder.resolve("all.txt"));
            assertThat(report.count()).isPositive();
            assertThat(folder.resolve("all.md")).content().contains("good7", "x".repeat(2_500));
        }
    }

    @Test
    void twoCrawlsOfSuchPagesCanBeCompared() throws IOException {
        try (var old = site(Files.createDirectory(folder.resolve("old")));
                var young = site(Files.createDirectory(folder.resolve("young")))) {
            young.article("http://a.test/new", "new", 50);
            var out = new ByteArrayOutputStream();
            var counts =
                    CrawlDiff.run(
                            old.pages(), young.pages(), PageFilter.ALL, new Target.Stream(out));
            assertThat(counts).isEqualTo(new CrawlDiff.Counts(1, 0, 0, PAGES));
        }
    }

    private static Shelf site(Path place) throws IOException {
        return Shelf.in(place)
                .article("http://a.test/", "good", 300)
                .page("http://a.test/1", body("<a href='/" + "x".repeat(2_500) + "'>long</a>"))
                .page("http://a.test/2", body("<a href='/(" + "\\(y".repeat(5_000) + "'>odd</a>"))
                .page("http://a.test/3", body("<div>".repeat(5_000) + "deep"))
                .page("http://a.test/4", body("<b><i>".repeat(2_000) + "deep"))
                .page("http://a.test/5", body("[".repeat(50_000) + "](" + "(".repeat(50_000)))
                .page("http://a.test/6", body("<pre>" + "\n ".repeat(50_000) + "</pre>"))
                .page("http://a.test/7", body("| --- " + "|".repeat(50_000)))
                .page("http://a.test/8", body("<code>" + "` `` ".repeat(20_000) + "</code>"));
    }

    private static String body(String html) {
        return "<main><h1>Title</h1><p>Some words to begin with, so that it counts as a"
                + " page.</p><p>"
                + html;
    }

    @Test
    void aPageWhoseContentMakesTheWorkFailIsLeftOutAndNamed() throws IOException {
        try (var shelf =
                Shelf.in(folder)
                        .article("http://a.test/1", "one", 50)
                        .article("http://a.test/2", "two", 50)
                        .article("http://a.test/3", "three", 50)) {
            var pages = shelf.pages();
            var read = new ArrayList<String>();
            pages.eachPage(
                    page ->
                            pages.work(
                                            page,
                                            answer -> {
                                                if (page.url().endsWith("1")) {
                                                    return endless(answer);
                                                }
                                                if (page.url().endsWith("2")) {
                                                    throw new IllegalStateException("two");
                                                }
                                                return page.url();
                                            })
                                    .ifPresent(read::add));
            assertThat(read).containsExactly("http://a.test/3");
            assertThat(pages.unread().notes())
                    .containsExactly(
                            "the content of http://a.test/1 was left out, because it could not be"
                                    + " processed: java.lang.StackOverflowError",
                            "the content of http://a.test/2 was left out, because it could not be"
                                    + " processed: java.lang.IllegalStateException: two");
        }
    }

    @Test
    void aFailureOfTheDiskIsNoFailureOfThePage() throws IOException {
        try (var shelf = Shelf.in(folder).article("http://a.test/1", "one", 50)) {
            var pages = shelf.pages();
            assertThatThrownBy(
                            () ->
                                    pages.eachPage(
                                            page -> {
                                                var _ =
                                                        pages.work(
                                                                page,
                                                                _ -> {
                                                                    throw new IOException("disk");
                                                                });
                                            }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk");
        }
    }

    @SuppressWarnings("InfiniteRecursion") // It is what is tested.
    private static String endless(Answer answer) {
        return endless(answer) + new String(answer.document().bytes(), UTF_8).length();
    }
}
