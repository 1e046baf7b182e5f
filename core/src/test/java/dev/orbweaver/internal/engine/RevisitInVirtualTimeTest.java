package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** A crawl with {@code --revisit auto} whose clock, and that of its web, a test sets forward. */
@Slow
class RevisitInVirtualTimeTest {

    private static final int SITE = 1;

    /** A feed server says that feeds are XML, as many do. */
    private final Map<String, String> files = new ConcurrentHashMap<>();

    private final long begun = System.nanoTime();
    @TempDir Path directory;
    private LoopbackWeb loopback;
    private HttpServer feeds;
    private CrawlConfig config;
    private @Nullable OpenCrawl open;

    @BeforeEach
    void serve() throws Exception {
        loopback =
                LoopbackWeb.serve(
                        new WebSpec(
                                3,
                                2,
                                24,
                                600,
                                0,
                                0,
                                Set.of(Quirk.SITEMAPS),
                                Set.of(
                                        Hazard.VALIDATORS,
                                        Hazard.CHANGES,
                                        Hazard.BOILERPLATE,
                                        Hazard.SITEMAP_DATES)));
        loopback.server().holdTime();
        feeds = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        feeds.createContext("/", this::respond);
        feeds.start();
        files.put("/note", "<title>note</title><p>A note that is removed later.</p>");
        feed(SimulatedWeb.FIRST_DAY);
        config = loopback.config("seeds=" + feedUrl(), "delay-ip=0", "revisit=auto");
    }

    @AfterEach
    void close() {
        feeds.stop(0);
        loopback.close();
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            var text = files.getOrDefault(exchange.getRequestURI().getPath(), "");
            var body = text.getBytes(UTF_8);
            var type = text.startsWith("<feed") ? "text/xml" : "text/html";
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(
                    body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String front() {
        return loopback.web().frontUrl(SITE, port());
    }

    private String feedUrl() {
        return "http://127.0.0.1:" + feeds.getAddress().getPort() + "/feed";
    }

    private String noteUrl() {
        return feedUrl().replace("/feed", "/note");
    }

    /** A page of the site that the feed lists; the sitemap lists the first five pages. */
    private String inFeed() {
        return loopback.web().url(pages().skip(10).findFirst().orElseThrow(), port());
    }

    private IntStream pages() {
        return IntStream.range(0, loopback.web().pageCount())
                .filter(page -> loopback.web().url(page, port()).startsWith(front()));
    }

    private int port() {
        return loopback.server().port();
    }

    private void feed(Instant updated) {
        files.put(
                "/feed",
                """
                <feed xmlns="http://www.w3.org/2005/Atom"><title>news</title>
                <entry><link href="%s"/><updated>%s</updated></entry>
                <entry><link href="%s"/><updated>2025-01-01T00:00:00Z</updated></entry>
                <entry><link href="%s"/><updated>2025-01-01T00:00:00Z</updated></entry></feed>
                """
                        .formatted(inFeed(), updated, noteUrl(), front()));
    }

    private Instant now() {
        return SimulatedWeb.FIRST_DAY
                .plus(loopback.server().now())
                .plusNanos(System.nanoTime() - begun);
    }

    private OpenCrawl open() throws IOException {
        return CrawlOpener.openBy(
                this::now,
                config,
                directory,
                CrawlListener.NONE,
                CrawlExtensions.NONE,
                new RealDisk());
    }

    private OpenCrawl crawl() {
        return requireNonNull(open);
    }

    private List<PageLogEntry> log() throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    private List<PageLogEntry> visits(String url) throws IOException {
        return log().stream()
                .filter(entry -> entry.url().equals(url) && entry.kind() != Kind.ROBOTS)
                .toList();
    }

    /** Waits until the crawl has made all visits that are due now. */
    private void settle() throws Exception {
        Eventually.until(
                "no page is due at " + now(),
                () -> {
                    var stats = RevisitPlans.statistics(directory, config.revisit(), now());
                    return stats.isPresent()
                            && stats.get().pages() > 0
                            && stats.get().due() == 0
                            && stats.get().queued() == 0
                            && crawl().status().inFlight() == 0
                            && crawl().status().frontier().ledger().queued() == 0;
                });
    }

    private void advance(Duration time) throws Exception {
        loopback.server().advanceTime(time);
        settle();
    }

    /** Reports that a URL has changed, and waits until it has been visited again. */
    private void push(String url) throws Exception {
        var before = visits(url).size();
        crawl().changed(List.of(config.urls().parse(url).orElseThrow()), now());
        awaitVisits(url, before + 1);
    }

    private void awaitVisits(String url, int count) throws Exception {
        Eventually.until(
                "%d visits of %s".formatted(count, url), () -> visits(url).size() >= count);
        settle();
        assertThat(visits(url)).hasSize(count);
    }

    /** Of the first five pages of the site, which the sitemap lists, the one that changes most. */
    private int listedPage() {
        var web = loopback.web();
        return pages().limit(5)
                .boxed()
                .max(Comparator.comparingDouble(web::changesPerDay))
                .orElseThrow();
    }

    /** Returns whether a page has changed since its last visit. */
    private boolean hasChanged(int page, String url) throws IOException {
        var visited = Duration.between(SimulatedWeb.FIRST_DAY, visits(url).getLast().time());
        return loopback.web().version(page, visited)
                < loopback.web().version(page, loopback.server().now());
    }

    /** Returns whether a page was visited within the shortest interval. */
    private boolean isRecent(String url) throws IOException {
        return visits(url).getLast().time().isAfter(now().minus(Duration.ofMinutes(61)));
    }

    private String why(String url) throws IOException {
        var first = visits(url).getFirst().seq();
        // The schedule follows the page log a moment later.
        return Eventually.value(
                        Eventually.LIMIT,
                        "an explanation of " + url,
                        () -> RevisitPlans.nextVisit(directory, config.revisit(), first, now()),
                        Optional::isPresent)
                .orElseThrow()
                .reason();
    }

    private List<String> changes(String url) throws IOException {
        return Files.readAllLines(directory.resolve(DirectoryLayout.CHANGES)).stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .filter(line -> line.path("url").asString().equals(url))
                .map(line -> line.path("kind").asString())
                .toList();
    }

    private void running(Steps steps) throws Exception {
        try (var running = open()) {
            open = running;
            var end = CompletableFuture.supplyAsync(() -> run(running));
            settle();
            steps.run();
            running.stop(Duration.ofSeconds(10));
            assertThat(end.join().reason()).isEqualTo(CrawlEnd.Reason.STOPPED);
        }
    }

    @Test
    void whatWasCommittedLastIsReadAtTheEnd() throws Exception {
        config =
                loopback.config(
                        "seeds=" + front(),
                        "delay-ip=0",
                        "revisit=auto",
                        "max-pages=7",
                        "durability=power");
        try (var limited = open()) {
            assertThat(limited.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
        }
        try (var position = PositionFile.open(directory, DirectoryLayout.REVISITS, false)) {
            assertThat(position.read().seq()).isEqualTo(log().getLast().seq());
        }
        var stats = RevisitPlans.statistics(directory, config.revisit(), now()).orElseThrow();
        assertThat(stats.pages())
                .isEqualTo(
                        log().stream()
                                .filter(
                                        entry ->
                                                entry.kind() == Kind.PAGE
                                                        || entry.kind() == Kind.SITEMAP
                                                        || entry.kind() == Kind.REDIRECT)
                                .count());
    }

    private static CrawlEnd run(OpenCrawl crawl) {
        try {
            return crawl.run();
        } catch (InterruptedException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private interface Steps {
        void run() throws Exception;
    }

    @Test
    void signalsOfFeedSitemapAndPushLeadToVisitsAndGonePagesAreConfirmed() throws Exception {
        running(
                () -> {
                    advance(Duration.ofHours(2));
                    var page = inFeed();
                    assertThat(why(feedUrl())).contains("new pages and changes are known from it");
                    assertThat(why(page)).contains("0 signals").doesNotContain("known from it");

                    // A page that the sitemap says has changed is visited, and its text is new.
                    var listed = listedPage();
                    var url = loopback.web().url(listed, port());
                    var sitemap = front() + "sitemap.xml";
                    while (!hasChanged(listed, url) || isRecent(url) || isRecent(sitemap)) {
                        advance(Duration.ofHours(3));
                    }
                    var before = visits(url).size();
                    var texts = Collections.frequency(changes(url), "text");
                    push(sitemap);
                    awaitVisits(url, before + 1);
                    assertThat(Collections.frequency(changes(url), "text")).isEqualTo(texts + 1);
                    assertThat(why(url)).contains("it changes about every");

                    // The feed has a new date for the page: it is visited, although not due.
                    while (isRecent(page) || isRecent(feedUrl()) || isRecent(noteUrl())) {
                        advance(Duration.ofMinutes(30));
                    }
                    var visits = visits(page).size();
                    feed(now());
                    push(feedUrl());
                    awaitVisits(page, visits + 1);

                    // Not found: confirmed a day later, not earlier.
                    files.remove("/note");
                    push(noteUrl());
                    assertThat(changes(noteUrl())).containsExactly("missing");
                    assertThat(why(noteUrl())).contains("a visit a day later confirms it");
                    var missing = visits(noteUrl()).size();
                    advance(Duration.ofHours(23).plusMinutes(30));
                    assertThat(visits(noteUrl())).hasSize(missing);
                    advance(Duration.ofMinutes(31));
                    awaitVisits(noteUrl(), missing + 1);
                    assertThat(changes(noteUrl())).containsExactly("missing", "gone");
                    assertThat(why(noteUrl())).contains("it was not found twice");
                });
    }
}
