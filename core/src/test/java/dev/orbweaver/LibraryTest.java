package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Settings;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.engine.Verification;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;
import dev.orbweaver.spi.Sink;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

/** The library as a user sees it: public types only. */
class LibraryTest {

    private static final int BIG = 3 << 20;

    @TempDir Path directory;

    private HttpServer server;
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final Map<String, String> codings = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> requested = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    requested.add(path);
                    var body = files.get(path);
                    if (failures.merge(path, -1, Integer::sum) >= 0) {
                        exchange.sendResponseHeaders(503, -1);
                        exchange.close();
                        return;
                    }
                    if (codings.containsKey(path)) {
                        exchange.getResponseHeaders().set("Content-Encoding", codings.get(path));
                    }
                    exchange.getResponseHeaders()
                            .set(
                                    "Content-Type",
                                    path.endsWith(".json") ? "application/json" : "text/html");
                    exchange.sendResponseHeaders(
                            body == null ? 404 : 200,
                            body == null || body.length == 0 ? -1 : body.length);
                    try (var out = exchange.getResponseBody()) {
                        if (body != null) {
                            out.write(body);
                        }
                    }
                });
        server.start();
        site(12);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** A page with links to all others. */
    private void site(int pages) {
        var links = new StringBuilder("<title>home</title>");
        for (var i = 1; i < pages; i++) {
            links.append("<a href='/p").append(i).append("'>p</a>");
            page(
                    "/p" + i,
                    "<title>page %d</title><h1>Name %d</h1><b class=price>%d.50</b>"
                            .formatted(i, i, i));
        }
        page("/", links.toString());
    }

    private void page(String path, String html) {
        files.put(path, html.getBytes(StandardCharsets.UTF_8));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private CrawlerBuilder crawler() {
        return Crawler.builder(url("/")).delay(Duration.ZERO).maxRetries(0).sitemaps(false);
    }

    @CanIgnoreReturnValue
    private CrawlReport run(CrawlerBuilder builder) throws Exception {
        try (var crawl = builder.open(directory)) {
            return crawl.run();
        }
    }

    @Test
    void aHandlerSeesEveryCommittedPageOnceInTheOrderOfTheLog() throws Exception {
        var urls = new ArrayList<String>();
        var sequences = new ArrayList<Long>();
        var report =
                run(
                        crawler()
                                .onPage(
                                        page -> {
                                            urls.add(page.url());
                                            sequences.add(page.sequence());
                                            assertThat(page.kind()).isEqualTo(Kind.PAGE);
                                            assertThat(page.status()).isEqualTo(200);
                                            assertThat(page.document().title())
                                                    .isEqualTo(page.title());
                                        }));
        assertThat(report.end().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        assertThat(urls).hasSize(12).doesNotHaveDuplicates().startsWith(url("/"));
        assertThat(sequences).isSorted();
    }

    @Test
    void deliveryContinuesAfterTheLastAcknowledgedPage() throws Exception {
        var first = new ArrayList<Long>();
        assertThatThrownBy(
                        () ->
                                run(
                                        crawler()
                                                .onPage(
                                                        page -> {
                                                            if (first.size() == 5) {
                                                                throw new IOException("disk full");
                                                            }
                                                            first.add(page.sequence());
                                                        })))
                .isInstanceOf(PageHandlerException.class)
                .hasMessageContaining("page handler 'pages' failed for " + url("/"))
                .hasRootCauseMessage("disk full");
        assertThat(CrawlDirectory.open(directory).report().orElseThrow().end().reason())
                .isEqualTo(CrawlEnd.Reason.HANDLER_FAILED);
        var second = new ArrayList<Long>();
        var report = run(crawler().onPage(page -> second.add(page.sequence())));
        assertThat(report.pages()).isEqualTo(12);
        assertThat(first).hasSize(5);
        assertThat(second).hasSize(7).allMatch(sequence -> sequence > first.getLast());
        var third = new ArrayList<Long>();
        run(crawler().onPage(page -> third.add(page.sequence())));
        assertThat(third).as("a run without new pages").isEmpty();
    }

    @Test
    void aHandlerThatKeepsItsOwnPositionStartsThere() throws Exception {
        var all = new ArrayList<Long>();
        run(crawler().onPage(page -> all.add(page.sequence())));
        var rest = new ArrayList<Long>();
        run(crawler().onPage(page -> rest.add(page.sequence())).startAfter(all.get(3)));
        assertThat(rest).isEqualTo(all.subList(4, all.size()));
        var again = new ArrayList<Long>();
        run(crawler().onPage(page -> again.add(page.sequence())).startAfter(0));
        assertThat(again).isEqualTo(all);
    }

    @Test
    void anExceptionCanBeSkipped() throws Exception {
        var handled = new AtomicInteger();
        var report =
                run(
                        crawler()
                                .stopOnHandlerFailure(false)
                                .onPage(
                                        page -> {
                                            if (handled.incrementAndGet() == 3) {
                                                throw new IllegalStateException("third");
                                            }
                                        }));
        assertThat(report.pages()).isEqualTo(12);
        assertThat(handled).hasValue(12);
    }

    @Test
    void aSlowHandlerHoldsTheCrawlBackAndIsNamed() throws Exception {
        site(200);
        var mayGoOn = new CountDownLatch(1);
        try (var crawl =
                crawler()
                        .maxHandlerLag(20)
                        .concurrency(2)
                        .onPage("slow", page -> mayGoOn.await())
                        .open(directory)) {
            var thread = Thread.startVirtualThread(() -> runQuietly(crawl));
            Eventually.until(
                    "the handler is named",
                    () ->
                            crawl.waitingFor()
                                    .filter(why -> why.startsWith("page handler 'slow' is "))
                                    .isPresent());
            Eventually.until("requests end", () -> crawl.inFlight() == 0);
            var held = crawl.counts().pages();
            assertThat(held).as("pages while the handler is blocked").isBetween(21L, 40L);
            mayGoOn.countDown();
            thread.join();
            assertThat(crawl.counts().pages()).isEqualTo(200);
            assertThat(crawl.waitingFor()).isEmpty();
        }
    }

    private static void runQuietly(RunningCrawl crawl) {
        try {
            var _ = crawl.run();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void bodiesOfAnySizeAreReadable() throws Exception {
        files.put("/p1", ("<title>big</title>" + "x".repeat(BIG)).getBytes(StandardCharsets.UTF_8));
        var sizes = new ConcurrentHashMap<String, Integer>();
        run(
                crawler()
                        .onPage(
                                page -> {
                                    try (var body = page.body()) {
                                        sizes.put(page.url(), body.readAllBytes().length);
                                    }
                                    assertThat(page.header("content-type")).contains("text/html");
                                }));
        assertThat(sizes).containsEntry(url("/p1"), BIG + "<title>big</title>".length());
    }

    @Test
    void resultsIncludeBrokenLinksAndSinksGetBatches() throws Exception {
        page("/", "<a href='/p1'></a><a href='/missing'></a>");
        var kinds = new ConcurrentHashMap<String, Kind>();
        var parents = new ConcurrentHashMap<String, Long>();
        var stored = new ArrayList<String>();
        var closed = new AtomicInteger();
        run(
                crawler()
                        .onResult(
                                "links",
                                page -> {
                                    kinds.put(page.url(), page.kind());
                                    parents.put(page.url(), page.parentSequence());
                                })
                        .sink(
                                new Sink() {
                                    @Override
                                    public String name() {
                                        return "list";
                                    }

                                    @Override
                                    public void store(List<CrawledPage> batch) {
                                        batch.forEach(page -> stored.add(page.url()));
                                    }

                                    @Override
                                    public void close() {
                                        closed.incrementAndGet();
                                    }
                                }));
        assertThat(kinds)
                .containsOnly(
                        Map.entry(url("/"), Kind.PAGE),
                        Map.entry(url("/p1"), Kind.PAGE),
                        Map.entry(url("/missing"), Kind.ERROR));
        assertThat(parents.get(url("/missing"))).isPositive().isEqualTo(parents.get(url("/p1")));
        assertThat(stored).containsExactlyInAnyOrderElementsOf(kinds.keySet());
        assertThat(closed).hasValue(1);
    }

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
                .containsEntry(url("/bad.json"), "truncated");
    }

    @Test
    void settingsAreTypedAndAllProblemsAreReportedTogether() {
        assertThatThrownBy(
                        () ->
                                Crawler.builder("ftp://a.test/")
                                        .maxPages(-1)
                                        .scope(ScopeType.DOMAIN)
                                        .set("max-redirect", "5")
                                        .open(directory))
                .isInstanceOfSatisfying(
                        ConfigException.class, e -> assertThat(e.problems()).hasSize(3));
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
            assertThat(crawl.run().pages()).isEqualTo(9);
        }
        assertThat(Files.readString(directory.resolve("crawl.yaml")))
                .contains("max-pages: \"9\"")
                .contains("concurrency: \"1\"")
                .contains("delay: \"1ms\"");
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
        assertThatThrownBy(() -> CrawlDirectory.open(directory.resolve("none")))
                .hasMessageContaining("has no crawl");
    }

    @Test
    void attemptsThatAreRetriedAreNoBacklog() throws Exception {
        failures.put("/", 6);
        var seen = new ArrayList<String>();
        var report =
                run(
                        crawler()
                                .maxRetries(8)
                                .set("retry-delay", "1ms")
                                .set("error-backoff", "0")
                                .maxHandlerLag(2)
                                .onPage(page -> seen.add(page.url())));
        assertThat(report.pages()).isEqualTo(12);
        assertThat(seen).hasSize(12);
    }

    @Test
    void aBodyWithADamagedCodingEndsAndAnEmptyOneIsEmpty() throws Exception {
        codings.put("/p1", "gzip");
        codings.put("/p2", "gzip");
        codings.put("/p3", "gzip");
        files.put("/p2", new byte[0]);
        var text = "<title>packed</title>" + "y".repeat(300_000);
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        files.put("/p3", packed.toByteArray());
        var sizes = new ConcurrentHashMap<String, Integer>();
        run(
                crawler()
                        .onPage(
                                page -> {
                                    try (var body = page.body()) {
                                        sizes.put(page.url(), body.readAllBytes().length);
                                    }
                                    assertThat(page.text()).isNotNull();
                                }));
        assertThat(sizes)
                .hasSize(12)
                .containsEntry(url("/p1"), 0)
                .containsEntry(url("/p2"), 0)
                .containsEntry(url("/p3"), text.length());
    }

    @Test
    void anErrorOfAHandlerBelongsToItsPage() {
        assertThatThrownBy(
                        () ->
                                run(
                                        crawler()
                                                .onPage(
                                                        page -> {
                                                            throw new AssertionError("mine");
                                                        })))
                .isInstanceOfSatisfying(
                        PageHandlerException.class,
                        e -> {
                            assertThat(e.url()).isEqualTo(url("/"));
                            assertThat(e.sequence()).isPositive();
                        })
                .hasRootCauseMessage("mine");
    }

    @Test
    void aHandlerThatHangsAtTheEndIsNamedAndGivenUpOnStop() throws Exception {
        var never = new CountDownLatch(1);
        try (var crawl =
                crawler()
                        .onPage(
                                page -> {
                                    if (page.url().endsWith("/p3")) {
                                        never.await();
                                    }
                                })
                        .open(directory)) {
            var thread = Thread.startVirtualThread(() -> runQuietly(crawl));
            Eventually.until("all pages", () -> crawl.counts().pages() == 12);
            Eventually.until("the handler is named", () -> crawl.waitingFor().isPresent());
            crawl.stop(Duration.ofMillis(50));
            assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
            never.countDown();
        }
    }

    @Test
    void verificationAcceptsThePositionsOfHandlers() throws Exception {
        run(crawler().onPage(page -> {}));
        assertThat(directory.resolve("sinks/pages.position")).isNotEmptyFile();
        assertThat(damage()).isEmpty();
        Files.write(directory.resolve("sinks/pages.position"), new byte[] {1, 2, 3});
        assertThat(damage()).singleElement().asString().contains("position");
    }

    private List<String> damage() throws IOException {
        var damage = new ArrayList<String>();
        Verification.run(
                directory,
                Settings.CORE,
                new Findings() {
                    @Override
                    public void damage(Path file, long offset, String what) {
                        damage.add(file + " " + what);
                    }

                    @Override
                    public void note(Path file, String what) {}

                    @Override
                    public void checked(long bytes) {}
                });
        return damage;
    }
}
