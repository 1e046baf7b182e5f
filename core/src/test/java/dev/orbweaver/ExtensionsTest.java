package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.disk.LogCapture;
import dev.orbweaver.internal.scope.GuardedScope;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Extraction;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Extractors, parsers, scopes and fetchers of a program. */
class ExtensionsTest extends CrawledSite {

    @Test
    void extractedFieldsAreStoredWithThePage() throws Exception {
        var fields = new ConcurrentHashMap<String, Map<String, Object>>();
        run(
                crawler()
                        .extractor(
                                page -> {
                                    page.put("name", page.document().select("h1").text());
                                    var price = page.document().select(".price").text();
                                    if (!price.isEmpty()) {
                                        page.put("price", Double.parseDouble(price));
                                        page.put("count", 7);
                                        page.put("sold", true);
                                        page.put("tags", List.of("a\nb", "\u00e4\"\u2603"));
                                    }
                                })
                        .onPage(page -> fields.put(page.url(), page.fields())));
        assertThat(fields.get(url("/p3")))
                .isEqualTo(
                        Map.of(
                                "name",
                                "Name 3",
                                "price",
                                3.5,
                                "count",
                                7L,
                                "sold",
                                true,
                                "tags",
                                List.of("a\nb", "\u00e4\"\u2603")));
        assertThat(fields.get(url("/"))).isEqualTo(Map.of("name", ""));
        var read = new ConcurrentHashMap<String, Map<String, Object>>();
        CrawlDirectory.open(directory).forEachPage(page -> read.put(page.url(), page.fields()));
        assertThat(read).isEqualTo(fields);
        assertThat(Files.readString(directory.resolve("pages.log")))
                .contains("\"fields\":{\"name\":\"Name 3\",\"price\":3.5");
    }

    @Test
    void anExtractorThatFailsOrHangsCostsItsFieldsOnly() throws Exception {
        var never = new CountDownLatch(1);
        var causes = new ConcurrentHashMap<String, String>();
        var report =
                run(
                        crawler()
                                .extractorTimeout(Duration.ofMillis(200))
                                .extractor(
                                        page -> {
                                            page.put("seen", true);
                                            if (page.url().endsWith("/p1")) {
                                                throw new IllegalStateException("no price");
                                            }
                                            if (page.url().endsWith("/p2")) {
                                                never.await();
                                            }
                                            if (page.url().endsWith("/p3")) {
                                                page.put("large", "x".repeat(100_000));
                                            }
                                        })
                                .onPage(
                                        page ->
                                                causes.put(
                                                        page.url(), page.cause() + page.fields())));
        assertThat(report.pages()).isEqualTo(12);
        assertThat(causes.get(url("/p4"))).isEqualTo("{seen=true}");
        for (var path : List.of("/p1", "/p2", "/p3")) {
            assertThat(causes.get(url(path))).as(path).isEqualTo("extractor-failed{}");
        }
        assertThat(Files.readString(directory.resolve("pages.log")))
                .contains("no price")
                .contains("no result after 200 ms")
                .contains(
                        "field 'large' does not fit: a page has at most 100 fields with 65536"
                                + " bytes");
    }

    @Test
    void extractorsAddAndVetoLinks() throws Exception {
        page("/hidden", "<title>hidden</title>");
        run(
                crawler()
                        .extractor(
                                page -> {
                                    assertThat(page.addLink("mailto:a@example.org")).isFalse();
                                    assertThat(page.addLink("hidden")).isTrue();
                                    page.removeLinks(link -> link.url().text().endsWith("/p2"));
                                }));
        assertThat(requested).contains("/hidden", "/p1").doesNotContain("/p2");
    }

    @Test
    void aLinkFilterRefusesLinksAndAScopeReplacesTheRules() throws Exception {
        run(
                crawler()
                        .linkFilter(
                                (url, hop, depth) ->
                                        url.text().contains("/p1")
                                                ? Scope.refuse("no p1")
                                                : Scope.ACCEPT));
        assertThat(requested).contains("/p2").doesNotContain("/p1", "/p10");
        requested.clear();
        directory = directory.resolve("second");
        run(
                crawler()
                        .scope(
                                (url, hop, depth) ->
                                        url.text().endsWith("/p4")
                                                ? Scope.ACCEPT
                                                : Scope.refuse("only p4")));
        assertThat(requested).contains("/", "/p4").doesNotContain("/p2");
    }

    @Test
    void aParserReadsAMediaTypeOfItsOwnAndItsExceptionsCostItsLinks() throws Exception {
        page("/", "<a href='/list.json'></a><a href='/bad.json'></a>");
        page("/list.json", "[\"/p5\"]");
        page("/bad.json", "not json");
        Parser json =
                new Parser() {
                    @Override
                    public boolean accepts(String mediaType) {
                        return mediaType.equals("application/json");
                    }

                    @Override
                    public Page parse(Document document) {
                        var text =
                                new String(
                                        document.bytes(),
                                        0,
                                        document.length(),
                                        StandardCharsets.UTF_8);
                        if (!text.startsWith("[")) {
                            throw new IllegalArgumentException("no array");
                        }
                        var link = document.resolve(text.substring(2, text.length() - 2));
                        return new Page(
                                "list",
                                "utf-8",
                                List.of(new Link(link.orElseThrow(), LinkKind.ENTRY, false)),
                                false,
                                false);
                    }
                };
        var titles = new ConcurrentHashMap<String, String>();
        run(
                crawler()
                        .skipExtensions()
                        .parser(json)
                        .onPage(page -> titles.put(page.url(), page.title() + page.cause())));
        assertThat(titles)
                .containsEntry(url("/list.json"), "list")
                .containsEntry(url("/p5"), "page 5")
                .containsEntry(url("/bad.json"), "parser-failed");
    }

    @Test
    void aParserHasTheLimitsOfTheBuiltInOnes() throws Exception {
        page("/", "<a href='/many.json'></a><a href='/long.json'></a>");
        page("/many.json", " ".repeat(200_000));
        page("/long.json", " ");
        Parser numbers =
                new JsonParser() {
                    @Override
                    public Page parse(Document document) {
                        var many = document.url().text().endsWith("/many.json");
                        var tail = many ? "" : "x".repeat(8_000);
                        var links =
                                IntStream.range(0, many ? 150_000 : 1_000)
                                        .mapToObj(n -> document.resolve("/n" + n + "?" + tail))
                                        .flatMap(Optional::stream)
                                        .map(url -> new Link(url, LinkKind.ENTRY, false))
                                        .toList();
                        return new Page("t".repeat(5_000), "utf-8", links, false, false);
                    }
                };
        var titles = new ConcurrentHashMap<String, Integer>();
        var report =
                run(
                        crawler()
                                .skipExtensions()
                                .maxDepth(1)
                                .parser(numbers)
                                .onPage(
                                        page -> {
                                            titles.put(page.url(), page.title().length());
                                            assertThat(page.cause())
                                                    .isEqualTo(
                                                            page.depth() == 0 ? "" : "truncated");
                                        }));
        assertThat(report.pages()).isEqualTo(3);
        assertThat(titles)
                .containsEntry(url("/many.json"), 1_000)
                .containsEntry(url("/long.json"), 1_000);
        // 100,000 links of one document, and 2 Mi characters of the other one.
        assertThat(report.refused()).isBetween(100_000L, 100_300L);
    }

    @Test
    void aParserThatFailsToAcceptLeavesTheDocumentToOthers() throws Exception {
        Parser broken =
                new JsonParser() {
                    @Override
                    public boolean accepts(String mediaType) {
                        throw new IllegalStateException("no list of types");
                    }
                };
        assertThat(run(crawler().parser(broken)).pages()).isEqualTo(12);
    }

    @Test
    void extractorsHaveLimitsOnFieldsAndAddedLinks() throws Exception {
        page("/p1", "<a href='/behind'></a>");
        page("/behind", "<title>behind</title>");
        var causes = new ConcurrentHashMap<String, String>();
        run(
                crawler()
                        .extractor(
                                page -> {
                                    if (page.url().endsWith("/p1")) {
                                        for (var n = 0; n <= Extraction.FIELDS_MAX; n++) {
                                            page.put("f" + n, n);
                                        }
                                    } else if (page.url().endsWith("/p2")) {
                                        for (var n = 0; n <= Extraction.ADDED_LINKS_MAX; n++) {
                                            page.addLink("/added" + n);
                                        }
                                    } else if (page.url().endsWith("/p3")) {
                                        for (var n = 0; n < 200; n++) {
                                            page.addLink("/added" + n + "?" + "x".repeat(8_000));
                                        }
                                    }
                                })
                        .onPage(page -> causes.put(page.url(), page.cause())));
        for (var path : List.of("/p1", "/p2", "/p3")) {
            assertThat(causes).as(path).containsEntry(url(path), "extractor-failed");
        }
        assertThat(causes).containsEntry(url("/p4"), "").hasSize(13);
        assertThat(requested)
                .as("links that the parser found")
                .contains("/behind")
                .noneMatch(path -> path.startsWith("/added"));
        assertThat(Files.readString(directory.resolve("pages.log")))
                .contains("field 'f100' does not fit")
                .contains("more than 1000 added links, or more than 1048576 characters in them");
    }

    @Test
    void aFilterThatFailsRefusesTheLinkAndIsNotCalledForSeeds() throws Exception {
        page("/p1", "<a href='/bad'></a><a href='/null'></a><a href='/good'></a>");
        page("/good", "good");
        var called = ConcurrentHashMap.<String>newKeySet();
        try (var log = new LogCapture(GuardedScope.class)) {
            run(
                    crawler()
                            .linkFilter(
                                    (url, hop, depth) -> {
                                        called.add(url.pathAndQuery());
                                        if (url.text().endsWith("/bad")) {
                                            throw new IllegalStateException("filter");
                                        }
                                        return url.text().endsWith("/null")
                                                ? nothing()
                                                : Scope.ACCEPT;
                                    }));
            assertThat(log.messages())
                    .containsExactlyInAnyOrder(
                            "scope or link filter failed for " + url("/bad") + "; it is refused",
                            "scope or link filter failed for " + url("/null") + "; it is refused");
        }
        assertThat(requested).contains("/p1", "/good").doesNotContain("/bad", "/null");
        assertThat(called).contains("/p1", "/good").doesNotContain("/");
        assertThat(CrawlDirectory.open(directory).counts().dead()).isZero();
    }

    @SuppressWarnings("NullAway") // What a program may do.
    private static Scope.Verdict nothing() {
        return null;
    }

    @Test
    void aFetcherReplacesTheHttpClientAndIsClosed() throws Exception {
        var closed = new AtomicInteger();
        Fetcher fromMemory =
                new Fetcher() {
                    @Override
                    public Resolution resolve(CrawlUrl url) {
                        return new Resolution.Found(InetAddress.getLoopbackAddress());
                    }

                    @Override
                    public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent) {
                        var started = Instant.now();
                        sent.run();
                        var found = files.containsKey(url.pathAndQuery());
                        var body = files.getOrDefault(url.pathAndQuery(), new byte[0]);
                        var head =
                                "HTTP/1.1 %s\r\nContent-Type: text/html\r\n\r\n"
                                        .formatted(found ? "200 OK" : "404 Not Found");
                        return new FetchResult.Fetched(
                                new Exchange(
                                        url,
                                        ("GET " + url.pathAndQuery() + " HTTP/1.1\r\n\r\n")
                                                .getBytes(StandardCharsets.US_ASCII),
                                        new ResponseHead(
                                                head.getBytes(StandardCharsets.US_ASCII),
                                                found ? 200 : 404),
                                        new Body.InMemory(body, body.length),
                                        address,
                                        new Timings(
                                                started,
                                                Duration.ZERO,
                                                Duration.ZERO,
                                                Duration.ZERO),
                                        Optional.empty()));
                    }

                    @Override
                    public Stats stats() {
                        return new Stats(0, 0, 0, 0, 0);
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                };
        var titles = new ArrayList<String>();
        var report =
                run(
                        Crawler.builder("http://memory.test/")
                                .delay(Duration.ZERO)
                                .fetcher(fromMemory)
                                .onPage(page -> titles.add(page.document().title())));
        assertThat(report.pages()).isEqualTo(12);
        assertThat(titles).contains("home", "page 11");
        assertThat(requested).as("requests to the server").isEmpty();
        assertThat(closed).hasValue(1);
    }

    /** Accepts JSON and finds nothing in it. */
    private static class JsonParser implements Parser {
        @Override
        public boolean accepts(String mediaType) {
            return mediaType.equals("application/json");
        }

        @Override
        public Page parse(Document document) {
            return Page.EMPTY;
        }
    }
}
