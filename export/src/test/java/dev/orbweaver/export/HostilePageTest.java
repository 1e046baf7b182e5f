package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.StoredResponse;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** Exports do not fail for any content of a page. */
@Slow
class HostilePageTest {

    private static final int PAGES = 9;

    @TempDir Path directory;

    @Test
    void aLinkOfAnyLengthAndNestingOfAnyDepthFailNoExport() throws IOException {
        try (var crawlFixture = site(Files.createDirectory(directory.resolve("crawl")))) {
            for (var exportFormat :
                    new ExportFormat[] {
                        ExportFormat.MARKDOWN, ExportFormat.LLMS_TXT, ExportFormat.CHUNKS
                    }) {
                var target = new ExportTarget.PathTarget(directory.resolve(exportFormat.id()));
                var report =
                        ExportRunner.run(
                                crawlFixture.pages(), ExportSettings.of(exportFormat, target));
                assertThat(report.count()).as(exportFormat.id()).isPositive();
                assertThat(report.notes())
                        .as(exportFormat.id())
                        .noneMatch(n -> n.contains("processed"));
            }
            var report =
                    DocsExport.write(
                            crawlFixture.pages(),
                            Text.DEFAULT,
                            directory.resolve("all.md"),
                            directory.resolve("all.txt"));
            assertThat(report.count()).isPositive();
            assertThat(directory.resolve("all.md")).content().contains("good7", "x".repeat(2_500));
        }
    }

    @Test
    void twoCrawlsOfSuchPagesCanBeCompared() throws IOException {
        try (var old = site(Files.createDirectory(directory.resolve("old")));
                var young = site(Files.createDirectory(directory.resolve("young")))) {
            young.article("http://a.test/new", "new", 50);
            var out = new ByteArrayOutputStream();
            var counts =
                    CrawlDiff.run(
                            old.pages(),
                            young.pages(),
                            PageFilter.ALL,
                            CrawlDiff.Settings.DEFAULT,
                            new ExportTarget.StreamTarget(out));
            assertThat(counts).isEqualTo(new CrawlDiff.Counts(1, 0, 0, PAGES, 0));
        }
    }

    private static CrawlFixture site(Path place) throws IOException {
        return CrawlFixture.in(place)
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
    void aPageThatCannotBeProcessedIsOmittedAndReported() throws IOException {
        try (var crawlFixture =
                CrawlFixture.in(directory)
                        .article("http://a.test/1", "one", 50)
                        .article("http://a.test/2", "two", 50)
                        .article("http://a.test/3", "three", 50)) {
            var pages = crawlFixture.pages();
            var read = new ArrayList<String>();
            pages.forEachPage(
                    page ->
                            pages.process(
                                            page,
                                            storedResponse -> {
                                                if (page.url().endsWith("1")) {
                                                    return endless(storedResponse);
                                                }
                                                if (page.url().endsWith("2")) {
                                                    throw new IllegalStateException("two");
                                                }
                                                return page.url();
                                            })
                                    .ifPresent(read::add));
            assertThat(read).containsExactly("http://a.test/3");
            assertThat(pages.skippedPages().notes())
                    .containsExactly(
                            "skipped the content of http://a.test/1: it could not be"
                                    + " processed: java.lang.StackOverflowError",
                            "skipped the content of http://a.test/2: it could not be"
                                    + " processed: java.lang.IllegalStateException: two");
        }
    }

    @Test
    void aFailureOfTheDiskIsNoFailureOfThePage() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory).article("http://a.test/1", "one", 50)) {
            var pages = crawlFixture.pages();
            assertThatThrownBy(
                            () ->
                                    pages.forEachPage(
                                            page -> {
                                                var _ =
                                                        pages.process(
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
    private static String endless(StoredResponse storedResponse) {
        return endless(storedResponse)
                + new String(storedResponse.document().bytes(), UTF_8).length();
    }
}
