package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.model.Timings;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.Parser;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The loop and its committer, with misbehaving components. */
@Timeout(60)
class CrawlTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Duration FOREVER = Duration.ofDays(1);

    @TempDir Path directory;

    private final TestFrontier frontier =
            TestFrontier.inMemory(
                    new Politeness(
                            Duration.ZERO, Duration.ZERO, Duration.ZERO, 4, Duration.ofMinutes(10)),
                    Instant.now());
    private final List<Capture> captured = new ArrayList<>();
    private Duration diskRetryTimeout = Duration.ZERO;
    private Sink sink = new MemorySink();
    private Fetcher fetcher = new CannedFetcher();
    private Parser parser = new NoLinks();
    private CrawlSettings.Limits limits =
            new CrawlSettings.Limits(Long.MAX_VALUE, Long.MAX_VALUE, FOREVER);

    private Crawl crawl(int urls) {
        var seeds = new ArrayList<Candidate>();
        for (var i = 0; i < urls; i++) {
            seeds.add(Candidate.seed(url("http://h" + i % 7 + ".example/" + i), false));
        }
        frontier.offer(TestFrontier.JOB, seeds, Instant.now());
        var settings =
                new CrawlSettings(
                        8,
                        false,
                        "orbweaver",
                        true,
                        new RetryPolicy(0, Duration.ZERO),
                        limits,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        diskRetryTimeout,
                        10,
                        1 << 20,
                        TrapSettings.OFF);
        var scope =
                new RuleScope(
                        new ScopeSettings(
                                ScopeType.HOST,
                                List.of(),
                                List.of(),
                                100,
                                Set.of(),
                                false,
                                Set.of(),
                                Long.MAX_VALUE),
                        Set.of());
        return new Crawl(
                settings,
                URLS,
                scope,
                frontier.crawl(TestFrontier.JOB),
                fetcher,
                List.of(parser),
                sink,
                SpaceLimits.UNLIMITED,
                RobotsStore.NO_STORE,
                ParsePool.shared(),
                MonotonicClock.start(InstantSource.system()),
                captured::add,
                PageExtractor.NONE,
                Optional::empty);
    }

    private static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }

    @Test
    void anUnexpectedErrorCostsItsOwnUrlAndNoOther() throws Exception {
        parser =
                new NoLinks() {
                    @Override
                    public Page parse(Document document) {
                        if (document.url().text().endsWith("/13")) {
                            throw new IllegalStateException("thirteen");
                        }
                        if (document.url().text().endsWith("/14")) {
                            throw new StackOverflowError();
                        }
                        return super.parse(document);
                    }
                };
        fetcher =
                new CannedFetcher() {
                    @Override
                    Body body() {
                        return inFile();
                    }
                };
        var crawl = crawl(40);
        assertThat(crawl.run().reason()).isEqualTo(Reason.COMPLETE);
        var stats = frontier.stats();
        assertThat(stats.ledger().pages()).isEqualTo(38);
        assertThat(stats.deadByCause()).containsEntry(FailureCause.PARSE, 2L);
        assertThat(crawl.status().inFlight()).isZero();
        assertThat(captured).hasSize(40);
        assertThat(captured).anySatisfy(c -> assertThat(c.detail()).contains("thirteen"));
        assertThat(files()).isEmpty();
    }

    private Body inFile() {
        try {
            var file = Files.createTempFile(directory, "spill-", ".tmp");
            Files.writeString(file, "<p>hello</p>");
            return new Body.InFile(file, Files.size(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aDiskThatCannotBeWrittenEndsTheCrawlAndBuriesNoUrl() throws Exception {
        sink =
                new MemorySink() {
                    @Override
                    public List<CommittedLength> commit() throws IOException {
                        throw new IOException("no space left");
                    }
                };
        var end = crawl(40).run();
        assertThat(end).isEqualTo(new CrawlEnd(Reason.BROKEN, "no space left"));
        assertThat(frontier.stats().ledger().dead()).isZero();
        assertThat(captured).isEmpty();
    }

    @Test
    void aTemporaryFileThatCannotBeWrittenEndsTheCrawlAndBuriesNoUrl() throws Exception {
        fetcher =
                new CannedFetcher() {
                    @Override
                    FetchResult respond(CrawlUrl url) {
                        return new FetchResult.Failed(
                                url, FailureCause.INTERNAL, "no space left", Instant.now());
                    }
                };
        assertThat(crawl(3).run().reason()).isEqualTo(Reason.BROKEN);
        assertThat(frontier.stats().ledger().dead()).isZero();
    }

    @Test
    void anErrorInTheCommitterEndsTheCrawlAsOurOwn() throws Exception {
        sink =
                new MemorySink() {
                    @Override
                    public long write(PreparedCapture preparedCapture, boolean linksDeferred) {
                        throw new StackOverflowError();
                    }
                };
        assertThat(crawl(40).run().reason()).isEqualTo(Reason.INTERNAL);
    }

    @Test
    void interruptingTheThreadStopsTheCrawlInGoodOrder() throws Exception {
        var begun = new CountDownLatch(1);
        fetcher =
                new CannedFetcher() {
                    @Override
                    FetchResult respond(CrawlUrl url) {
                        begun.countDown();
                        sleep(Duration.ofSeconds(30));
                        return super.respond(url);
                    }
                };
        var crawl = crawl(40);
        var thread = Thread.currentThread();
        Thread.startVirtualThread(
                () -> {
                    try {
                        begun.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    thread.interrupt();
                });
        assertThatThrownBy(crawl::run).isInstanceOf(InterruptedException.class);
        assertThat(frontier.stats().ledger().leased()).isZero();
        assertThat(frontier.stats().ledger().queued()).isEqualTo(40);
    }

    @Test
    void aStopLetsPagesUnderWayFinishWithinTheGraceAndASecondOneDoesNot() throws Exception {
        var begun = new CountDownLatch(1);
        fetcher =
                new CannedFetcher() {
                    @Override
                    FetchResult respond(CrawlUrl url) {
                        begun.countDown();
                        sleep(Duration.ofMillis(url.text().endsWith("/0") ? 300 : 30_000));
                        return super.respond(url);
                    }
                };
        var crawl = crawl(2);
        Thread.startVirtualThread(
                () -> {
                    try {
                        begun.await();
                        crawl.stop(Duration.ofSeconds(20));
                        while (frontier.stats().ledger().done() == 0) {
                            TimeUnit.MILLISECONDS.sleep(5);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    crawl.stop(Duration.ZERO);
                });
        assertThat(crawl.run().reason()).isEqualTo(Reason.STOPPED);
        assertThat(frontier.stats().ledger().done()).isEqualTo(1);
        assertThat(frontier.stats().ledger().queued()).isEqualTo(1);
        assertThat(frontier.stats().ledger().leased()).isZero();
    }

    @Test
    void bytesAndTimeAreLimitsToo() throws Exception {
        limits = new CrawlSettings.Limits(Long.MAX_VALUE, 200, FOREVER);
        assertThat(crawl(40).run().reason()).isEqualTo(Reason.MAX_BYTES);
        fetcher =
                new CannedFetcher() {
                    @Override
                    FetchResult respond(CrawlUrl url) {
                        sleep(Duration.ofMillis(50));
                        return super.respond(url);
                    }
                };
        limits = new CrawlSettings.Limits(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofMillis(1));
        assertThat(crawl(40).run().reason()).isEqualTo(Reason.MAX_TIME);
    }

    @Test
    void aDiskThatIsFullForAWhileIsWaitedFor() throws Exception {
        var refusals = new AtomicInteger();
        var rolledBack = new AtomicInteger();
        sink =
                new MemorySink() {
                    @Override
                    public List<CommittedLength> commit() throws IOException {
                        if (refusals.incrementAndGet() < 4) {
                            throw new IOException("no space left");
                        }
                        return super.commit();
                    }

                    @Override
                    public void rollBack() {
                        rolledBack.incrementAndGet();
                    }
                };
        diskRetryTimeout = FOREVER;
        assertThat(crawl(40).run().reason()).isEqualTo(Reason.COMPLETE);
        assertThat(rolledBack).hasValue(3);
        assertThat(frontier.ledger().done()).isEqualTo(40);
        assertThat(captured).hasSize(40);
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Responds to every request immediately. */
    private static class CannedFetcher implements Fetcher {

        @Override
        public Resolution resolve(CrawlUrl url) {
            return new Resolution.Found(InetAddress.getLoopbackAddress());
        }

        @Override
        public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent) {
            sent.run();
            return respond(url);
        }

        FetchResult respond(CrawlUrl url) {
            var head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
            return new FetchResult.Fetched(
                    new Exchange(
                            url,
                            new byte[0],
                            new ResponseHead(head.getBytes(StandardCharsets.ISO_8859_1), 200),
                            body(),
                            InetAddress.getLoopbackAddress(),
                            new Timings(Instant.now(), Duration.ZERO, Duration.ZERO, Duration.ZERO),
                            Optional.empty()));
        }

        Body body() {
            var html = "<p>hello</p>".getBytes(StandardCharsets.UTF_8);
            return new Body.InMemory(html, html.length);
        }

        @Override
        public Stats stats() {
            return new Stats(0, 0, 0, 0, 0);
        }

        @Override
        public void close() {}
    }

    private static class NoLinks implements Parser {

        @Override
        public boolean accepts(String mediaType) {
            return true;
        }

        @Override
        public Page parse(Document document) {
            return Page.EMPTY;
        }
    }

    private static class MemorySink implements Sink {

        private long sequence;

        @Override
        public PreparedCapture prepare(Capture capture) {
            return new PreparedCapture(capture, Body.EMPTY, "", 0);
        }

        @Override
        public long write(PreparedCapture preparedCapture, boolean linksDeferred) {
            return ++sequence;
        }

        @Override
        public void rollBack() {}

        @Override
        public List<CommittedLength> commit() throws IOException {
            return List.of();
        }

        @Override
        public void close() {}
    }
}
