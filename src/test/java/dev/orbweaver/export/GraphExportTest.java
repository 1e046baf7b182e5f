package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.Golden;
import dev.orbweaver.archive.PageFilter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class GraphExportTest {

    @TempDir Path folder;

    @Test
    void theLinkGraphHasLinksAndDegreesOfPagesAndHosts() throws IOException {
        try (var shelf = graph()) {
            var target = new Target.Place(folder.resolve("out"));
            var report = Exports.run(shelf.pages(), ExportSettings.of(Format.LINKS, target));
            assertThat(report.count()).isEqualTo(9);
        }
        for (var name : List.of("links", "pages", "hosts", "host-links")) {
            Golden.check(
                    "export/graph-" + name + ".csv",
                    Files.readString(folder.resolve("out/" + name + ".csv")));
        }
    }

    @Test
    void brokenLinksNameThePagesThatHoldThemAlsoByWayOfRedirects() throws IOException {
        try (var shelf = graph()) {
            Golden.check("export/errors.csv", text(shelf, Format.ERRORS, PageFilter.ALL));
        }
    }

    @Test
    void aUrlThatWasGivenUpAndFetchedLaterIsNotBroken() throws IOException {
        try (var shelf = Shelf.in(folder)) {
            shelf.page("http://a.test/", "<a href=/late>x</a>")
                    .failed("http://a.test/late", "timeout")
                    .page("http://a.test/late", "there it is");
            assertThat(text(shelf, Format.ERRORS, PageFilter.ALL).lines()).hasSize(1);
        }
    }

    @Test
    void aFilterChoosesThePagesWhoseLinksAreLookedAt() throws IOException {
        try (var shelf = graph()) {
            var lines =
                    text(shelf, Format.ERRORS, new PageFilter(List.of(), List.of("/two"))).lines();
            assertThat(lines.skip(1))
                    .hasSize(2)
                    .allMatch(line -> line.contains("\"http://a.test/two\""));
        }
    }

    @Test
    void duplicatesStandInClustersBehindTheFirst() throws IOException {
        try (var shelf = Shelf.in(folder)) {
            var text = Shelf.html("spider", 2000);
            shelf.page("http://a.test/1", text)
                    .page("http://a.test/other", Shelf.html("other", 300))
                    .page("http://a.test/2", text)
                    .page("http://b.test/3", text.replace("spider77", "spinne77"))
                    .page("http://a.test/tiny1", "x")
                    .page("http://a.test/tiny2", "x")
                    .page("http://a.test/tiny3", "y");
            Golden.check("export/duplicates.csv", text(shelf, Format.DUPLICATES, PageFilter.ALL));
        }
    }

    @Test
    void parquetIsReadBackByAnybody() throws IOException {
        try (var shelf = graph()) {
            var target = new Target.Place(folder.resolve("out"));
            var settings = ExportSettings.of(Format.PARQUET, target);
            assertThat(Exports.run(shelf.pages(), settings).count()).isEqualTo(4);
            assertThat(Exports.run(shelf.pages(), settings.withAllLines()).count()).isEqualTo(8);
        }
        try (var scratch = Scratch.anywhere();
                var tables = Tables.in(scratch.folder())) {
            for (var expected : List.of("pages 4", "urls 8", "links 9", "hosts 3")) {
                var name = expected.substring(0, expected.indexOf(' '));
                var file = folder.resolve("out").resolve(name + ".parquet");
                assertThat(
                                name
                                        + " "
                                        + tables.number(
                                                "SELECT count(*) FROM " + Tables.literal(file)))
                        .isEqualTo(expected);
            }
        }
    }

    private Shelf graph() throws IOException {
        return Shelf.in(folder)
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
                .missing("http://a.test/gone")
                .failed("http://b.test/down.png", "timeout")
                .page("http://a.test/three", "<a href=http://c.test/>c</a>");
    }

    private static String text(Shelf shelf, Format format, PageFilter filter) throws IOException {
        var out = new ByteArrayOutputStream();
        var settings = ExportSettings.of(format, new Target.Stream(out)).with(filter);
        var _ = Exports.run(shelf.pages(), settings);
        return out.toString(UTF_8);
    }
}
