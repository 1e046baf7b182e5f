package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.imports.SourceServer.Reply;
import dev.orbweaver.imports.SourceServer.Request;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Index servers with the faults that they have in practice: no loss, no endless loop. */
class IndexFaultsTest {

    private static final String SLOW_DOWN =
            "{\"message\": \"503 Server Error: Slow Down for url\"}";
    private static final String BLOCKED = "<!DOCTYPE html><html>Please wait</html>";
    private static final List<String> ALL = urls(0, 5);

    @TempDir private Path directory;

    /** Sends what replaces a page, and null for the page itself. */
    private interface Fault {
        @Nullable Reply instead(int page, int attempt);
    }

    @Test
    void aStatus500WithTheTextOfA503IsTriedAgainMoreSlowly() throws Exception {
        var run =
                commonCrawl(
                        (page, attempt) ->
                                page == 2 && attempt < 4 ? new Reply(500, "x/y", SLOW_DOWN) : null);

        assertThat(run.urls()).containsExactlyElementsOf(ALL);
        assertThat(run.failure).isEmpty();
        assertThat(run.progress)
                .filteredOn(line -> line.contains("(status 500 with the text of a 503)"))
                .hasSize(3);
    }

    @Test
    void aPageThatFailsToTheEndIsOneSentenceAndCostsNoOther() throws Exception {
        var run = commonCrawl((page, _) -> page == 2 ? new Reply(500, "x/y", SLOW_DOWN) : null);

        assertThat(run.urls()).containsExactly(url(0), url(1), url(3), url(4));
        assertThat(run.failure)
                .contains("CC-MAIN-2026-01-index: 1 of 5 pages could not be read:")
                .contains("asks for fewer requests (status 500 with the text of a 503)")
                .endsWith("; 4 URLs were read");
    }

    @Test
    void htmlInsteadOfJsonIsReadAgainAfterTheOtherPages() throws Exception {
        var once = commonCrawl((page, n) -> page == 1 && n == 1 ? Reply.html(200, BLOCKED) : null);
        var always = commonCrawl((page, _) -> page == 1 ? Reply.html(200, BLOCKED) : null);

        assertThat(once.urls()).containsExactly(url(0), url(2), url(3), url(4), url(1));
        assertThat(once.failure).isEmpty();
        assertThat(always.urls()).containsExactly(url(0), url(2), url(3), url(4));
        assertThat(always.failure)
                .contains("1 of 5 pages could not be read")
                .contains("an HTML page instead of JSON");
    }

    @Test
    void aTruncatedBodyIsRequestedAgainAndALineCutOffMakesThePageFail() throws Exception {
        var disconnected =
                commonCrawl(
                        (page, n) -> page == 3 && n < 3 ? Reply.json(line(3)).truncated() : null);
        var cutOff =
                commonCrawl(
                        (page, n) ->
                                page == 3 && n == 1 ? Reply.json(line(3).substring(0, 9)) : null);

        assertThat(disconnected.urls()).containsExactlyElementsOf(ALL);
        assertThat(cutOff.urls()).containsExactlyInAnyOrderElementsOf(ALL);
        assertThat(disconnected.failure + cutOff.failure).isEmpty();
    }

    @Test
    void anEmptyPageInTheMiddleIsNotTheEnd() throws Exception {
        var run = commonCrawl((page, _) -> page == 1 || page == 2 ? Reply.json("") : null);

        assertThat(run.urls()).containsExactly(url(0), url(3), url(4));
        assertThat(run.failure).isEmpty();
    }

    @Test
    void aServerThatRefusesAccessIsNotAskedAgain() throws Exception {
        try (var server = index((page, _) -> page == 1 ? Reply.html(403, BLOCKED) : null)) {
            var run = read(server);

            assertThat(run.urls()).containsExactly(url(0));
            assertThat(run.failure).contains("127.0.0.1 refuses access (status 403); wait");
            assertThat(server.requests()).hasSize(4);
        }
    }

    @Test
    void aServerThatIsNoIndexServerIsOneSentence() throws Exception {
        try (var server = SourceServer.start(_ -> Reply.html(200, BLOCKED))) {
            assertThat(read(server).failure)
                    .isEqualTo(
                            server.url(
                                            "/collinfo.json sent an HTML page instead of JSON, also"
                                                    + " at attempt 3;")
                                    + " try again later, or check common-crawl-endpoint");
        }
    }

    @Test
    void theRequestsBeforeTheFirstPageAreRepeatedToo() throws Exception {
        var index = indexReplies((_, _) -> null);
        try (var server =
                SourceServer.start(
                        request ->
                                switch (request.number()) {
                                    case 1, 4 -> Reply.html(200, BLOCKED);
                                    case 2, 5 -> Reply.json("");
                                    default -> index.reply(request);
                                })) {
            var run = read(server);

            assertThat(run.urls()).containsExactlyElementsOf(ALL);
            assertThat(run.failure).isEmpty();
        }
    }

    @Test
    void noFurtherRequestFollowsARefusalOfTheFirst() throws Exception {
        var index = indexReplies((_, _) -> null);
        for (var refused : List.of(1, 2)) {
            try (var server =
                    SourceServer.start(
                            request ->
                                    request.number() == refused
                                            ? Reply.html(403, BLOCKED)
                                            : index.reply(request))) {
                var run =
                        SourceRun.of(
                                directory,
                                "common-crawl:s.example#crawls=3",
                                "common-crawl-endpoint",
                                server.url("/"));

                assertThat(run.failure).startsWith("127.0.0.1 refuses access (status 403); wait");
                assertThat(server.requests()).hasSize(refused);
            }
        }
    }

    @Test
    void aServerThatAnswersNothingMoreIsAskedAFewTimesOnly() throws Exception {
        try (var server = index((_, _) -> new Reply(504, "text/plain", ""))) {
            var run = read(server);

            assertThat(run.failure).contains("5 of 5 pages could not be read");
            assertThat(server.requests()).hasSizeLessThanOrEqualTo(2 + 2 * 3 * 5);
        }
    }

    @Test
    void theNewestCrawlsAreReadAndNoMore() throws Exception {
        try (var server = index((_, _) -> null)) {
            var run =
                    SourceRun.of(
                            directory,
                            "common-crawl:s.example#crawls=2",
                            "common-crawl-endpoint",
                            server.url("/"));

            assertThat(run.urls()).containsExactlyElementsOf(ALL);
            assertThat(server.paths())
                    .contains("/CC-MAIN-2026-01-index", "/CC-MAIN-2025-51-index")
                    .doesNotContain("/CC-MAIN-2025-47-index");
            assertThat(server.requests().get(1).parameter("matchType")).isEqualTo("domain");
        }
    }

    @Test
    void retryAfterIsHonouredUpToALimit() throws Exception {
        var before = System.nanoTime();
        var short1 =
                wayback(
                        (page, n) ->
                                page == 0 && n == 1
                                        ? new Reply(429, "text/plain", "").with("Retry-After", "1")
                                        : null);
        assertThat(System.nanoTime() - before).isGreaterThan(1_000_000_000L);
        assertThat(short1.urls()).containsExactlyElementsOf(ALL);

        var long1 =
                wayback((_, _) -> new Reply(429, "text/plain", "").with("Retry-After", "86400"));
        assertThat(long1.failure).contains("(status 429) and asks to wait 86400 s; try again then");
    }

    @Test
    void theResumeKeyLeadsFromPageToPageAlsoThroughAnEmptyOne() throws Exception {
        var run = wayback((page, _) -> page == 2 ? Reply.json(rows(2, List.of())) : null);

        assertThat(run.urls()).containsExactly(url(0), url(1), url(3), url(4));
        assertThat(run.failure).isEmpty();
    }

    @Test
    void aRepeatedResumeKeyEndsTheSource() throws Exception {
        var requests = new AtomicInteger();
        var run =
                wayback(
                        (page, _) -> {
                            if (requests.incrementAndGet() > 20) {
                                return Reply.html(403, BLOCKED); // Ends an endless loop.
                            }
                            return page == 3 ? Reply.json(rows(0, List.of(url(3)))) : null;
                        });

        assertThat(run.urls()).contains(url(0), url(1), url(2), url(3));
        assertThat(run.failure)
                .contains("repeats the resume key 'key%2B1', so its list has no end");
    }

    @Test
    void aTruncatedArrayIsRequestedAgain() throws Exception {
        var cut = rows(1, List.of(url(1)));
        var once =
                wayback(
                        (page, n) ->
                                page == 1 && n == 1
                                        ? Reply.json(cut.substring(0, cut.length() - 8))
                                        : null);
        var always = wayback((page, _) -> page == 1 ? Reply.html(200, BLOCKED) : null);

        assertThat(once.urls()).containsExactlyElementsOf(ALL);
        assertThat(once.failure).isEmpty();
        assertThat(always.failure)
                .contains("sent an HTML page instead of JSON, also at attempt 3")
                .endsWith("1 URLs were read");
    }

    @Test
    void anEmptyBodyAfterAResumeKeyIsNotTheEnd() throws Exception {
        var once = wayback((page, n) -> page == 1 && n == 1 ? Reply.json("") : null);
        var always = wayback((page, _) -> page == 1 ? Reply.json("") : null);

        assertThat(once.urls()).containsExactlyElementsOf(ALL);
        assertThat(once.failure).isEmpty();
        assertThat(always.failure)
                .isEqualTo("127.0.0.1 sent an empty response, also at attempt 3; 1 URLs were read");
    }

    @Test
    void requestsToAnIndexServerAreADelayApartAndNameTheCrawler() throws Exception {
        try (var server = index((_, _) -> null)) {
            var _ =
                    SourceRun.of(
                            directory,
                            "common-crawl:s.example",
                            "common-crawl-endpoint",
                            server.url("/"),
                            "index-delay",
                            "100ms");

            assertThat(server.requests()).hasSize(7);
            for (var i = 1; i < 7; i++) {
                var before = server.requests().get(i - 1).nanos();
                assertThat(server.requests().get(i).nanos() - before).isGreaterThan(99_000_000);
                assertThat(server.requests().get(i).header("User-agent")).startsWith("Orbweaver/");
            }
        }
        var table = new SettingValues(Settings.CORE.with(SeedSources.extension()));
        assertThat(SourceSettings.read(new CheckedValues(table)).indexDelay()).hasSeconds(1);
    }

    @Test
    void aRefusalAndAWrongServerAreOneSentenceEach() throws Exception {
        assertThat(wayback((_, _) -> Reply.html(403, BLOCKED)).failure)
                .startsWith("127.0.0.1 refuses access (status 403): the site may be excluded");
        assertThat(wayback((_, _) -> Reply.html(404, BLOCKED)).failure)
                .isEqualTo(
                        "127.0.0.1 sent an HTML page instead of JSON (status 404); check"
                                + " wayback-endpoint");
        assertThat(wayback((_, _) -> Reply.json("{\"a\": 1}")).failure)
                .isEqualTo("127.0.0.1 sent a response that is not the expected JSON");
        assertThat(wayback((_, _) -> Reply.json("[[\"a\",\"b\"]]")).failure)
                .contains("sent no column 'original' but a, b");
    }

    @Test
    void noCapturesAreNoError() throws Exception {
        for (var none : List.of("[]", "")) {
            var run = wayback((_, _) -> Reply.json(none));
            assertThat(run.urls()).isEmpty();
            assertThat(run.failure).isEmpty();
        }
    }

    private SourceRun commonCrawl(Fault fault) throws Exception {
        try (var server = index(fault)) {
            return read(server);
        }
    }

    private SourceRun read(SourceServer server) throws Exception {
        return SourceRun.of(
                directory, "common-crawl:s.example/*", "common-crawl-endpoint", server.url("/"));
    }

    private static SourceServer index(Fault fault) throws Exception {
        return SourceServer.start(indexReplies(fault));
    }

    private static SourceServer.Handler indexReplies(Fault fault) {
        var attempts = new int[5];
        return request -> {
            if (request.path().equals("/collinfo.json")) {
                return Reply.json(
                        """
                        [{"id": "CC-MAIN-2026-01",
                          "cdx-api": "https://index.commoncrawl.org/CC-MAIN-2026-01-index"},
                         {"id": "CC-MAIN-2025-51",
                          "cdx-api": "https://index.commoncrawl.org/CC-MAIN-2025-51-index"},
                         {"id": "CC-MAIN-2025-47",
                          "cdx-api": "https://index.commoncrawl.org/CC-MAIN-2025-47-index"}]
                        """);
            }
            if (!request.parameter("showNumPages").isEmpty()) {
                return request.path().contains("2026")
                        ? Reply.json("{\"pages\": 5, \"pageSize\": 5, \"blocks\": 21}")
                        : new Reply(404, "x/y", "{\"message\": \"No Captures found\"}");
            }
            var page = Integer.parseInt(request.parameter("page"));
            return reply(fault, page, ++attempts[page], line(page));
        };
    }

    private SourceRun wayback(Fault fault) throws Exception {
        var attempts = new int[5];
        try (var server =
                SourceServer.start(
                        request -> {
                            var page = page(request);
                            var rows = rows(page, List.of(url(page)));
                            return reply(fault, page, ++attempts[page], rows);
                        })) {
            return SourceRun.of(
                    directory, "wayback:s.example", "wayback-endpoint", server.url("/cdx"));
        }
    }

    private static Reply reply(Fault fault, int page, int attempt, String content) {
        var instead = fault.instead(page, attempt);
        return instead == null ? Reply.json(content) : instead;
    }

    /** The key is sent encoded and comes back as it was sent. */
    private static int page(Request request) {
        var key = request.parameter("resumeKey");
        return key.isEmpty() ? 0 : Integer.parseInt(key.substring("key+".length()));
    }

    /** A page of one URL and the key of the next page. */
    private static String rows(int page, List<String> urls) {
        var rows = new StringBuilder("[[\"urlkey\",\"original\"]");
        urls.forEach(url -> rows.append(",\n[\"k\",\"").append(url).append("\"]"));
        if (page < 4) {
            rows.append(",\n[],\n[\"key%2B").append(page + 1).append("\"]");
        }
        return rows.append("]\n").toString();
    }

    private static String line(int page) {
        return "{\"url\": \"%s\", \"status\": \"200\"}\n".formatted(url(page)).repeat(2);
    }

    private static String url(int page) {
        return "https://s.example/" + page;
    }

    private static List<String> urls(int from, int to) {
        return IntStream.range(from, to).mapToObj(IndexFaultsTest::url).toList();
    }
}
