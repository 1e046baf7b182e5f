package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.engine.Verification;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Durability;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Sink;
import dev.orbweaver.testing.Eventually;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

/** Pages as handlers and sinks get them, and what is stored of their positions. */
class PageHandlerTest extends CrawledSite {

    private static final int BIG = 3 << 20;

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
        var pages = new ArrayList<String>();
        var stored = new ArrayList<String>();
        var closed = new AtomicInteger();
        run(
                crawler()
                        .onPage(page -> pages.add(page.url()))
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
        assertThat(pages).containsExactly(url("/"), url("/p1"));
        assertThat(parents.get(url("/missing"))).isPositive().isEqualTo(parents.get(url("/p1")));
        assertThat(stored).containsExactlyInAnyOrderElementsOf(kinds.keySet());
        assertThat(closed).hasValue(1);
    }

    @Test
    void attemptsThatAreRetriedAreNoBacklog() throws Exception {
        failures.put("/", 3);
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

    @Test
    void everyHandlerAndSinkHasAPositionOfItsOwn() throws Exception {
        var first = new ArrayList<Long>();
        var second = new ArrayList<Long>();
        var sink = new ListSink();
        var crawler =
                crawler()
                        .onPage("first", page -> first.add(page.sequence()))
                        .onPage("second", page -> second.add(page.sequence()))
                        .sink(sink);
        run(crawler);
        var all = List.copyOf(first);
        assertThat(second).hasSize(12).isEqualTo(all);
        assertThat(sink.sequences).isEqualTo(all);
        first.clear();
        second.clear();
        sink.sequences.clear();
        run(crawler.startAfter("second", all.get(6)).startAfter("list", 0));
        assertThat(first).as("continues at its stored position").isEmpty();
        assertThat(second).isEqualTo(all.subList(7, 12));
        assertThat(sink.sequences).isEqualTo(all);
    }

    private static final class ListSink implements Sink {
        private final List<Long> sequences = new ArrayList<>();
        private int batches;

        @Override
        public String name() {
            return "list";
        }

        @Override
        public void store(List<CrawledPage> batch) {
            batches++;
            batch.forEach(page -> sequences.add(page.sequence()));
        }
    }

    @Test
    void withDurabilityPowerEveryPositionIsSynced() throws Exception {
        assertThat(syncs(crawler().durability(Durability.POWER).onPage(page -> {})))
                .as("synced positions")
                .filteredOn(path -> path.endsWith("pages.position"))
                .hasSizeGreaterThanOrEqualTo(12);
        directory = directory.resolve("second");
        assertThat(syncs(crawler().onPage(page -> {})))
                .noneMatch(path -> path.endsWith("pages.position"));
    }

    /** Runs a crawl and returns the files and directories that were synced meanwhile. */
    private List<String> syncs(CrawlerBuilder builder) throws Exception {
        var file = Files.createTempFile("syncs", ".jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.FileForce").withoutThreshold();
            recording.start();
            run(builder);
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .map(event -> event.getString("path"))
                    .toList();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aSlowSinkHoldsTheCrawlBackToo() throws Exception {
        site(60);
        var mayGoOn = new CountDownLatch(1);
        Sink slow =
                new Sink() {
                    @Override
                    public String name() {
                        return "slow-sink";
                    }

                    @Override
                    public void store(List<CrawledPage> batch) throws InterruptedException {
                        mayGoOn.await();
                    }
                };
        try (var crawl = crawler().maxHandlerLag(10).concurrency(1).sink(slow).open(directory)) {
            var thread = Thread.startVirtualThread(() -> runQuietly(crawl));
            Eventually.until(
                    "the sink is named",
                    () ->
                            crawl.waitingFor()
                                    .filter(why -> why.startsWith("page handler 'slow-sink' is "))
                                    .isPresent());
            Eventually.until("requests end", () -> crawl.inFlight() == 0);
            assertThat(crawl.counts().pages()).isLessThan(30);
            mayGoOn.countDown();
            thread.join();
            assertThat(crawl.counts().pages()).isEqualTo(60);
        }
    }

    @Test
    void aSinkThatFailsStopsTheCrawlAndGetsItsBatchAgain() throws Exception {
        run(crawler());
        var seen = new ArrayList<Long>();
        Sink failing =
                new Sink() {
                    @Override
                    public String name() {
                        return "list";
                    }

                    @Override
                    public void store(List<CrawledPage> batch) throws IOException {
                        batch.forEach(page -> seen.add(page.sequence()));
                        throw new IOException("no connection");
                    }
                };
        assertThatThrownBy(() -> run(crawler().stopOnHandlerFailure(false).sink(failing)))
                .isInstanceOf(PageHandlerException.class)
                .hasRootCauseMessage("no connection");
        var sink = new ListSink();
        run(crawler().sink(sink));
        assertThat(sink.sequences).hasSize(12).isEqualTo(seen);
        assertThat(sink.batches).isEqualTo(1);
    }

    @Test
    void anExceptionStopsTheCrawlAtOnce() throws Exception {
        site(200);
        var crawler =
                crawler()
                        .concurrency(1)
                        .onPage(
                                page -> {
                                    throw new IOException("first page");
                                });
        try (var crawl = crawler.open(directory)) {
            assertThatThrownBy(crawl::run).hasRootCauseMessage("first page");
            assertThat(crawl.counts().pages()).isLessThan(200);
            assertThat(crawl.counts().queued()).isPositive();
        }
    }

    @Test
    void pagesThatWereTakenDownAreNotDelivered() throws Exception {
        run(crawler());
        assertThat(CrawlDirectory.open(directory).takeDown(url("/p1"))).isEqualTo(1);
        var urls = new ArrayList<String>();
        run(crawler().onPage(page -> urls.add(page.url())));
        assertThat(urls).hasSize(11).doesNotContain(url("/p1"));
    }
}
