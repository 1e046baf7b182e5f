package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.TextHashSet;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

class CrawlPagesTest {

    @TempDir Path directory;

    @Test
    void uncommittedLinesAreNotReturned() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture.article("http://a.test/1", "one", 5).commit();
            var crawl = new CrawlPages(List.of(crawlFixture.crawl()), Tombstones.NONE);
            Files.writeString(
                    directory.resolve("pages.log"),
                    "{\"seq\":2,\"url\":\"http://a.test/2\",\"kind\":\"page\",\"time\":\"2030-01-01T00:00:00Z\"}\n",
                    StandardOpenOption.APPEND);
            assertThat(urls(crawl)).containsExactly("http://a.test/1");
            // Without committed lengths every complete line counts.
            assertThat(
                            urls(
                                    new CrawlPages(
                                            List.of(CrawlFixture.withoutFrontier(directory)),
                                            Tombstones.NONE)))
                    .containsExactly("http://a.test/1", "http://a.test/2");
        }
    }

    @Test
    void aCrawlThatHasWrittenNothingYetIsEmpty() throws IOException {
        assertThat(
                        urls(
                                new CrawlPages(
                                        List.of(CrawlFixture.withoutFrontier(directory)),
                                        Tombstones.NONE)))
                .isEmpty();
    }

    @Test
    void ofSeveralCrawlsTheFirstThatHasAPageWins() throws IOException {
        var one = Files.createDirectory(directory.resolve("one"));
        var two = Files.createDirectory(directory.resolve("two"));
        try (var first = CrawlFixture.in(one);
                var second = CrawlFixture.in(two)) {
            first.article("http://a.test/1", "old", 5).failed("http://a.test/3", "timeout");
            second.article("http://a.test/2", "two", 5)
                    .article("http://a.test/1", "new", 5)
                    .article("http://a.test/3", "three", 5);
            var pages =
                    new CrawlPages(
                            List.of(first.commit().crawl(), second.commit().crawl()),
                            Tombstones.NONE);
            assertThat(titles(pages)).containsExactly("old", "two", "three");
        }
    }

    @Test
    void aRedirectDoesNotNameATargetThatWasTakenDown() throws IOException {
        Tombstones secret = url -> url.equals("http://a.test/secret");
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .redirect("http://a.test/1", "/secret")
                    .redirect("http://a.test/2", "/public")
                    .commit();
            var locations = new ArrayList<String>();
            new CrawlPages(List.of(crawlFixture.crawl()), secret)
                    .forEachLine(page -> locations.add(page.location()));
            assertThat(locations).containsExactly("", "/public");
        }
    }

    /** A worker that died before settling may have fetched a page twice. */
    @Test
    void ofAFleetsWorkerTheFirstCaptureOfAPageCounts() throws IOException {
        var one = Files.createDirectory(directory.resolve("one"));
        var two = Files.createDirectory(directory.resolve("two"));
        try (var first = CrawlFixture.in(one);
                var second = CrawlFixture.in(two)) {
            first.article("http://a.test/1", "once", 5).article("http://a.test/1", "twice", 5);
            second.article("http://a.test/2", "other", 5);
            var alone = new CrawlPages(List.of(first.commit().fleetPart()), Tombstones.NONE);
            assertThat(titles(alone)).containsExactly("once");
            var together =
                    new CrawlPages(
                            List.of(first.fleetPart(), second.commit().fleetPart()),
                            Tombstones.NONE);
            assertThat(titles(together)).containsExactly("once", "other");
        }
    }

    /** One worker stored a page and died; the other got a different response for it. */
    @Test
    void ofTwoEndsOfAUrlTheFirstCounts() throws IOException {
        var one = Files.createDirectory(directory.resolve("one"));
        var two = Files.createDirectory(directory.resolve("two"));
        try (var first = CrawlFixture.in(one);
                var second = CrawlFixture.in(two)) {
            first.article("http://a.test/1", "page", 5);
            second.redirect("http://a.test/1", "http://a.test/2");
            var together =
                    new CrawlPages(
                            List.of(first.commit().fleetPart(), second.commit().fleetPart()),
                            Tombstones.NONE);
            var kinds = new ArrayList<Kind>();
            together.forEachLine(page -> kinds.add(page.kind()));
            assertThat(kinds).containsExactly(Kind.PAGE);
        }
    }

    private static List<String> titles(CrawlPages pages) throws IOException {
        var titles = new ArrayList<String>();
        pages.forEachPage(page -> titles.add(page.title()));
        return titles;
    }

    @Test
    void takenDownPagesAreNotReturned() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture.article("http://a.test/1", "one", 5).article("http://a.test/2", "two", 5);
            var pages =
                    new CrawlPages(
                            List.of(crawlFixture.commit().crawl()), url -> url.endsWith("/1"));
            assertThat(urls(pages)).containsExactly("http://a.test/2");
        }
    }

    @Test
    void filtersGoByHostAndPath() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .article("http://a.test:81/docs/x?y", "one", 5)
                    .article("http://a.test/blog/", "two", 5)
                    .article("http://b.test/docs/", "three", 5);
            var pages = crawlFixture.pages();
            assertThat(urls(pages.filtered(new PageFilter(List.of("a.test"), List.of()))))
                    .hasSize(2);
            assertThat(urls(pages.filtered(new PageFilter(List.of("a.test"), List.of("/docs/")))))
                    .containsExactly("http://a.test:81/docs/x?y");
        }
    }

    @Test
    void aDamagedLineInTheMiddleIsRefusedByItsText() throws IOException {
        Files.writeString(directory.resolve("pages.log"), "{\"seq\":1}\n{\"seq\":2}\n");
        var pages =
                new CrawlPages(List.of(CrawlFixture.withoutFrontier(directory)), Tombstones.NONE);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> pages.forEachLine(_ -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("{\"seq\":1}");
    }

    @Test
    void everyTextIsNewOnceHoweverManyThereAre() throws IOException {
        try (var seen = TextHashSet.sizedForLog(64 * 50_000)) {
            for (var i = 0; i < 50_000; i++) {
                assertThat(seen.add("http://a.test/" + i)).isTrue();
            }
            for (var i = 0; i < 50_000; i++) {
                assertThat(seen.add("http://a.test/" + i)).isFalse();
            }
        }
    }

    private static List<String> urls(CrawlPages pages) throws IOException {
        var urls = new ArrayList<String>();
        pages.forEachLine(page -> urls.add(page.url()));
        return urls;
    }
}
