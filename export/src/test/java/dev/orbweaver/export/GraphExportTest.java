package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class GraphExportTest {

    @TempDir Path directory;

    @Test
    void theLinkGraphHasLinksAndDegreesOfPagesAndHosts() throws IOException {
        try (var crawlFixture = graph()) {
            var target = new ExportTarget.PathTarget(directory.resolve("out"));
            var report =
                    ExportRunner.run(
                            crawlFixture.pages(), ExportSettings.of(ExportFormat.LINKS, target));
            assertThat(report.count()).isEqualTo(9);
        }
        for (var name : List.of("links", "pages", "hosts", "host-links")) {
            Golden.check(
                    "export/graph-" + name + ".csv",
                    Files.readString(directory.resolve("out/" + name + ".csv")));
        }
    }

    @Test
    void brokenLinksNameThePagesThatHoldThemAlsoByWayOfRedirects() throws IOException {
        try (var crawlFixture = graph()) {
            Golden.check(
                    "export/errors.csv", text(crawlFixture, ExportFormat.ERRORS, PageFilter.ALL));
        }
    }

    @Test
    void aDeadLetterThatIsFetchedLaterIsNotBroken() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .page("http://a.test/", "<a href=/late>x</a>")
                    .failed("http://a.test/late", "timeout")
                    .page("http://a.test/late", "there it is");
            assertThat(text(crawlFixture, ExportFormat.ERRORS, PageFilter.ALL).lines()).hasSize(1);
        }
    }

    @Test
    void aFilterChoosesThePagesWhoseLinksAreLookedAt() throws IOException {
        try (var crawlFixture = graph()) {
            var lines =
                    text(
                                    crawlFixture,
                                    ExportFormat.ERRORS,
                                    new PageFilter(List.of(), List.of("/two")))
                            .lines();
            assertThat(lines.skip(1))
                    .hasSize(2)
                    .allMatch(line -> line.contains("\"http://a.test/two\""));
        }
    }

    @Test
    void duplicatesAreClusteredAfterTheFirstPage() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            var text = CrawlFixture.html("spider", 2000);
            crawlFixture
                    .page("http://a.test/1", text)
                    .page("http://a.test/other", CrawlFixture.html("other", 300))
                    .page("http://a.test/2", text)
                    .page("http://b.test/3", text.replace("spider77", "spinne77"))
                    .page("http://a.test/tiny1", "x")
                    .page("http://a.test/tiny2", "x")
                    .page("http://a.test/tiny3", "y");
            Golden.check(
                    "export/duplicates.csv",
                    text(crawlFixture, ExportFormat.DUPLICATES, PageFilter.ALL));
        }
    }

    @Test
    void parquetFilesCanBeReadBack() throws IOException {
        try (var crawlFixture = graph()) {
            var target = new ExportTarget.PathTarget(directory.resolve("out"));
            var settings = ExportSettings.of(ExportFormat.PARQUET, target);
            assertThat(ExportRunner.run(crawlFixture.pages(), settings).count()).isEqualTo(4);
            assertThat(ExportRunner.run(crawlFixture.pages(), settings.withAllLines()).count())
                    .isEqualTo(8);
        }
        try (var scratchDirectory = ScratchDirectory.createTemporary();
                var duckDb = DuckDb.create(scratchDirectory.directory())) {
            for (var expected : List.of("pages 4", "urls 8", "links 9", "hosts 3")) {
                var name = expected.substring(0, expected.indexOf(' '));
                var file = directory.resolve("out").resolve(name + ".parquet");
                assertThat(
                                name
                                        + " "
                                        + duckDb.queryLong(
                                                "SELECT count(*) FROM " + DuckDb.literal(file)))
                        .isEqualTo(expected);
            }
        }
    }

    private CrawlFixture graph() throws IOException {
        return CrawlFixture.in(directory)
                .page(
                        "http://a.test/",
                        "<title>One</title><a href=/two>2</a> <a href=/two#x>2</a> <a"
                                + " href=/gone>x</a><a href=http://b.test/ rel=nofollow>b</a>")
                .page(
                        "http://a.test/two",
                        "<a href=/>1</a> <a href=/moved>m</a> <a href=/gone>x</a>")
                .page("http://b.test/", "<a href=http://a.test/>a</a><img src=/down.png>")
                .redirect("http://a.test/moved", "/moved-again")
                .redirect("http://a.test/moved-again", "/gone")
                .notFound("http://a.test/gone")
                .failed("http://b.test/down.png", "timeout")
                .page("http://a.test/three", "<a href=http://c.test/>c</a>");
    }

    private static String text(
            CrawlFixture crawlFixture, ExportFormat exportFormat, PageFilter filter)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var settings =
                ExportSettings.of(exportFormat, new ExportTarget.StreamTarget(out)).with(filter);
        var _ = ExportRunner.run(crawlFixture.pages(), settings);
        return out.toString(UTF_8);
    }
}
