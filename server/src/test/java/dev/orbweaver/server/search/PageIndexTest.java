package dev.orbweaver.server.search;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.temporal.ChronoUnit.DAYS;

import dev.orbweaver.export.CrawlFixture;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.server.search.PageSearchQuery.Order;

import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.FSDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Tests searches in a page log that a real sink wrote. */
class PageIndexTest {

    private static final String ROOT = "http://a.test/";
    private static final String GUIDE = "http://a.test/docs/guide";
    private static final String SPIDER = "http://a.test/docs/spider?x=1";
    private static final String MOVED = "http://a.test/moved";
    private static final String GONE = "http://a.test/docs/gone";
    private static final Instant YEAR = Instant.parse("2030-01-01T00:00:00Z");
    private static final String OTHER = "http://b.test/news/weaving";

    @TempDir Path directory;

    private CrawlFixture crawl;

    @BeforeEach
    void crawl() throws IOException {
        crawl =
                CrawlFixture.in(directory)
                        .page(ROOT, html("Home", "welcome <a href=/docs/guide>guide</a>"))
                        .page(GUIDE, html("Orchard guide", "apples grow on old trees"))
                        .page(
                                SPIDER,
                                html(
                                        "Spiders",
                                        "a spider eats apples" + " in the orchard".repeat(6)))
                        .redirect(MOVED, GUIDE)
                        .notFound(GONE)
                        .page(OTHER, html("News", "<a href=http://a.test/docs/guide>there</a>"))
                        .commit();
    }

    @AfterEach
    void close() throws Exception {
        crawl.close();
    }

    private static String html(String title, String body) {
        return "<html><title>%s</title><main><h1>%s</h1><p>%s</p></main>"
                .formatted(title, title, body);
    }

    private PageIndex open(Tombstones tombstones) throws IOException {
        var bytes = Files.size(directory.resolve("pages.log"));
        return PageIndex.open(directory, new PageContents(crawl.crawl()), tombstones, () -> bytes);
    }

    private PageIndex indexed() throws IOException {
        var index = open(Tombstones.NONE);
        while (index.advance(2) > 0) {}
        return index;
    }

    private static PageSearchQuery search(String words, Order order, int offset, int limit) {
        return new PageSearchQuery(
                words,
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                0,
                Integer.MAX_VALUE,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                order,
                offset,
                limit);
    }

    private static List<String> urls(PageIndex.SearchResult searchResult) {
        return searchResult.entries().stream().map(PageLogEntry::url).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trees                | http://a.test/docs/guide",
                "spider apples        | http://a.test/docs/spider?x=1",
                "'\"old trees\"'      | http://a.test/docs/guide",
                "'\"trees old\"'      |",
                "orchard -spider      | http://a.test/docs/guide",
                "weav*                | http://b.test/news/weaving",
                "zebra                |"
            })
    void wordsAreFoundInTitleTextAndUrl(String words, String url) throws Exception {
        try (var index = indexed()) {
            var searchResult = index.search(search(words, Order.NEWEST, 0, 10));
            assertThat(urls(searchResult)).isEqualTo(url == null ? List.of() : List.of(url));
            assertThat(searchResult.total()).isEqualTo(url == null ? 0 : 1);
        }
    }

    @Test
    void aWordInTheTitleCountsForMoreThanOneInTheText() throws Exception {
        try (var index = indexed()) {
            assertThat(urls(index.search(search("orchard", Order.RELEVANCE, 0, 10))))
                    .containsExactly(GUIDE, SPIDER);
            assertThat(urls(index.search(search("orchard", Order.NEWEST, 0, 10))))
                    .containsExactly(SPIDER, GUIDE);
        }
    }

    @Test
    void linesAreChosenByKindHostPathAndStatus() throws Exception {
        try (var index = indexed()) {
            assertThat(urls(index.search(PageSearchQuery.ofKind(Kind.REDIRECT, 10))))
                    .containsExactly(MOVED);
            assertThat(urls(index.search(with(Optional.of("b.test"), Optional.empty(), 0, 999))))
                    .containsExactly(OTHER);
            assertThat(urls(index.search(with(Optional.empty(), Optional.of("/docs/g"), 0, 999))))
                    .containsExactly(GONE, GUIDE);
            assertThat(urls(index.search(with(Optional.empty(), Optional.empty(), 300, 404))))
                    .containsExactly(GONE, MOVED);
        }
    }

    private static PageSearchQuery with(
            Optional<String> host, Optional<String> path, int from, int to) {
        return new PageSearchQuery(
                "",
                Set.of(),
                host,
                path,
                from,
                to,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Order.NEWEST,
                0,
                10);
    }

    @ParameterizedTest
    @CsvSource({"NEWEST", "OLDEST"})
    void continuingAfterALineReturnsEveryLineOnce(Order order) throws Exception {
        try (var index = indexed()) {
            var whole = urls(index.search(search("", order, 0, 10)));
            var seen = new ArrayList<String>();
            var after = OptionalLong.empty();
            do {
                var searchResult =
                        index.search(
                                new PageSearchQuery(
                                        "",
                                        Set.of(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        0,
                                        Integer.MAX_VALUE,
                                        Optional.empty(),
                                        Optional.empty(),
                                        after,
                                        order,
                                        0,
                                        4));
                seen.addAll(urls(searchResult));
                after = searchResult.next();
            } while (after.isPresent());
            var inOrder = List.of(ROOT, GUIDE, SPIDER, MOVED, GONE, OTHER);
            assertThat(whole)
                    .isEqualTo(order == Order.OLDEST ? inOrder : inOrder.reversed())
                    .isEqualTo(seen);
            assertThat(urls(index.search(search("", order, 2, 3)))).isEqualTo(whole.subList(2, 5));
        }
    }

    @Test
    void aLineIsFoundByNumberByUrlAndByWhatItLinksTo() throws Exception {
        try (var index = indexed()) {
            assertThat(index.findBySeq(3).orElseThrow().url()).isEqualTo(SPIDER);
            assertThat(index.findBySeq(7)).isEmpty();
            assertThat(index.latest(GONE).orElseThrow().status()).isEqualTo(404);
            assertThat(urls(index.inlinks(GUIDE, 10))).containsExactly(OTHER, ROOT);
            assertThat(index.inlinks(GUIDE, 1).total()).isEqualTo(2);
        }
    }

    @Test
    void aSiteIsATreeWithCounts() throws Exception {
        try (var index = indexed()) {
            var sites = index.children("", 10);
            assertThat(sites)
                    .extracting(PageIndex.PathNode::path)
                    .containsExactly(ROOT, "http://b.test/");
            var site = sites.getFirst();
            assertThat(List.of(site.pages(), site.redirects(), site.errors()))
                    .containsExactly(3L, 1L, 1L);
            assertThat(site.hasMore()).isTrue();
            assertThat(index.children(ROOT, 10))
                    .extracting(PageIndex.PathNode::path)
                    .containsExactly("http://a.test/docs/", MOVED);
            var docs = index.children("http://a.test/docs/", 10);
            assertThat(docs)
                    .extracting(PageIndex.PathNode::path)
                    .containsExactly(GONE, GUIDE, SPIDER);
            assertThat(docs.getFirst().status()).hasValue(404);
            assertThat(index.children("http://a.test/docs/", 1)).hasSize(1);
        }
    }

    @Test
    void takenDownLinesAreNotReturned() throws Exception {
        indexed().close();
        try (var index = open(url -> url.equals(GUIDE))) {
            while (index.advance(10) > 0) {}
            assertThat(urls(index.search(PageSearchQuery.newest(10))))
                    .hasSize(5)
                    .doesNotContain(GUIDE);
            assertThat(index.latest(GUIDE)).isEmpty();
            assertThat(index.isTakenDown(GUIDE)).isTrue();
            assertThat(index.isTakenDown(SPIDER)).isFalse();
            assertThat(index.children("http://a.test/docs/", 10))
                    .extracting(PageIndex.PathNode::path)
                    .doesNotContain(GUIDE);
        }
    }

    @Test
    void anIndexContinuesWhereItWasClosedAndHasEachLineOnce() throws Exception {
        try (var index = open(Tombstones.NONE)) {
            assertThat(index.advance(4)).isEqualTo(4);
            assertThat(index.lastIndexed()).isEqualTo(4);
        }
        crawl.page("http://a.test/late", html("Late", "zebra")).commit();
        try (var index = indexed()) {
            assertThat(index.lastIndexed()).isEqualTo(7);
            assertThat(index.search(PageSearchQuery.newest(0)).total()).isEqualTo(7);
            assertThat(index.search(search("zebra", Order.NEWEST, 0, 1)).total()).isEqualTo(1);
        }
    }

    @Test
    void anIndexOfAnEarlierVersionIsRebuiltWithTheFieldsThatItLacks() throws Exception {
        indexed().close();
        removeVersion();
        try (var index = indexed()) {
            var all = index.search(between(YEAR, YEAR.plus(365, DAYS)));
            assertThat(urls(all)).hasSize(6).doesNotHaveDuplicates();
            assertThat(index.search(PageSearchQuery.newest(0)).total()).isEqualTo(6);
            assertThat(urls(index.search(between(YEAR.minus(1, DAYS), YEAR)))).isEmpty();
        }
    }

    /** Leaves documents without times, and the position in the log but no version. */
    private void removeVersion() throws IOException {
        var newest = new Sort(new SortField("seq", SortField.Type.LONG, true));
        try (var files = FSDirectory.open(directory.resolve("search"));
                var writer =
                        new IndexWriter(
                                files,
                                new IndexWriterConfig(new StandardAnalyzer())
                                        .setIndexSort(newest))) {
            var data = new HashMap<String, String>();
            writer.getLiveCommitData().forEach(entry -> data.put(entry.getKey(), entry.getValue()));
            assertThat(data.remove("fields")).isNotNull();
            writer.deleteAll();
            writer.setLiveCommitData(data.entrySet());
            writer.commit();
        }
    }

    private static PageSearchQuery between(Instant from, Instant to) {
        return new PageSearchQuery(
                "",
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                0,
                Integer.MAX_VALUE,
                Optional.of(from),
                Optional.of(to),
                OptionalLong.empty(),
                Order.NEWEST,
                0,
                10);
    }
}
