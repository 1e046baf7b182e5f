package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.jobs.JobRules;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** Sites announce changed URLs of a job's host, and prove that they own it. */
class IndexNowTest {

    private static final String KEY = "a1b2c3d4e5";

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;
    private int job;

    @BeforeEach
    void crawlTheFirstPage() throws Exception {
        site = ServedSite.documentation(5);
        crawlServer =
                CrawlServer.start(
                        ApiClient.settings(data),
                        CrawlServer.HttpSettings.onLoopback(0).withIndexNow(true));
        apiClient = new ApiClient(crawlServer.port());
        job = apiClient.submit(site.url("/"), "{\"max-depth\":0}");
        assertThat(apiClient.awaitEnd(job).path("state").asString()).isEqualTo("finished");
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private void keyFile(String path, String content) {
        site.put(path, 200, "text/plain", content, Map.of());
    }

    private HttpResponse<String> push(String key, String rest, String... urls) throws Exception {
        return apiClient.call(
                "POST",
                "/indexnow",
                "{\"host\":\"127.0.0.1\",\"key\":\"%s\"%s,\"urlList\":[\"%s\"]}"
                        .formatted(key, rest, String.join("\",\"", urls)));
    }

    private static String field(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body()).path("field").asString("");
    }

    @Test
    void announcedUrlsAreFetchedAndTheKeyFileIsRequestedOnce() throws Exception {
        keyFile("/" + KEY + ".txt", KEY + "\n");
        var pages = apiClient.awaitEnd(job).path("counts").path("pages").asLong();
        var before = site.requests();
        var first = push(KEY, "", site.url("/guide/1.html"), site.url("/guide/2.html"));
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        var _ = apiClient.await(job, now -> now.path("counts").path("pages").asLong() == pages + 2);
        var _ = apiClient.awaitEnd(job);
        assertThat(site.requests() - before).isEqualTo(3);
        var url = URLEncoder.encode(site.url("/guide/3.html"), StandardCharsets.UTF_8);
        var second = apiClient.call("GET", "/indexnow?url=" + url + "&key=" + KEY);
        assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
        var _ = apiClient.await(job, now -> now.path("counts").path("pages").asLong() == pages + 3);
        assertThat(site.requests() - before).isEqualTo(4);
    }

    @Test
    void aPushOfAKnownPageIsASignalForItsNextVisit() throws Exception {
        keyFile("/" + KEY + ".txt", KEY);
        var page = site.url("/guide/1.html");
        var continuous = apiClient.submit(page, "{\"max-depth\":0,\"revisit\":\"auto\"}");
        var _ = apiClient.await(continuous, now -> now.path("counts").path("pages").asLong() == 1);
        var why =
                "/api/v1/jobs/%d/why?url=%s"
                        .formatted(continuous, URLEncoder.encode(page, StandardCharsets.UTF_8));
        Eventually.until(
                "the page has no signal",
                () -> apiClient.call("GET", why).body().contains(" 0 signals of a change"));
        Eventually.until( // A push in the second of the visit does not count.
                "a push is a signal",
                () -> {
                    assertThat(push(KEY, "", page).statusCode()).isEqualTo(200);
                    return Pattern.compile(" [1-9] signals of a change")
                            .matcher(apiClient.call("GET", why).body())
                            .find();
                });
    }

    @Test
    void aKeyThatTheHostDoesNotProveIsForbiddenAndTheHostIsSpared() throws Exception {
        keyFile("/" + KEY + ".txt", "another-key");
        var before = site.requests();
        assertThat(push(KEY, "", site.url("/guide/1.html")).statusCode()).isEqualTo(403);
        assertThat(push(KEY, "", site.url("/guide/1.html")).statusCode()).isEqualTo(403);
        // Another key is another file, but the host is requested once in ten seconds.
        var other = push("another-key", "", site.url("/guide/1.html"));
        assertThat(other.statusCode()).as(other.body()).isEqualTo(429);
        assertThat(other.headers().firstValue("Retry-After")).isPresent();
        assertThat(site.requests() - before).isEqualTo(1);
    }

    @Test
    void aKeyFileCoversItsDirectoryOnly() throws Exception {
        keyFile("/guide/key.txt", "\ufeff" + KEY + "\r\n");
        var location = ",\"keyLocation\":\"" + site.url("/guide/key.txt") + "\"";
        var outside = push(KEY, location, site.url("/other.html"));
        assertThat(outside.statusCode()).as(outside.body()).isEqualTo(422);
        assertThat(push(KEY, location, site.url("/guide/1.html")).statusCode()).isEqualTo(200);
    }

    @Test
    void aHostWithoutAJobIsNotRequested() throws Exception {
        try (var other = ServedSite.start()) {
            var address = other.url("/x").replace("127.0.0.1", "localhost");
            var body =
                    "{\"host\":\"localhost\",\"key\":\"%s\",\"urlList\":[\"%s\"]}"
                            .formatted(KEY, address);
            var response = apiClient.call("POST", "/indexnow", body);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            assertThat(other.requests()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|422|key",
                "{\"key\":\"short\"}|422|key",
                "{\"key\":\"a1b2c3d4_5\"}|422|key",
                "{\"key\":\"a1b2c3d4e5\"}|400|urlList",
                "{\"key\":\"a1b2c3d4e5\",\"urlList\":[]}|400|urlList",
                "{\"key\":\"a1b2c3d4e5\",\"urlList\":[\"ftp://127.0.0.1/\"]}|400|urlList[0]",
                "{\"key\":\"a1b2c3d4e5\",\"host\":\"a.test\",\"urlList\":[\"http://b.test/\"]}|422|urlList",
                "{\"key\":\"a1b2c3d4e5\",\"host\":\"a.test\",\"urlList\":[\"http://a.test/\"],\"keyLocation\":\"http://b.test/k.txt\"}|422|keyLocation",
                "{\"key\":\"a1b2c3d4e5\",\"host\":\"a.test\",\"urlList\":[\"http://a.test/\"],\"keyLocation\":\"http://a.test/?q=a1b2c3d4e5\"}|422|keyLocation",
                "{\"urls\":[]}|400|urls",
            })
    void anInvalidPushIsRejectedWithItsField(String body, int status, String field)
            throws Exception {
        var response = apiClient.call("POST", "/indexnow", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(field(response)).isEqualTo(field);
    }

    @Test
    void theReceiverIsOffUnlessItIsSwitchedOn() throws Exception {
        try (var off = ApiClient.serve(data.resolve("off"));
                var client = new ApiClient(off.port())) {
            assertThat(client.call("GET", "/indexnow?url=http://a.test/&key=" + KEY).statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void anAddressThatJobsMayNotCrawlIsNotRequestedForAKeyFile() throws Exception {
        keyFile("/" + KEY + ".txt", KEY);
        var before = site.requests();
        var settings = new LocalJobs.LocalJobsSettings(data, 1, 1, false, new SettingValues());
        var now = new AtomicReference<>(Instant.EPOCH);
        try (var keys =
                new IndexNowKeys(
                        JobRules.operatorOnly(settings.settings()).networkSettings(),
                        settings.addresses(),
                        data,
                        now::get)) {
            var file = JobsApi.URLS.parse(site.url("/" + KEY + ".txt")).orElseThrow();
            assertThat(keys.verify(file, KEY)).isEqualTo(IndexNowKeys.Result.INVALID);
        }
        assertThat(site.requests()).isEqualTo(before);
    }
}
