package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** One page per call: content, cache, refusals, and politeness under load. */
@Slow
@Timeout(300)
class ScrapeApiTest {

    private static final Duration DELAY = Duration.ofMillis(20);

    /** The cache, and what the process needs besides. */
    private static final long HEAP_GROWTH_MAX = ScrapeCache.BYTES_MAX + (48L << 20);

    /** The long form has 1,000 calls. */
    private static final int CALLS = Integer.getInteger("orbweaver.scrapes", 200);

    @TempDir Path data;

    private static HttpResponse<String> scrape(ApiClient apiClient, String fields)
            throws Exception {
        return apiClient.call("POST", "/api/v1/scrape", "{" + fields + "}");
    }

    private static String url(ServedSite site, String path) {
        return "\"url\":\"%s\"".formatted(site.url(path));
    }

    private static JsonNode page(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static String problem(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body()).path("detail").asString();
    }

    @Test
    void aPageIsReturnedInEveryForm() throws Exception {
        try (var site = ServedSite.documentation(3);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            site.put("/moved", 301, "text/plain", "", Map.of("Location", "/guide/1.html"));
            var page =
                    page(
                            scrape(
                                    apiClient,
                                    url(site, "/moved")
                                            + ",\"formats\":[\"markdown\",\"html\",\"text\",\"links\",\"metadata\"]"));
            assertThat(page.path("cached").asBoolean()).isFalse();
            assertThat(page.path("markdown").asString()).contains("# Chapter 1", "part number1");
            assertThat(page.path("html").asString()).contains("<h1>Chapter 1</h1>");
            assertThat(page.path("text").asString()).contains("Of silk").doesNotContain("<h1>");
            assertThat(page.path("links").get(0).path("url").asString())
                    .isEqualTo(site.url("/guide/2.html"));
            var metadata = page.path("metadata");
            assertThat(metadata.path("url").asString()).isEqualTo(site.url("/guide/1.html"));
            assertThat(metadata.path("title").asString()).isEqualTo("Chapter 1");
            assertThat(metadata.path("redirects").get(0).path("status").asInt()).isEqualTo(301);
            var few = page(scrape(apiClient, url(site, "/guide/0.html")));
            assertThat(few.propertyNames())
                    .containsExactlyInAnyOrder(
                            "url", "fetchedAt", "cached", "markdown", "metadata");
            assertThat(apiClient.get("/api/v1/jobs").path("total").asInt()).isZero();
            try (var left = Files.list(data.resolve("jobs"))) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void aCachedPageIsReturnedUntilItIsTooOld() throws Exception {
        try (var site = ServedSite.documentation(1);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var request = url(site, "/") + ",\"maxAgeSeconds\":3600";
            var first = page(scrape(apiClient, request));
            var requests = site.requests();
            var second = page(scrape(apiClient, request + ",\"formats\":[\"text\"]"));
            assertThat(second.path("cached").asBoolean()).isTrue();
            assertThat(second.path("fetchedAt")).isEqualTo(first.path("fetchedAt"));
            assertThat(second.path("text").asString()).contains("Home");
            assertThat(site.requests()).isEqualTo(requests);
            var other = request + ",\"settings\":{\"user-agent\":\"Other/1.0\"}";
            assertThat(page(scrape(apiClient, other)).path("cached").asBoolean()).isFalse();
            var again = page(scrape(apiClient, url(site, "/")));
            assertThat(again.path("cached").asBoolean()).as("without maxAgeSeconds").isFalse();
        }
    }

    @Test
    void aPageThatMayNotOrCannotBeFetchedIsAProblem() throws Exception {
        try (var site = ServedSite.documentation(1);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            site.put(
                    "/robots.txt",
                    200,
                    "text/plain",
                    "User-agent: *\nDisallow: /guide/\n",
                    Map.of());
            assertThat(problem(scrape(apiClient, url(site, "/guide/0.html")), 422))
                    .contains("robots: line 2: Disallow: /guide/");
            assertThat(problem(scrape(apiClient, url(site, "/nothing")), 502))
                    .contains("the server responded with status 404");
            assertThat(problem(scrape(apiClient, "\"url\":\"ftp://a.test/\""), 400))
                    .contains("not an http or https URL");
            assertThat(problem(scrape(apiClient, url(site, "/") + ",\"formats\":[\"pdf\"]"), 400))
                    .contains("formats must be a list of names: markdown, html");
            assertThat(problem(scrape(apiClient, url(site, "/") + ",\"age\":1"), 400))
                    .contains("Unknown field 'age'");
            site.respondAfter(3_000);
            assertThat(problem(scrape(apiClient, url(site, "/x") + ",\"timeoutSeconds\":1"), 504))
                    .contains("was not fetched within 1 s");
        }
        var open = ApiClient.settings(data);
        var guarded =
                new LocalJobs.LocalJobsSettings(
                        data, open.concurrency(), open.jobsMax(), false, open.settings());
        try (var site = ServedSite.documentation(1);
                var crawlServer =
                        CrawlServer.start(guarded, CrawlServer.HttpSettings.onLoopback(0));
                var apiClient = new ApiClient(crawlServer.port())) {
            assertThat(problem(scrape(apiClient, url(site, "/")), 400)).contains("--allow-private");
            assertThat(site.requests()).isZero();
        }
    }

    private CrawlServer serve(LoopbackWeb web) throws Exception {
        var settings =
                new SettingValues()
                        .put("dns-server", web.nameServer())
                        .put("min-free-disk", "0")
                        .put("delay", DELAY.toMillis() + "ms")
                        .put("delay-ip", "0");
        var open = CrawlServer.HttpSettings.onLoopback(0);
        return CrawlServer.start(
                new LocalJobs.LocalJobsSettings(data, 64, 50, true, settings),
                new CrawlServer.HttpSettings(
                        open.address(),
                        0,
                        Optional.empty(),
                        1_000_000,
                        open.clientsMax(),
                        open.openJobsMax(),
                        open.heartbeatMillis()));
    }

    private static long heapInUse() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Repeats a call until it is not beyond the limit; returns how often it was. */
    private static int untilFetched(ApiClient apiClient, String url) throws Exception {
        var refused = 0;
        while (true) {
            var response =
                    scrape(
                            apiClient,
                            "\"url\":\"%s\",\"formats\":[\"text\"],\"timeoutSeconds\":120"
                                    .formatted(url));
            if (response.statusCode() != 429) {
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
                return refused;
            }
            refused++;
            Thread.sleep(1_000 * response.headers().firstValueAsLong("Retry-After").orElseThrow());
        }
    }

    @Test
    void manyConcurrentCallsOnTwentyHostsArePoliteAndBounded() throws Exception {
        var spec = WebSpec.light(41, 20, 1_300).without(Quirk.values());
        try (var web = LoopbackWeb.serve(spec);
                var crawlServer = serve(web);
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<>(web.truth().pages());
            Collections.shuffle(all, new Random(41));
            var pages = all.subList(0, CALLS);
            var refused = new AtomicInteger();
            var before = 0L;
            try (var apiClient = new ApiClient(crawlServer.port())) {
                var _ = untilFetched(apiClient, pages.getFirst());
                before = heapInUse();
                var calls = new ArrayList<Future<?>>();
                for (var page : List.copyOf(pages)) {
                    calls.add(
                            callers.submit(
                                    () -> {
                                        refused.addAndGet(untilFetched(apiClient, page));
                                        return null;
                                    }));
                }
                for (var call : calls) {
                    var _ = call.get();
                }
            }
            var growth = heapInUse() - before;
            System.out.println(
                    "ScrapeApiTest: %d calls, %d refused before, the heap grew by %,d bytes"
                            .formatted(CALLS, refused.get(), growth));
            assertThat(refused).hasPositiveValue();
            assertThat(growth).isLessThan(HEAP_GROWTH_MAX);
            var rules =
                    new AuditRules(
                            DELAY, Duration.ZERO, Duration.ZERO, 1, Duration.ofMillis(5), true);
            var audit = web.auditor().report(rules);
            assertThat(audit.isPolite()).as(audit.json()).isTrue();
            assertThat(audit.requests()).isGreaterThan(CALLS);
        }
    }
}
