package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.jobs.LocalJobs.LocalJobsSettings;
import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.CrawlServer;
import dev.orbweaver.server.CrawlServer.HttpSettings;
import dev.orbweaver.server.ServedSite;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code POST /api/v1/map}: the URLs of a site over REST. */
@Slow
@Timeout(60)
class ServiceSiteMapsTest {

    private static final long HANGING_MILLIS = 120_000;

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void serve() throws Exception {
        site = ServedSite.start();
        site.put(
                "/",
                200,
                "text/html",
                """
                <html><link rel=alternate type=application/rss+xml href=/feed>
                <a href=/a>A</a> <a href=https://elsewhere.example/>no</a></html>
                """,
                Map.of());
        site.put("/robots.txt", 200, "text/plain", "Sitemap: /s.xml\nSitemap: /gone\n", Map.of());
        site.put(
                "/s.xml",
                200,
                "text/xml",
                "<urlset><url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>"
                                .formatted(site.url("/a"))
                        + "<url><loc>/b?x=1&amp;y=2</loc></url></urlset>",
                Map.of());
        site.put("/feed", 200, "text/xml", "<rss><item><link>/news</link></item></rss>", Map.of());
        start(true);
    }

    private void start(boolean allowPrivate) throws Exception {
        var operator =
                new SettingValues(Modules.SETTINGS)
                        .put("delay", "1ms")
                        .put("index-delay", "1ms")
                        .put("mongodb", "mongodb://127.0.0.1:1/x")
                        .put("contact", "a@b.test");
        var open = HttpSettings.onLoopback(0);
        crawlServer =
                CrawlServer.start(
                        new LocalJobsSettings(data, 4, 4, allowPrivate, operator),
                        new HttpSettings(
                                open.address(),
                                0,
                                Optional.empty(),
                                open.callsPerSecond(),
                                open.clientsMax(),
                                open.openJobsMax(),
                                50),
                        Optional.of(new ServiceSiteMaps()));
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private HttpResponse<String> map(String fields) throws Exception {
        return apiClient.call("POST", "/api/v1/map", body(fields));
    }

    private String body(String fields) {
        return "{\"url\":\"%s\"%s}".formatted(site.url("/"), fields);
    }

    private static JsonNode json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    @Test
    void everyUrlIsListedOnceWithItsSourcesAndDate() throws Exception {
        var map = json(map(""));

        assertThat(map.path("items").valueStream().map(JsonNode::toString))
                .containsExactly(
                        "{\"url\":\"%s\",\"sources\":[\"link\"]}".formatted(site.url("/")),
                        "{\"url\":\"%s\",\"sources\":[\"link\"]}".formatted(site.url("/feed")),
                        "{\"url\":\"%s\",\"sources\":[\"link\",\"sitemap\"],\"lastmod\":\"2026-01-02T00:00:00Z\"}"
                                .formatted(site.url("/a")),
                        "{\"url\":\"%s\",\"sources\":[\"sitemap\"]}"
                                .formatted(site.url("/b?x=1&y=2")),
                        "{\"url\":\"%s\",\"sources\":[\"feed\"]}".formatted(site.url("/news")));
        assertThat(map.path("total").asInt()).isEqualTo(5);
        assertThat(map.path("complete").asBoolean()).isTrue();
        assertThat(map.path("warnings").valueStream().map(JsonNode::asString))
                .containsExactly(
                        "sitemap: " + site.url("/gone") + ": status 404; 2 URLs were read");
    }

    @Test
    void theFormatIsThatOfTheRequest() throws Exception {
        var text = map(",\"format\":\"text\",\"maxUrls\":2");
        assertThat(text.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
        assertThat(text.body().lines().filter(line -> !line.isEmpty()))
                .startsWith(site.url("/"), site.url("/feed"))
                .contains(
                        "# warning: there are more than 2 URLs; the others are not listed, use"
                                + " maxUrls for more");

        var lines = map(",\"format\":\"jsonl\"").body().lines().filter(line -> !line.isEmpty());
        assertThat(lines.map(JsonMapper.shared()::readTree))
                .filteredOn(line -> line.path("url").asString("").equals(site.url("/news")))
                .hasSize(1);
        assertThat(map(",\"format\":\"sitemap\"").body())
                .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=")
                .contains("<url><loc>" + site.url("/b?x=1&amp;y=2") + "</loc></url>")
                .endsWith("</urlset>\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"url\":\"ftp://a.test/\"|url",
                "\"url\":\"http://u:p@a.test/\"|url",
                "\"url\":\"http://169.254.169.254/\"|url",
                "\"url\":\"http://a.test/\",\"depth\":11|depth",
                "\"url\":\"http://a.test/\",\"maxUrls\":0|maxUrls",
                "\"url\":\"http://a.test/\",\"index\":[\"google\"]|index",
                "\"url\":\"http://a.test/\",\"format\":\"csv\"|format",
                "\"url\":\"http://a.test/\",\"sites\":1|sites",
                "\"url\":\"http://a.test/\",\"settings\":{\"allow-private\":true}|settings.allow-private",
                "\"url\":\"http://a.test/\",\"settings\":{\"ct-endpoint\":\"http://b.test/\"}|settings.ct-endpoint",
                "\"url\":\"http://a.test/\",\"settings\":{\"timeout\":\"1h\"}|settings.timeout",
            })
    void anInvalidRequestIsRejectedWithItsField(String fields, String field) throws Exception {
        var response = apiClient.call("POST", "/api/v1/map", "{" + fields + "}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(JsonMapper.shared().readTree(response.body()).path("field").asString(""))
                .isEqualTo(field);
        assertThat(site.requests()).isZero();
    }

    @Test
    void privateAddressesNeedTheOperatorsPermission() throws Exception {
        close();
        start(false);

        var response = map("");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("the operator can allow it with --allow-addresses");
        assertThat(site.requests()).isZero();
    }

    @Test
    void theTimeLimitEndsAMapThatHangs() throws Exception {
        site.respondAfter(HANGING_MILLIS);

        var map = json(map(",\"settings\":{\"max-time\":\"1s\"}"));

        assertThat(map.path("complete").asBoolean()).isFalse();
        assertThat(map.path("warnings").toString())
                .contains("the time limit of 1 s is reached; the list is incomplete");
    }

    @Test
    void moreMapsThanAllowedAreRejectedUntilAClientLeaves() throws Exception {
        site.respondAfter(HANGING_MILLIS);
        var clients = new ArrayList<>(List.of(openMap(), openMap()));

        var rejected = map("");

        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(rejected.body())
                .contains("The limit of concurrent maps, in total or for this caller, is reached");
        for (var client : clients) {
            client.close();
        }
        var _ =
                Eventually.<HttpResponse<String>, Exception>value(
                        Duration.ofSeconds(20),
                        "the maps of the clients that left have ended",
                        () -> map(",\"settings\":{\"max-time\":\"1s\"}"),
                        response -> response.statusCode() == 200);
    }

    /** Sends a request, and returns once its response has begun. */
    private Socket openMap() throws Exception {
        var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port());
        var body = body("");
        var request =
                """
                POST /api/v1/map HTTP/1.1
                Host: 127.0.0.1
                Content-Type: application/json
                Content-Length: %d

                %s\
                """
                        .formatted(body.length(), body);
        socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(UTF_8));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        return socket;
    }
}
