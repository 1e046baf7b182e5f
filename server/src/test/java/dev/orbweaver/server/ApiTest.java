package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.AccessControl.Access;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Tests every call over real HTTP: success, invalid, not found, not allowed. */
class ApiTest {

    private static final String TOKEN = "a-token-of-some-length";

    @TempDir static Path data;
    @TempDir static Path closedData;
    private static ServedSite site;
    private static CrawlServer crawlServer;
    private static CrawlServer closed;
    private static ApiClient apiClient;
    private static int job;
    private static int page;

    @BeforeAll
    static void crawlASmallSite() throws Exception {
        site = ServedSite.documentation(30);
        site.put("/moved", 301, "text/plain", "", Map.of("Location", "/"));
        var loopback = CrawlServer.HttpSettings.onLoopback(0);
        crawlServer =
                CrawlServer.start(
                        ApiClient.settings(data),
                        new CrawlServer.HttpSettings(
                                loopback.address(),
                                0,
                                Optional.empty(),
                                1_000, // The tests make many calls at once.
                                loopback.clientsMax(),
                                loopback.openJobsMax(),
                                loopback.heartbeatMillis()));
        apiClient = new ApiClient(crawlServer.port());
        job = apiClient.submit(site.url("/"), "{}");
        var done = apiClient.awaitEnd(job);
        assertThat(done.path("state").asString()).as("%s", done).isEqualTo("finished");
        assertThat(
                        apiClient
                                .call(
                                        "POST",
                                        "/api/v1/schedules",
                                        "{\"cron\":\"@yearly\",\"paused\":true,\"job\":{\"seeds\":[\"%s\"]}}"
                                                .formatted(site.url("/")))
                                .statusCode())
                .isEqualTo(201);
        assertThat(apiClient.call("POST", jobs("/exports"), "{\"format\":\"csv\"}").statusCode())
                .isEqualTo(202);
        assertThat(apiClient.call("PUT", "/api/v1/templates/small", "{\"weight\":2}").statusCode())
                .isEqualTo(201);
        Eventually.until(
                "the export is ready",
                () ->
                        apiClient
                                .get(jobs("/exports/tasks/1"))
                                .path("state")
                                .asString()
                                .equals("ready"));
        page =
                apiClient
                        .get(jobs("/pages?q=silk&limit=1"))
                        .path("items")
                        .get(0)
                        .path("seq")
                        .asInt();
        var tokens = Files.writeString(closedData.resolve("tokens"), "# who\nann " + TOKEN + "\n");
        var open = CrawlServer.HttpSettings.onLoopback(0);
        closed =
                CrawlServer.start(
                        ApiClient.settings(closedData.resolve("data")),
                        new CrawlServer.HttpSettings(
                                open.address(),
                                0,
                                Optional.of(tokens),
                                open.callsPerSecond(),
                                open.clientsMax(),
                                open.openJobsMax(),
                                open.heartbeatMillis()));
    }

    @AfterAll
    static void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        closed.close();
        site.close();
    }

    private static String jobs(String rest) {
        return "/api/v1/jobs/" + job + rest;
    }

    private static String filled(String path, int number) {
        return path.replace("{id}", Integer.toString(number))
                .replace("{seq}", Integer.toString(page))
                .replace("{task}", "1")
                .replace("{format}", "csv")
                .replace("{name}", "small")
                .replace("{host}", "127.0.0.1")
                .replace("{delivery}", "none");
    }

    @Test
    void theOpenApiDocumentListsEveryCallAndNoOther() throws Exception {
        var listed = new TreeSet<String>();
        var document = apiClient.get("/api/v1/openapi.json");
        document.path("paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .propertyNames()
                                        .forEach(
                                                method ->
                                                        listed.add(
                                                                method.toUpperCase(Locale.ROOT)
                                                                        + " "
                                                                        + path.getKey())));
        var there = new TreeSet<String>();
        crawlServer.routes().forEach(route -> there.add(route.method() + " " + route.path()));
        assertThat(listed).isEqualTo(there);
    }

    @Test
    void theOpenApiDocumentSaysWhichCallsNeedNoToken() throws Exception {
        var document = apiClient.get("/api/v1/openapi.json");
        for (var route : crawlServer.routes()) {
            var security =
                    document.path("paths")
                            .path(route.path())
                            .path(route.method().toLowerCase(Locale.ROOT))
                            .path("security");
            assertThat(security.isArray() && security.isEmpty())
                    .as("%s %s", route.method(), route.path())
                    .isEqualTo(route.access() == Access.OPEN);
        }
    }

    /** Provokes each error response, so that the document lists no status that cannot occur. */
    @Test
    void theOpenApiDocumentSaysHowCallsAreRefused() throws Exception {
        var document = apiClient.get("/api/v1/openapi.json");
        for (var route : crawlServer.routes()) {
            var call =
                    document.path("paths")
                            .path(route.path())
                            .path(route.method().toLowerCase(Locale.ROOT));
            var listed = names(call.path("responses"));
            assertThat(listed).as("%s", route).contains("403", "421");
            var takesABody = call.has("requestBody");
            assertThat(listed.contains("413")).as("%s", route).isEqualTo(takesABody);
            assertThat(listed.contains("415")).as("%s", route).isEqualTo(takesABody);
            if (takesABody) {
                var response =
                        apiClient.send(
                                apiClient
                                        .request(filled(route.path(), job))
                                        .header("Content-Type", "text/html")
                                        .method(route.method(), BodyPublishers.ofString("{}"))
                                        .build());
                assertThat(response.statusCode()).as("%s", route).isEqualTo(415);
                assertThat(response.body()).contains("Unsupported Media Type");
            }
        }
    }

    @Test
    void responsesMatchTheOpenApiDocument() throws Exception {
        var document = apiClient.get("/api/v1/openapi.json");
        var schema = document.path("components").path("schemas").path("Job").path("properties");
        assertThat(names(apiClient.get(jobs("")))).isEqualTo(names(schema));
        var counts = document.path("components").path("schemas").path("Counts").path("properties");
        assertThat(names(apiClient.get(jobs("")).path("counts"))).isEqualTo(names(counts));
        assertThat(names(apiClient.get(jobs("")).path("waiting")))
                .isEqualTo(names(schema.path("waiting").path("properties")));
        var line = document.path("components").path("schemas").path("PageLine").path("properties");
        assertThat(names(apiClient.get(jobs("/pages")).path("items").get(0)))
                .isEqualTo(names(line));
        var why =
                document.path("components").path("schemas").path("Explanation").path("properties");
        assertThat(names(explain(job, site.url("/")))).isEqualTo(names(why));
        var place =
                document.path("components").path("schemas").path("TreeEntry").path("properties");
        assertThat(names(apiClient.get(jobs("/tree")).path("items").get(0)))
                .isEqualTo(names(place));
        var setting =
                document.path("components").path("schemas").path("Setting").path("properties");
        assertThat(names(apiClient.get("/api/v1/settings").get(0))).isEqualTo(names(setting));
        var worker =
                document.path("components")
                        .path("schemas")
                        .path("Fleet")
                        .at("/properties/workers/items/properties");
        assertThat(names(worker))
                .containsAll(names(apiClient.get("/api/v1/fleet").path("workers").get(0)));
        var link =
                document.path("components")
                        .path("schemas")
                        .path("Page")
                        .at("/allOf/1/properties/linksOut/items/properties");
        assertThat(names(apiClient.get(jobs("/pages/" + page)).path("linksOut").get(0)))
                .isEqualTo(names(link));
    }

    private static Set<String> names(JsonNode object) {
        return new TreeSet<>(object.propertyNames());
    }

    @Test
    void theOpenApiDocumentListsTheQueryParametersOfEveryCall() throws Exception {
        var document = apiClient.get("/api/v1/openapi.json");
        for (var route : crawlServer.routes()) {
            var call =
                    document.path("paths")
                            .path(route.path())
                            .path(route.method().toLowerCase(Locale.ROOT));
            assertThat(
                            call.path("parameters")
                                    .valueStream()
                                    .filter(each -> each.path("in").asString().equals("query"))
                                    .map(each -> each.path("name").asString()))
                    .as("%s", route)
                    .isEqualTo(route.parameters());
            assertThat(names(call.path("responses"))).as("%s", route).contains("400");
        }
    }

    @Test
    void everyCallRejectsAnUnknownQueryParameterAndNamesTheKnownOnes() throws Exception {
        for (var route : crawlServer.routes()) {
            var path = filled(route.path(), job) + "?form=2026-01-01";
            var response = apiClient.call(route.method(), path);
            assertThat(response.statusCode()).as("%s", route).isEqualTo(400);
            assertProblem(response.body(), 400);
            var problem = JsonMapper.shared().readTree(response.body());
            assertThat(problem.path("field").asString()).isEqualTo("form");
            var accepted = String.join(", ", route.parameters());
            assertThat(problem.path("detail").asString())
                    .isEqualTo(
                            "Unknown query parameter 'form'; %s."
                                    .formatted(
                                            accepted.isEmpty()
                                                    ? "this call has none"
                                                    : "expected " + accepted));
        }
        assertThat(apiClient.get(jobs("")).path("state").asString()).isEqualTo("finished");
    }

    @Test
    void pagesAreFoundByTheTimeOfTheirRequest() throws Exception {
        var lines = apiClient.get(jobs("/pages?order=oldest&limit=500")).path("items");
        assertThat(lines.size()).isGreaterThan(30);
        var times =
                lines.valueStream()
                        .map(line -> Instant.parse(line.path("time").asString()))
                        .toList();
        var from = times.get(10);
        var to = times.get(20);
        assertThat(total("?from=" + from + "&to=" + to))
                .isEqualTo(
                        times.stream()
                                .filter(time -> !time.isBefore(from) && time.isBefore(to))
                                .count());
        assertThat(total("?from=" + from))
                .isEqualTo(times.stream().filter(time -> !time.isBefore(from)).count());
        assertThat(total("?to=" + to))
                .isEqualTo(times.stream().filter(time -> time.isBefore(to)).count());
        var sameTime = from.atOffset(ZoneOffset.ofHours(5)).toString();
        assertThat(total("?from=" + sameTime)).isEqualTo(total("?from=" + from));
        assertThat(total("?from=2026-01-01")).isEqualTo(times.size());
        assertThat(total("?to=2026-01-01")).isZero();
        assertThat(total("?from=-999999999-01-01T00:00Z&to=%2B999999999-01-01T00:00Z"))
                .isEqualTo(times.size());
        var errors = apiClient.get(jobs("/errors?to=" + times.getFirst())).path("total");
        assertThat(errors.asInt()).isZero();
    }

    @Test
    void everyGetAndHeadCallResponds() throws Exception {
        for (var route : crawlServer.routes()) {
            if (!route.method().equals("GET")
                    || route.path().endsWith("/events")
                    || route.path().endsWith("/report") // May respond 202 first; JobReportTest.
                    || route.path().endsWith("/diff") // Needs two jobs; JobDiffTest.
                    || route.path().endsWith("/changes/{seq}") // Needs a change; ChangesApiTest.
                    || route.path().equals("/indexnow")) { // Off unless it is switched on.
                continue;
            }
            var path =
                    filled(route.path(), job)
                            + (route.path().endsWith("/why") ? "?url=" + site.url("/") : "");
            var got = apiClient.callWithinRate("GET", path);
            assertThat(got.statusCode()).as("%s: %s", path, got.body()).isEqualTo(200);
            var head = apiClient.callWithinRate("HEAD", path);
            assertThat(head.statusCode()).as("HEAD %s", path).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            assertThat(head.headers().firstValue("Content-Type"))
                    .as("HEAD %s", path)
                    .isEqualTo(got.headers().firstValue("Content-Type"));
        }
    }

    @Test
    void everyCallOfAMissingJobReturns404() throws Exception {
        for (var route : crawlServer.routes()) {
            if (!route.path().contains("{id}")) {
                continue;
            }
            var response = apiClient.call(route.method(), filled(route.path(), 4711), "{}");
            assertThat(response.statusCode()).as("%s", route).isEqualTo(404);
            assertProblem(response.body(), 404);
        }
    }

    @Test
    void everyCallButTheOpenOnesNeedsTheToken() throws Exception {
        try (var stranger = new ApiClient(closed.port());
                var liar =
                        new ApiClient(closed.port(), Optional.of("another-token-of-some-length"));
                var ann = new ApiClient(closed.port(), Optional.of(TOKEN))) {
            var guesses = 0;
            for (var route : closed.routes()) {
                var path = filled(route.path(), 1);
                var wanted = route.access().needsToken();
                if (wanted) {
                    assertThat(stranger.call(route.method(), path, "{}").statusCode())
                            .as("%s", route)
                            .isEqualTo(401);
                    // More wrong tokens would block the right one for a while.
                    if (guesses++ < 10) {
                        assertThat(liar.call(route.method(), path, "{}").statusCode())
                                .as("%s", route)
                                .isEqualTo(401);
                    }
                    assertThat(ann.call(route.method(), path, "{}").statusCode())
                            .as("%s", route)
                            .isIn(200, 400, 404);
                }
            }
        }
    }

    @Test
    void withoutATokenTheResponseIs401WithAHint() throws Exception {
        try (var stranger = new ApiClient(closed.port())) {
            var response = stranger.call("GET", "/api/v1/session");
            assertThat(response.body()).contains("\"tokenRequired\":true", "\"signedIn\":false");
        }
    }

    @Test
    void aSessionIsOpenedWithATokenAndEnded() throws Exception {
        try (var browser = new ApiClient(closed.port())) {
            var opened =
                    browser.call("POST", "/api/v1/session", "{\"token\":\"%s\"}".formatted(TOKEN));
            assertThat(opened.statusCode()).isEqualTo(204);
            var cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(cookie).contains("HttpOnly", "SameSite=Strict").doesNotContain(TOKEN);
            var pair = cookie.substring(0, cookie.indexOf(';'));
            var read =
                    browser.send(
                            browser.request("/api/v1/jobs").header("Cookie", pair).GET().build());
            assertThat(read.statusCode()).isEqualTo(200);
            var _ =
                    browser.send(
                            browser.request("/api/v1/session")
                                    .header("Cookie", pair)
                                    .DELETE()
                                    .build());
            var after =
                    browser.send(
                            browser.request("/api/v1/jobs").header("Cookie", pair).GET().build());
            assertThat(after.statusCode()).isIn(401, 429);
        }
    }

    private static void assertProblem(String body, int status) {
        var problem = JsonMapper.shared().readTree(body);
        assertThat(problem.path("status").asInt()).as(body).isEqualTo(status);
        assertThat(problem.path("detail").asString("")).as(body).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|seeds",
                "{\"seeds\":[]}|seeds",
                "{\"seeds\":\"http://a.test/\"}|seeds",
                "{\"seeds\":[\"http://a.test/\", 7]}|seeds[1]",
                "{\"seeds\":[\"http://a.test/\"],\"sedes\":1}|sedes",
                "{\"seeds\":[\"ftp://a.test/\"]}|seeds[0]",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":[]}|settings",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"max-pages\":\"many\"}}|settings.max-pages",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"max-pages\":[1,2]}}|settings.max-pages",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"max-body\":\"none\"}}|settings.max-body",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"maxpages\":\"1\"}}|settings.maxpages",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"seeds\":[\"http://b.test/\"]}}|settings.seeds",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"allow-private\":\"true\"}}|settings.allow-private",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"dns-server\":\"127.0.0.1:53\"}}|settings.dns-server",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"robots\":\"custom"
                        + " /etc/passwd\"}}|settings.robots",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"robots\":\" CUSTOM"
                        + " /etc/passwd\"}}|settings.robots",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"exclude-hosts\":\"/etc/passwd\"}}|settings.exclude-hosts",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"cookies-file\":\"/etc/passwd\"}}|settings.cookies-file",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"credentials\":[\"http://a.test"
                        + " bearer env:HOME\"]}}|settings.credentials",
                "{\"seeds\":[\"http://a.test/\"],\"settings\":{\"credentials\":[\"http://a.test"
                        + " bearer env:HOME\",\"http://b.test bearer t\"]}}|settings.credentials",
                "{\"seeds\":[\"http://a.test/\"],\"weight\":0}|weight",
                "{\"seeds\":[\"http://a.test/\"],\"preset\":\"nosuch\"}|settings.preset",
                "{\"seeds\":[\"http://a.test/\"],\"preset\":7}|preset",
                "{\"seeds\":[\"http://a.test/\"],\"preset\":null}|preset",
                "{\"seeds\":[\"http://a.test/\"],\"webhook\":{\"url\":\"file:///etc/passwd\",\"secret\":\"12345678\"}}|webhook.url",
                "{\"seeds\":[\"http://a.test/\"],\"webhook\":{\"url\":\"http://a.test/\",\"secret\":\"1234567\"}}|webhook.secret",
                "{\"seeds\":[\"http://a.test/\"],\"webhook\":{\"url\":\"http://a.test/\",\"everyPages\":-1}}|webhook.everyPages",
                "{\"seeds\":[\"http://a.test/\"],\"webhook\":{\"url\":\"http://a.test/\",\"secret\":\"12345678\",\"events\":[]}}|webhook.events"
            })
    void anInvalidJobIsRejectedWithItsField(String body, String field) throws Exception {
        var response = apiClient.call("POST", "/api/v1/jobs", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/problem+json");
        assertThat(JsonMapper.shared().readTree(response.body()).path("field").asString(""))
                .as(response.body())
                .isEqualTo(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"urls\":\"http://a.test/\"}|urls",
                "{\"url\":7}|url",
                "{\"url\":null}|url",
                "{\"cause\":[\"timeout\"]}|cause",
                "{\"cause\":\"time-out\"}|cause",
                "{\"url\":\"http://a.test/\",\"cause\":\"timeout\"}|cause"
            })
    void anInvalidRetryRetriesNothing(String body, String field) throws Exception {
        var response = apiClient.call("POST", jobs("/dead-letters/retry"), body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(JsonMapper.shared().readTree(response.body()).path("field").asString(""))
                .as(response.body())
                .isEqualTo(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%20", "a,", "%E8%9C%98", "%F0%9F%95%B7", "-a%20"})
    void aSearchHasALimitedNumberOfWords(String word) throws Exception {
        var most = apiClient.call("GET", jobs("/pages?kind=page&q=" + word.repeat(256)));
        assertThat(most.statusCode()).as(most.body()).isEqualTo(200);
        for (var path : List.of("/pages?q=", "/errors?q=")) {
            var tooMany = apiClient.call("GET", jobs(path + word.repeat(257)));
            assertThat(tooMany.statusCode()).as(tooMany.body()).isEqualTo(400);
            assertThat(JsonMapper.shared().readTree(tooMany.body()).path("field").asString(""))
                    .isEqualTo("q");
        }
    }

    @Test
    void theMaximumNumberOfWordsWorksWithEveryFilter() throws Exception {
        var different = new StringBuilder("w0");
        for (var i = 1; i < 256; i++) {
            different.append(",w").append(i);
        }
        var filters =
                "&kind=page,redirect,error,failed,withdrawn,robots,sitemap&host=a.test&path=/&status=2xx&after=9&order=newest";
        var response = apiClient.call("GET", jobs("/pages?q=" + different + filters));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/pages?limit=501",
                "/pages?offset=10001",
                "/pages?status=9",
                "/pages?kind=nosuch",
                "/pages?order=odd",
                "/pages?after=x",
                "/pages?from=yesterday",
                "/pages?from=2026-02-30",
                "/pages?to=12:00",
                "/pages?from=2026-01-02&to=2026-01-01",
                "/pages?limit=1&limit=2",
                "/hosts?limit=-1",
                "/hosts?state=asleep",
                "/dead-letters?cause=weather",
                "/why",
                "/why?url=nonsense:"
            })
    void anInvalidQueryIsRejected(String question) throws Exception {
        var response = apiClient.call("GET", jobs(question));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertProblem(response.body(), 400);
    }

    @Test
    void bodiesThatAreNotJsonOrTooLongAreRefused() throws Exception {
        assertThat(apiClient.call("POST", "/api/v1/jobs", "{").statusCode()).isEqualTo(400);
        assertThat(apiClient.call("POST", "/api/v1/jobs", "[]").statusCode()).isEqualTo(400);
        var tooLong = "{\"seeds\":[\"http://a.test/" + "x".repeat(1 << 20) + "\"]}";
        assertThat(apiClient.call("POST", "/api/v1/jobs", tooLong).statusCode()).isEqualTo(413);
        var seeds = "\"http://a.test/\",".repeat(10_001);
        var tooMany = "{\"seeds\":[" + seeds.substring(0, seeds.length() - 1) + "]}";
        var response = apiClient.call("POST", "/api/v1/jobs", tooMany);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(413);
    }

    /** A client that sends its whole body before it reads the response, as many do. */
    @Test
    void theSenderOfABodyThatIsTooLongGetsTheResponse() throws Exception {
        var part = new byte[1 << 20];
        Arrays.fill(part, (byte) ' ');
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port())) {
            var head =
                    "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
                            + 12 * part.length
                            + "\r\nContent-Type: application/json\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            for (var i = 0; i < 12; i++) {
                socket.getOutputStream().write(part);
            }
            var status = new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
            assertThat(status).isEqualTo("HTTP/1.1 413");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2000000\r\nExpect: 100-continue", "20000000"})
    void aBodyThatIsDeclaredTooLongIsRefusedBeforeItIsSent(String length) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port())) {
            var head =
                    "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
                            + length
                            + "\r\nContent-Type: application/json\r\n\r\n";
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            var status = new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
            assertThat(status).isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void notFoundAndMethodNotAllowedAreReported() throws Exception {
        assertProblem(apiClient.call("GET", "/api/v1/nosuch").body(), 404);
        assertProblem(apiClient.call("GET", "/../../etc/passwd").body(), 400);
        assertProblem(apiClient.call("GET", "/%2e%2e/%2e%2e/etc/passwd").body(), 400);
        assertThat(apiClient.call("PUT", "/api/v1/jobs", "{}").statusCode()).isEqualTo(405);
        assertProblem(apiClient.call("GET", jobs("/exports/nosuch")).body(), 404);
        assertProblem(apiClient.call("GET", jobs("/pages/999999")).body(), 404);
        assertProblem(apiClient.call("GET", "/api/v1/jobs/seven").body(), 404);
    }

    @Test
    void pagesAreFoundByWordsStatusHostAndPath() throws Exception {
        assertThat(total("?q=number7")).isEqualTo(1);
        assertThat(total("?q=silk knots")).isEqualTo(30);
        assertThat(total("?q=%22knots%20and%20silk%22")).isZero();
        assertThat(total("?status=404&kind=error")).isEqualTo(3);
        assertThat(total("?kind=page&path=/guide/")).isEqualTo(30);
        assertThat(total("?host=127.0.0.1&kind=page")).isEqualTo(31);
        assertThat(total("?host=other.test")).isZero();
        assertThat(apiClient.get(jobs("/errors")).path("total").asInt()).isEqualTo(3);
    }

    private static long total(String query) throws Exception {
        return apiClient.get(jobs("/pages" + query.replace(" ", "%20"))).path("total").asLong();
    }

    @Test
    void continuingAfterALineReturnsEveryLineOnce() throws Exception {
        var seen = new HashSet<Long>();
        var after = "";
        for (var more = true; more; ) {
            var list = apiClient.get(jobs("/pages?kind=page&limit=7" + after));
            list.path("items")
                    .forEach(each -> assertThat(seen.add(each.path("seq").asLong())).isTrue());
            more = !list.path("next").isNull();
            after = "&after=" + list.path("next").asLong();
        }
        assertThat(seen).hasSize(31);
    }

    @Test
    void aPageIsShownWithItsHeadLinksAndMarkdown() throws Exception {
        var shown = apiClient.get(jobs("/pages/" + page));
        assertThat(shown.path("headers").toString().toLowerCase(Locale.ROOT))
                .contains("content-type");
        assertThat(shown.path("linksOut").size()).isEqualTo(2);
        assertThat(shown.path("linksOut").get(0).path("status").asInt()).isEqualTo(200);
        assertThat(shown.path("linksOut").findValuesAsString("text"))
                .containsExactly("next", "gone");
        assertThat(shown.path("linksIn").toString()).contains(site.url("/"));
        var markdown = apiClient.call("GET", jobs("/pages/" + page + "/markdown")).body();
        assertThat(markdown).contains("# Chapter", "knot(");
        var raw = apiClient.call("GET", jobs("/pages/" + page + "/raw"));
        assertThat(raw.headers().firstValue("Content-Disposition").orElse(""))
                .startsWith("attachment");
        assertThat(raw.headers().firstValue("Content-Type")).contains("application/octet-stream");
        assertThat(raw.body()).contains("<!DOCTYPE html>");
    }

    @Test
    void theSiteTreeCountsThePagesBelow() throws Exception {
        var top = apiClient.get(jobs("/tree")).path("items");
        assertThat(top.size()).isEqualTo(1);
        assertThat(top.get(0).path("pages").asInt()).isEqualTo(31);
        assertThat(top.get(0).path("errors").asInt()).isEqualTo(3);
        var below =
                apiClient
                        .get(jobs("/tree?path=" + top.get(0).path("path").asString()))
                        .path("items");
        assertThat(below.findValuesAsString("name")).containsExactly("gone/", "guide/");
        assertThat(below.get(1).path("pages").asInt()).isEqualTo(30);
        assertThat(below.get(1).path("hasMore").asBoolean()).isTrue();
        assertThat(below.get(1).path("status").isNull()).as("a directory has no status").isTrue();
        assertThat(statuses(below.get(0))).containsOnly(404).hasSize(3);
        assertThat(statuses(below.get(1))).containsOnly(200).hasSize(30);
    }

    private static List<Integer> statuses(JsonNode directory) throws Exception {
        return apiClient
                .get(jobs("/tree?path=" + directory.path("path").asString()))
                .path("items")
                .valueStream()
                .map(leaf -> leaf.path("status").asInt())
                .toList();
    }

    @Test
    void everyExportCanBeDownloaded() throws Exception {
        for (var format : apiClient.get(jobs("/exports")).path("items")) {
            var word = format.path("format").asString();
            var response = apiClient.callWithinRate("GET", jobs("/exports/" + word));
            assertThat(response.statusCode()).as(word).isEqualTo(200);
            assertThat(response.body()).as(word).isNotEmpty();
            assertThat(response.headers().firstValue("Content-Disposition").orElse(""))
                    .contains(format.path("file").asString());
        }
        var scratch = crawlServer.jobs().directory(new JobId(job)).resolve("exports");
        // The last one is deleted after it was sent, which is after the client received it.
        Eventually.until("only the export in the background is left", () -> count(scratch) == 1);
    }

    private static long count(Path directory) throws Exception {
        try (var left = Files.list(directory)) {
            return left.count();
        }
    }

    @Test
    void whyShowsAPathOfReasons() throws Exception {
        var why = apiClient.get(jobs("/why?url=" + site.url("/guide/3.html")));
        assertThat(why.path("state").asString()).isEqualTo("done");
        assertThat(why.path("path").findValuesAsString("title"))
                .containsExactly("found", "scope", "robots", "attempt", "done");
        assertThat(apiClient.get(jobs("/why?url=http://elsewhere.test/")).path("state").asString())
                .isEqualTo("never found");
    }

    @Test
    void thePathOfReasonsBlamesTheScopeOnlyForWhatTheScopeRefused() throws Exception {
        try (var strict = ServedSite.start()) {
            strict.put(
                    "/robots.txt",
                    200,
                    "text/plain",
                    "User-agent: *\nDisallow: /secret/",
                    Map.of());
            strict.html(
                    "/",
                    "Home",
                    "<a href=/secret/plan>plan</a> <a href=http://elsewhere.test/>elsewhere</a>");
            var strictJob = apiClient.submit(strict.url("/"), "{}");
            var _ = apiClient.awaitEnd(strictJob);
            var forbidden = explain(strictJob, strict.url("/secret/plan"));
            assertThat(forbidden.path("state").asString()).isIn("refused", "withdrawn");
            assertThat(passed(forbidden, "scope")).as("%s", forbidden).isTrue();
            assertThat(passed(forbidden, "robots")).as("%s", forbidden).isFalse();
            var outside = explain(strictJob, "http://elsewhere.test/");
            assertThat(outside.path("state").asString()).isEqualTo("refused");
            assertThat(passed(outside, "scope")).as("%s", outside).isFalse();
            assertThat(outside.path("inScope").asBoolean()).isFalse();
        }
    }

    private static JsonNode explain(int of, String url) throws Exception {
        return apiClient.get("/api/v1/jobs/" + of + "/why?url=" + url);
    }

    private static boolean passed(JsonNode why, String title) {
        return why.path("path")
                .valueStream()
                .filter(step -> step.path("title").asString().equals(title))
                .findFirst()
                .orElseThrow()
                .path("ok")
                .asBoolean();
    }

    @Test
    void theSameKeyTwiceIsTheSameJob() throws Exception {
        var body = "{\"seeds\":[\"%s\"]}".formatted(site.url("/guide/1.html"));
        var first = keyed(body, "once");
        var second = keyed(body, "once");
        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(first.headers().firstValue("Location")).isPresent();
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(id(second.body())).isEqualTo(id(first.body()));
        assertThat(id(keyed(body, "twice").body())).isNotEqualTo(id(first.body()));
    }

    private static HttpResponse<String> keyed(String body, String key) throws Exception {
        return apiClient.send(
                apiClient
                        .request("/api/v1/jobs")
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(body))
                        .build());
    }

    private static int id(String job) {
        return JsonMapper.shared().readTree(job).path("id").asInt();
    }

    /** Every listed choice must be accepted, and other values must be rejected. */
    @Test
    void theChoicesOfASettingAreTheAcceptedValues() throws Exception {
        var offered = new TreeSet<String>();
        for (var setting : apiClient.get("/api/v1/settings")) {
            var name = setting.path("name").asString();
            var words = setting.path("choices").valueStream().map(JsonNode::asString).toList();
            assertThat(words.isEmpty() && setting.path("kind").asString().equals("choice"))
                    .as(name)
                    .isFalse();
            if (!words.isEmpty()) {
                offered.add(name);
                assertThat(words).as(name).contains(setting.path("default").asString());
                words.forEach(word -> assertThat(problem(name, word)).as(name).isEmpty());
                assertThat(problem(name, "nosuch")).as(name).isNotEmpty();
            }
        }
        assertThat(offered).contains("scope", "robots", "nofollow", "purpose", "traps");
    }

    private static String problem(String name, String word) {
        try {
            var _ =
                    CrawlConfig.read(
                            new SettingValues().put("seeds", "http://a.test/").put(name, word));
            return "";
        } catch (ConfigException e) {
            return e.summary();
        }
    }

    @Test
    void pagesOfOtherSitesMayNotCall() throws Exception {
        var here = "http://127.0.0.1:" + crawlServer.port();
        for (var origin :
                Set.of(
                        "http://evil.test",
                        "null",
                        here + ".evil.test",
                        "http://127.0.0.1",
                        "http://evil.test/" + here)) {
            var foreign =
                    apiClient.send(
                            apiClient
                                    .request("/api/v1/jobs")
                                    .header("Content-Type", "application/json")
                                    .header("Origin", origin)
                                    .POST(BodyPublishers.ofString("{}"))
                                    .build());
            assertThat(foreign.statusCode()).as(origin).isEqualTo(403);
        }
        var own =
                apiClient.send(
                        apiClient
                                .request("/api/v1/jobs")
                                .header("Content-Type", "application/json")
                                .header("Origin", here)
                                .header("Sec-Fetch-Site", "same-origin")
                                .POST(BodyPublishers.ofString("{}"))
                                .build());
        assertThat(own.statusCode()).as("allowed, but without seeds").isEqualTo(400);
        var hidden =
                apiClient.send(
                        apiClient
                                .request("/api/v1/jobs")
                                .header("Content-Type", "application/json")
                                .header("Sec-Fetch-Site", "cross-site")
                                .POST(BodyPublishers.ofString("{}"))
                                .build());
        assertThat(hidden.statusCode()).isEqualTo(403);
    }

    @Test
    void pagesOfOtherSitesMayNotEvenReadButMayLinkToTheDashboard() throws Exception {
        for (var route : crawlServer.routes()) {
            if (route.method().equals("GET")) {
                var path = filled(route.path(), job);
                assertThat(crossSiteStatus("GET", path)).as(path).isEqualTo(403);
                assertThat(crossSiteStatus("HEAD", path)).as(path).isEqualTo(403);
            }
        }
        assertThat(crossSiteStatus("GET", "/metrics/")).isEqualTo(403);
        assertThat(crossSiteStatus("GET", "/")).isEqualTo(200);
        assertThat(crossSiteStatus("GET", "/index.html")).isEqualTo(200);
    }

    private static int crossSiteStatus(String method, String path) throws Exception {
        return apiClient
                .send(
                        apiClient
                                .request(path)
                                .header("Sec-Fetch-Site", "cross-site")
                                .header("Sec-Fetch-Mode", "navigate")
                                .method(method, BodyPublishers.noBody())
                                .build())
                .statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.test",
                "127.0.0.1.evil.test",
                "10.0.0.1",
                "localhost.evil.test:80",
                "evillocalhost",
                "[2001:db8::1]:80",
                "[::ffff:10.0.0.1]",
                ""
            })
    void anotherNameThanLocalhostIsRefused(String host) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port())) {
            socket.getOutputStream()
                    .write(
                            ("GET /api/v1/jobs HTTP/1.1\r\nHost: "
                                            + host
                                            + "\r\nConnection: close\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            var response =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(response).doesNotStartWith("HTTP/1.1 200").contains("HTTP/1.1 4");
        }
    }

    @Test
    void metricsIncludeLedgerHostsTimesAndTheProcess() throws Exception {
        var text = apiClient.call("GET", "/metrics").body();
        assertThat(text)
                .contains(
                        "orbweaver_pages_total",
                        "orbweaver_urls_queued",
                        "orbweaver_hosts{state=\"waiting\"}",
                        "orbweaver_jobs{state=\"finished\"}",
                        "orbweaver_request_duration_seconds_bucket",
                        "orbweaver_waiting_seconds",
                        "process_cpu_usage",
                        "process_files_open_files",
                        "jvm_memory_used_bytes");
    }

    @Test
    void everyResponseForbidsForeignScripts() throws Exception {
        for (var path :
                Set.of(
                        "/api/v1/jobs",
                        "/api/v1/nosuch",
                        "/metrics",
                        jobs("/pages/" + page + "/raw"))) {
            var headers = apiClient.call("GET", path).headers();
            assertThat(headers.firstValue("Content-Security-Policy").orElse(""))
                    .as(path)
                    .contains("default-src 'none'")
                    .doesNotContain("unsafe");
            assertThat(headers.firstValue("X-Content-Type-Options")).as(path).contains("nosniff");
        }
    }
}
