package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.frontier.disk.LogCapture;
import dev.orbweaver.internal.traps.TrapDetector;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Scope;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** The library as a user sees it. */
class LibraryTest extends CrawledSite {

    @Test
    void settingsAreTypedAndAllProblemsAreReportedTogether() {
        assertThatThrownBy(
                        () ->
                                Crawler.builder("ftp://a.test/")
                                        .maxPages(-1)
                                        .scope(ScopeType.DOMAIN)
                                        .set("max-redirect", "5")
                                        .onPage(page -> {})
                                        .onPage("A b", page -> {})
                                        .startAfter("index", 3)
                                        .startAfter(-1)
                                        .maxHandlerLag(0)
                                        .extractorTimeout(Duration.ZERO)
                                        .open(directory))
                .isInstanceOfSatisfying(
                        ConfigException.class, e -> assertThat(e.problems()).hasSize(8))
                .hasMessageContaining(
                        "startAfter: there is no handler 'index'; the handlers are [A b, pages]");
        assertThatThrownBy(() -> crawler().onPage("A b", page -> {}).open(directory))
                .hasMessage(
                        "handler name 'A b' must have 1 to 40 lower-case letters, digits and"
                                + " hyphens");
        assertThatThrownBy(() -> crawler().onPage(page -> {}).onPage(page -> {}).open(directory))
                .hasMessage("two handlers have the name 'pages'; name them apart");
    }

    @Test
    void settingsCanBeChangedWhileItRunsAndAreStored() throws Exception {
        site(50);
        try (var crawl = crawler().maxPages(5).open(directory)) {
            crawl.setMaxPages(9);
            crawl.setConcurrency(1);
            crawl.setDelay(Duration.ofMillis(1));
            crawl.setMaxBytes(5_000_000);
            crawl.setMaxTime(ChronoUnit.FOREVER.getDuration());
            assertThat(crawl.run().pages()).isEqualTo(9);
        }
        assertThat(Files.readString(directory.resolve("crawl.yaml")))
                .contains("max-pages: \"9\"")
                .contains("concurrency: \"1\"")
                .contains("delay: \"1ms\"")
                .contains("max-bytes: \"5000000\"")
                .contains("max-time: ");
        try (var crawl = crawler().maxPages(50).open(directory)) {
            crawl.setMaxTime(Duration.ofMillis(1));
            assertThat(crawl.run().end().reason()).isEqualTo(CrawlEnd.Reason.MAX_TIME);
        }
        try (var crawl = crawler().maxPages(50).open(directory)) {
            crawl.setMaxBytes(1);
            assertThat(crawl.run().end().reason()).isEqualTo(CrawlEnd.Reason.MAX_BYTES);
        }
    }

    @Test
    void aCrawlIsPausedResumedAndStopped() throws Exception {
        site(100);
        try (var crawl = crawler().concurrency(1).delay(Duration.ofMillis(5)).open(directory)) {
            crawl.pause();
            var thread = Thread.startVirtualThread(() -> runQuietly(crawl));
            Thread.sleep(100);
            assertThat(crawl.counts().pages()).isZero();
            crawl.resume();
            Eventually.until("pages", () -> crawl.counts().pages() > 3);
            crawl.stop(Duration.ofSeconds(1));
            thread.join();
            assertThat(crawl.counts().pages()).isBetween(4L, 99L);
        }
        assertThat(run(crawler()).pages()).isEqualTo(100);
    }

    @Test
    void aFrontierInMemoryLeavesNoQueueOnDisk() throws Exception {
        assertThat(run(crawler().frontier(FrontierProvider.inMemory())).pages()).isEqualTo(12);
        assertThat(directory.resolve("frontier")).doesNotExist();
        assertThatThrownBy(() -> run(crawler().frontier(FrontierProvider.inMemory())))
                .hasMessageContaining("needs an empty directory");
    }

    @Test
    void aDirectoryExplainsTakesDownAndCompacts() throws Exception {
        page("/", "<a href='/p1'></a><a href='http://127.0.0.1:1/dead'></a>");
        run(crawler().allowPrivate(true));
        var crawl = CrawlDirectory.open(directory);
        assertThat(crawl.isRunning()).isFalse();
        assertThat(crawl.counts().pages()).isEqualTo(2);
        assertThat(crawl.explain(url("/p1")).orElseThrow()).contains(url("/p1"));
        var dead = new ArrayList<String>();
        crawl.forEachDeadLetter(letter -> dead.add(letter.url() + " " + letter.cause().id()));
        assertThat(dead).containsExactly("http://127.0.0.1:1/dead connect");
        assertThat(crawl.takeDown(url("/p1"))).isEqualTo(1);
        var left = new ArrayList<String>();
        crawl.forEachPage(page -> left.add(page.url()));
        assertThat(left).containsExactly(url("/"));
        assertThat(crawl.compact().captures()).isEqualTo(1);
        assertThat(crawl.retryDeadLetters(letter -> true)).isEqualTo(1);
        for (var text : List.of("127.0.0.1:80", url("/"), "a b", "*.example.com", "a/b")) {
            assertThatThrownBy(() -> crawl.takeDownHost(text))
                    .hasMessage("not a host name or address without a port: " + text);
        }
        assertThat(crawl.takeDownHost("127.1")).as("another spelling").isPositive();
        left.clear();
        crawl.forEachPage(page -> left.add(page.url()));
        assertThat(left).isEmpty();
        assertThatThrownBy(() -> CrawlDirectory.open(directory.resolve("none")))
                .hasMessageContaining("has no crawl");
    }

    @Test
    void aCrawlRunsOnce() throws Exception {
        try (var crawl = crawler().open(directory)) {
            assertThat(crawl.run().pages()).isEqualTo(12);
            assertThatThrownBy(crawl::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("run was already called; close the crawl and");
        }
    }

    @Test
    void similarPagesThatAreGivenUpAreReportedAndTrapsCanBeTurnedOff() throws Exception {
        var text = " is in stock and is delivered within three days to your address".repeat(20);
        var links = new StringBuilder("<title>shop</title>");
        for (var i = 1; i <= 40; i++) {
            links.append("<a href='/product/").append(i).append("'>p</a>");
            page("/product/" + i, "<title>Product " + i + "</title>Product " + i + text);
        }
        page("/", links.toString());
        try (var log = new LogCapture(TrapDetector.class)) {
            var report = run(crawler());
            var urls = report.failedByCause().getOrDefault("trap", 0L);
            assertThat(report.pages() + urls).isEqualTo(41);
            assertThat(report.end().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            assertThat(report.end().detail())
                    .startsWith(
                            urls
                                    + " URLs were given up as a crawler trap, such as "
                                    + url("/product/"))
                    .endsWith(
                            "; if they are regular pages, turn traps off and retry the dead letters"
                                    + " with the cause trap");
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("gave up URLs like " + url("/product/"))
                    .contains("if they are regular pages, turn traps off");
        }
        directory = directory.resolve("off");
        var report = run(crawler().traps(false));
        assertThat(report.pages()).isEqualTo(41);
        assertThat(report.end().detail()).isEmpty();
    }

    @Test
    void closingTwiceHasNoEffectAndClosingARunningCrawlIsRefused() throws Exception {
        site(100);
        var crawl = crawler().concurrency(1).delay(Duration.ofMillis(20)).open(directory);
        var thread = Thread.startVirtualThread(() -> runQuietly(crawl));
        Eventually.until("pages", () -> crawl.counts().pages() > 1);
        assertThatThrownBy(crawl::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the crawl is running: call stop, and close it when run has returned");
        assertThatThrownBy(() -> crawler().open(directory))
                .hasMessage("a crawl is running in " + directory + ": wait for it or stop it");
        crawl.stopAndWait();
        assertThat(crawl.counts().pages()).as("stopped").isLessThan(100);
        assertThat(directory.resolve("summary.json")).as("written by run").exists();
        thread.join();
        crawl.stopAndWait();
        crawl.close();
        crawl.close();
        crawl.stopAndWait();
        var other = crawler().maxPages(1).open(directory);
        other.close();
        assertThatThrownBy(other::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the crawl is closed; open it again to run it");
    }

    @Test
    void aPositionBeyondThePageLogIsRefused() throws Exception {
        run(crawler());
        var last = new ArrayList<Long>();
        CrawlDirectory.open(directory).forEachResult(0, page -> last.add(page.sequence()));
        var end = last.getLast();
        assertThatThrownBy(() -> crawler().onPage(page -> {}).startAfter(end + 1).open(directory))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "startAfter(%d) of handler 'pages' is beyond the last line %d of this page"
                                .formatted(end + 1, end));
        assertThat(directory.resolve("summary.json")).as("nothing has changed").exists();
        var delivered = new ArrayList<Long>();
        run(crawler().onPage(page -> delivered.add(page.sequence())).startAfter(end));
        assertThat(delivered).isEmpty();
    }

    @Test
    void concurrencyIsNotRaisedAboveTheValueOfTheStart() throws Exception {
        try (var crawl = crawler().concurrency(4).open(directory)) {
            crawl.setConcurrency(4);
            assertThatThrownBy(() -> crawl.setConcurrency(5))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith(
                            "concurrency: 5 is above 4, with which the crawl was opened");
        }
    }

    @Test
    void argumentsAreCheckedWhereTheyAreGiven() throws Exception {
        assertThatThrownBy(() -> crawler().onPage(nothing()))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("handler must not be null");
        assertThatThrownBy(() -> crawler().userAgent(nothing()))
                .hasMessage("user-agent must not be null");
        assertThat(CrawlerBuilder.millis(Duration.ofNanos(1))).isEqualTo("1ms");
        assertThat(CrawlerBuilder.millis(Duration.ofMillis(7))).isEqualTo("7ms");
        assertThatThrownBy(() -> crawler().delay(Duration.ofNanos(-1)).open(directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("delay");
        assertThatThrownBy(
                        () ->
                                crawler()
                                        .maxHandlerLag(0)
                                        .startAfter("index", -1)
                                        .maxDepth(-1)
                                        .open(directory))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e ->
                                assertThat(e.problems())
                                        .extracting(Problem::key)
                                        .containsExactlyInAnyOrder(
                                                "maxHandlerLag", "startAfter", "max-depth"));
        var file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> crawler().open(file))
                .hasMessage(file + " is not a directory; choose another one");
        assertThat(Crawler.url("http://Example.com:80/a#b").text())
                .isEqualTo("http://example.com/a");
        assertThatThrownBy(() -> Crawler.url("mailto:a@example.com"))
                .hasMessage("not an http or https URL: mailto:a@example.com");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // What a caller may do.
    private static <T> T nothing() {
        return null;
    }

    @Test
    void explanationsNameTheRulesOfTheProgramAndTakeDowns() throws Exception {
        var builder =
                crawler()
                        .linkFilter(
                                (url, hop, depth) ->
                                        url.text().endsWith("/p1")
                                                ? Scope.refuse("no p1")
                                                : Scope.ACCEPT);
        try (var crawl = builder.open(directory)) {
            var _ = crawl.run();
            assertThat(crawl.directory().explain(url("/p1")).orElseThrow())
                    .contains("refused: rule: a rule of the program: no p1");
        }
        var stored = CrawlDirectory.open(directory);
        assertThat(stored.explain(url("/p1")).orElseThrow())
                .contains("or the program that ran the crawl has rules of its own");
        assertThat(stored.takeDown(url("/p2"))).isEqualTo(1);
        assertThat(stored.explain(url("/p2")).orElseThrow())
                .contains("taken down")
                .doesNotContain("status 200");
    }

    @Test
    void resultsAreReadAfterASequenceNumberWithTheirDetails() throws Exception {
        page("/", "<a href='/p1'></a><a href='/gone'></a><a href='http://127.0.0.1:1/dead'></a>");
        page("/p1", "x".repeat(5_000));
        run(crawler().allowPrivate(true).maxBody(1_000));
        var kinds = new ArrayList<String>();
        var first = new ArrayList<Long>();
        var stored = CrawlDirectory.open(directory);
        stored.forEachResult(
                0,
                page -> {
                    first.add(page.sequence());
                    kinds.add(page.kind() + " " + page.isTruncated());
                    assertThat(page.detail().isEmpty()).isEqualTo(page.cause().isEmpty());
                });
        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "PAGE false", "PAGE true", "ERROR false", "FAILED false");
        var rest = new ArrayList<Long>();
        stored.forEachResult(first.get(1), page -> rest.add(page.sequence()));
        assertThat(rest).isEqualTo(first.subList(2, 4));
    }
}
