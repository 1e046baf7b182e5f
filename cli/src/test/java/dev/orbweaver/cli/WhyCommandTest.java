package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.explain.UrlExplanation.State;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Explains URLs in every possible state, of finished and of running crawls. */
@Slow
class WhyCommandTest {

    private static final String ROBOTS =
            """
            # keep out
            user-agent: *
            Disallow: /private/  # no business of yours
            sitemap: /map.xml
            """;

    @TempDir Path directory;
    private HttpServer server;
    private final Map<String, Integer> requests = new ConcurrentHashMap<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch holding = new CountDownLatch(1);

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(
                task -> {
                    var _ = Thread.startVirtualThread(task);
                });
        page("/robots.txt", 200, ROBOTS);
        page("/map.xml", 200, "<urlset><url><loc>" + site() + "listed</loc></url></urlset>");
        page(
                "/",
                200,
                "<a href=a>the <b>first</b>\u001b[31m</a><a href=/private/x>secret</a><a"
                    + " href=/old></a><a href=/gone></a><a href=/broken></a><a href=p.zip>zip</a><a"
                    + " rel=nofollow href=http://other.test/>other</a><a href=/nf></a><a"
                    + " href='/a/a/a/a/a/a/a/a/a/a/a/a/a/a/'>trap</a>");
        page("/a", 200, "the end");
        page("/listed", 200, "in the map");
        page("/gone", 410, "");
        page("/broken", 500, "");
        page("/nf", 200, "<meta name=robots content=nofollow><a href=/unfollowed>x</a>");
        page("/hold", 200, "");
        redirect("/old", "/new");
        page("/new", 200, "here now");
        server.start();
    }

    @AfterEach
    void stop() {
        held.countDown();
        server.stop(0);
    }

    private String site() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    private void page(String path, int status, String body) {
        server.createContext(
                path,
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals(path);
                    requests.merge(exchange.getRequestURI().getPath(), 1, Integer::sum);
                    if (path.equals("/hold")) {
                        holding.countDown();
                        waitUntilReleased();
                    }
                    var type = path.endsWith(".xml") ? "text/xml" : "text/html";
                    exchange.getResponseHeaders().add("Content-Type", type);
                    var bytes = body.getBytes(UTF_8);
                    exchange.sendResponseHeaders(found ? status : 404, bytes.length + 1);
                    try (var out = exchange.getResponseBody()) {
                        out.write(bytes);
                        out.write('\n');
                    }
                });
    }

    private void waitUntilReleased() {
        try {
            held.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void redirect(String path, String target) {
        server.createContext(
                path,
                exchange -> {
                    exchange.getResponseHeaders().add("Location", target);
                    exchange.sendResponseHeaders(301, -1);
                    exchange.close();
                });
    }

    private Path crawled(String... more) {
        return crawledInto("site", more);
    }

    private Path crawledInto(String name, String... more) {
        var out = directory.resolve(name);
        var line =
                new ArrayList<>(
                        List.of(
                                "crawl",
                                site(),
                                "--delay",
                                "0",
                                "--error-backoff",
                                "10ms",
                                "--retry-delay",
                                "10ms",
                                "--max-retries",
                                "2",
                                "--out",
                                out.toString()));
        line.addAll(List.of(more));
        var said = CommandResult.run(line.toArray(String[]::new));
        assertThat(said.code()).as(said.err()).isZero();
        return out;
    }

    private UrlExplanation explain(Path out, String url) throws Exception {
        return new StoredCrawl(out, StoredCrawl.open(out, Modules.SETTINGS).config())
                .explain(url)
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | DONE | status 200 | '' | ''",
                "a | DONE | status 200 | anchor | the first[31m",
                "listed | DONE | status 200 | entry | ''",
                "map.xml | DONE | status 200 | '' | ''",
                "robots.txt | DONE | status 200 | '' | ''",
                "old | DONE | status 301, redirects to /new | anchor | ''",
                "new | DONE | status 200 | redirect | ''",
                "gone | DONE | status 410 | anchor | ''",
                "broken | DEAD | server-error: status 500 | anchor | ''",
                "p.zip | REFUSED | extension: the extension zip is skipped | anchor | zip",
                "private/x | REFUSED | robots: line 3: Disallow: /private/  # no business of yours"
                        + " | anchor | secret",
                "unfollowed | REFUSED | nofollow: the page or the link is marked nofollow | anchor"
                        + " | x",
                "never | NEVER_FOUND | no stored page, redirect or sitemap links to it | '' | ''"
            })
    void everyUrlOfAFinishedCrawlIsExplainedCorrectly(
            String path, State state, String because, String how, String anchor) throws Exception {
        var urlExplanation = explain(crawled(), site() + path);
        assertThat(urlExplanation.state()).as(urlExplanation.toString()).isEqualTo(state);
        assertThat(urlExplanation.reason()).isEqualTo(because);
        assertThat(urlExplanation.parent().map(UrlExplanation.Parent::linkType).orElse(""))
                .isEqualTo(how);
        assertThat(urlExplanation.parent().map(it -> it.anchor().replace("\u001b", "")).orElse(""))
                .isEqualTo(anchor);
    }

    @Test
    void otherHostsAreOutsideAndTrapsAreNamed() throws Exception {
        var out = crawled();
        var other = explain(out, "http://other.test/");
        assertThat(other.state()).isEqualTo(State.REFUSED);
        assertThat(other.reason()).isEqualTo("scope: outside 127.0.0.1");
        assertThat(other.scope()).isEqualTo("outside 127.0.0.1");
        var obeying = crawledInto("obeying", "--nofollow", "obey");
        assertThat(explain(obeying, "http://other.test/").reason())
                .isEqualTo("nofollow: the page or the link is marked nofollow");
        assertThat(other.robots().statusText()).isEqualTo("not fetched yet");
        var trap = explain(out, site() + "a/a/a/a/a/a/a/a/a/a/a/a/a/a/");
        assertThat(trap.state()).isEqualTo(State.DEAD);
        assertThat(trap.reason()).startsWith("trap: ").contains("repeat");
    }

    @Test
    void aHostThatIsLeftAloneIsTheReasonAtTheDoorAndInTheQueue() throws Exception {
        var out = directory.resolve("site");
        page("/start", 200, "<a href=http://left.test/x></a>");
        Files.createDirectories(out);
        Files.writeString(out.resolve("excluded-hosts.txt"), "left.test\n");
        var _ =
                CommandResult.run(
                        "crawl",
                        site() + "start",
                        "--scope",
                        "any",
                        "--delay",
                        "0",
                        "--out",
                        out.toString());
        var urlExplanation = explain(out, "http://left.test/x");
        assertThat(urlExplanation.reason())
                .isEqualTo("excluded: its host is on the exclusion list");
        assertThat(urlExplanation.state()).isIn(State.REFUSED, State.WITHDRAWN);
    }

    @Test
    void everyTryIsRecordedWithItsOutcome() throws Exception {
        var urlExplanation = explain(crawled(), site() + "broken");
        assertThat(urlExplanation.attempts())
                .extracting(UrlExplanation.Attempt::outcome)
                .containsExactly("retried", "retried", "failed");
        assertThat(urlExplanation.attempts())
                .extracting(UrlExplanation.Attempt::detail)
                .containsOnly("status 500");
        assertThat(requests.get("/broken")).isEqualTo(3);
    }

    @Test
    void theDecidingRobotsLineIsShownWithItsNumberAndText() throws Exception {
        var out = crawled();
        var forbidden = explain(out, site() + "private/x").robots();
        assertThat(forbidden.allowed()).isFalse();
        assertThat(forbidden.line()).isEqualTo(3);
        assertThat(forbidden.text()).isEqualTo("Disallow: /private/  # no business of yours");
        assertThat(forbidden.file()).isEqualTo(site() + "robots.txt");
        assertThat(forbidden.statusText()).isEqualTo("status 200");
        var allowed = explain(out, site() + "a").robots();
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.line()).isZero();
        var ignoring = crawledInto("ignoring", "--robots", "ignore");
        assertThat(explain(ignoring, site()).robots().statusText()).isEqualTo("ignored");
    }

    @Test
    void aUrlIsFoundUnderEveryFormAndTheNormalisationIsShown() throws Exception {
        var out = crawled("--set", "ignore-tracking=true", "--set", "sort-query=true");
        var spelled = site().replace("http:", "HTTP:") + "x/../%61?utm_source=1&b&a#top";
        var urlExplanation = explain(out, spelled);
        assertThat(urlExplanation.url()).isEqualTo(site() + "%61?utm_source=1&b&a");
        assertThat(urlExplanation.normalForm()).isEqualTo(site() + "a?a&b");
        assertThat(urlExplanation.steps())
                .containsExactly(
                        "removed the fragment, which is never requested: #top",
                        "serialized as in the URL standard: " + urlExplanation.url(),
                        "equivalent escapes and slashes: " + site() + "a?utm_source=1&b&a",
                        "ignore-tracking: " + site() + "a?b&a",
                        "sort-query: " + site() + "a?a&b");
        assertThat(explain(out, site() + "%61").state()).isEqualTo(State.DONE);
    }

    @Test
    void aRunningCrawlShowsLeasedQueuedAndDoneUrls() throws Exception {
        page("/start", 200, "<a href=/hold></a><a href=/a></a><a href=/listed></a>");
        var out = directory.resolve("running");
        var config =
                CrawlConfig.of(site() + "start")
                        .withSetting("delay", "0")
                        .withSetting("sitemaps", "false");
        try (var crawl = CrawlOpener.open(config, out)) {
            var runner = new Thread(() -> runToTheEnd(crawl));
            runner.start();
            holding.await();
            var leased = explain(out, site() + "hold");
            assertThat(leased.state()).isEqualTo(State.LEASED);
            assertThat(leased.parent().orElseThrow().url()).isEqualTo(site() + "start");
            assertThat(explain(out, site() + "start").state()).isEqualTo(State.DONE);
            var first = explain(out, site() + "a");
            assertThat(first.state()).isEqualTo(State.QUEUED);
            assertThat(first.reason()).isEqualTo("position 1 in the queue of its host");
            var second = explain(out, site() + "listed");
            assertThat(second.queue().orElseThrow().ahead()).isEqualTo(1);
            assertThat(CommandResult.run("why", out.toString(), site() + "listed").out())
                    .contains("state     queued: position 2 in the queue of its host", "queue ");
            held.countDown();
            runner.join();
        }
        assertThat(explain(out, site() + "listed").state()).isEqualTo(State.DONE);
    }

    private static void runToTheEnd(OpenCrawl crawl) {
        try {
            var _ = crawl.run();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPlaceInALongQueueHasATimeAndADeadLetterItsCause() throws Exception {
        try (var crawl = ScriptedCrawl.create(directory)) {
            crawl.offer("seed.example", 10);
            crawl.advance(100);
            crawl.failNext(FailureCause.TIMEOUT);
            crawl.advance(100);
            crawl.settle(crawl.lease(), new Outcome.Done(true, 9), new HostSignal.NoRequest());
        }
        var dead = explain(directory, "http://seed.example/0");
        assertThat(dead.state()).isEqualTo(State.DEAD);
        assertThat(dead.reason()).isEqualTo("timeout");
        var queued = explain(directory, "http://seed.example/5").queue().orElseThrow();
        assertThat(queued.ahead()).isEqualTo(3);
        assertThat(queued.delayMs()).isEqualTo(1000);
        assertThat(queued.expectedFetchTime()).isEqualTo(queued.notBefore().plusSeconds(3));
    }

    @Test
    void theLimitOfMatchingUrlsThatRefusedAUrlIsNamed() throws Exception {
        var out = crawled("--max-urls-matching", "/(gone|broken)$ 1");
        assertThat(explain(out, site() + "gone").state()).isEqualTo(State.DONE);
        var urlExplanation = explain(out, site() + "broken");
        assertThat(urlExplanation.state()).isEqualTo(State.REFUSED);
        assertThat(urlExplanation.reason())
                .isEqualTo("match-limit '/(gone|broken)$ 1': the crawl has reached this limit");
    }

    @Test
    void aPageThatWasNotKeptIsWithdrawn() throws Exception {
        page("/noindex", 200, "<meta name=robots content=noindex>");
        var out = crawledInto("kept", "--purpose", "search", site() + "noindex");
        var urlExplanation = explain(out, site() + "noindex");
        assertThat(urlExplanation.state()).isEqualTo(State.WITHDRAWN);
        assertThat(urlExplanation.reason()).isEqualTo("purpose: noindex for search");
        assertThat(urlExplanation.attempts().getFirst().directives()).isEqualTo("noindex");
    }

    @Test
    void asTextAndAsJson() throws Exception {
        var out = crawled();
        var text = CommandResult.run("why", out.toString(), site() + "a");
        assertThat(text.code()).isZero();
        assertThat(text.out())
                .contains("state     done: status 200")
                .contains("found     anchor in " + site() + " (line ")
                .contains("link text \"the first")
                .contains("scope     inside the scope")
                .contains("robots    allowed by " + site() + "robots.txt, no rule matches")
                .contains("attempt   ")
                .doesNotContain("\u001b");
        var json =
                JsonMapper.shared()
                        .readTree(
                                CommandResult.run("why", out.toString(), site() + "p.zip", "--json")
                                        .out());
        assertThat(json.path("state").asString()).isEqualTo("refused");
        assertThat(json.path("parent").path("anchor").asString()).isEqualTo("zip");
        assertThat(json.path("robots").path("allowed").asBoolean()).isTrue();
        var wrong = CommandResult.run("why", out.toString(), "mailto:nobody");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("'mailto:nobody' is not an http or https URL");
    }
}
