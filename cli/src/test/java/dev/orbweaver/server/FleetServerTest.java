package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.fleet.FleetJobs;
import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.fleet.WorkerSettings;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** The service over a fleet: a real Redis, real HTTP, other workers. */
@Slow
class FleetServerTest {

    private static final int TIMEOUT_MILLIS = 120_000;

    @TempDir private static Path redisDirectory;
    private static RedisProcess redis;

    @TempDir Path data;
    private String fleetName = "";

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(redisDirectory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void name(TestInfo test) {
        fleetName = test.getTestMethod().orElseThrow().getName().substring(0, 14);
    }

    /** Few shards and short leases, but all the patience that a busy machine needs. */
    private FleetSettings settings(RedisProcess server, String worker) {
        return FleetSettings.of(server.uri(), fleetName, worker)
                .withShards(8)
                .withTimes(Duration.ofSeconds(2), Duration.ofMinutes(10), Duration.ofSeconds(30));
    }

    private static SettingValues quick() {
        return new SettingValues().put("min-free-disk", "0").put("delay", "0");
    }

    private FleetJobs.FleetJobsSettings terms(
            RedisProcess server, SettingValues settingValues, Path... with) {
        return new FleetJobs.FleetJobsSettings(
                settings(server, "service"),
                data.resolve("service"),
                16,
                20,
                true,
                settingValues,
                List.of(with));
    }

    private CrawlServer serve(SettingValues settingValues, Path... with) throws Exception {
        return CrawlServer.start(
                terms(redis, settingValues, with), CrawlServer.HttpSettings.onLoopback(0));
    }

    private static void await(Callable<Boolean> what) throws Exception {
        Eventually.until("what this test waits for", what::call);
    }

    private static boolean is(JsonNode job, String state) {
        return job.path("state").asString().equals(state);
    }

    private static long pages(JsonNode job) {
        return job.path("counts").path("pages").asLong();
    }

    private static HttpURLConnection connect(ApiClient apiClient, int job, long after)
            throws IOException {
        var connection =
                (HttpURLConnection)
                        apiClient.uri("/api/v1/jobs/" + job + "/events").toURL().openConnection();
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setRequestProperty("Last-Event-ID", Long.toString(after));
        return connection;
    }

    /** What is told of a job behind an event, up to its end. */
    private static List<JsonNode> events(ApiClient apiClient, int job, long after)
            throws IOException {
        var connection = connect(apiClient, job, after);
        while (connection.getResponseCode() == 429) { // A test makes more calls than a person.
            LockSupport.parkNanos(
                    Duration.ofSeconds(connection.getHeaderFieldLong("Retry-After", 1)).toNanos());
            connection = connect(apiClient, job, after);
        }
        var events = new ArrayList<JsonNode>();
        try (var in =
                new BufferedReader(
                        new InputStreamReader(
                                connection.getInputStream(), StandardCharsets.UTF_8))) {
            var event = JsonMapper.shared().createObjectNode();
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("event: ")) {
                    event.put("type", line.substring(7));
                } else if (line.startsWith("id: ")) {
                    event.put("id", Long.parseLong(line.substring(4)));
                } else if (line.startsWith("data: ")) {
                    event.set("data", JsonMapper.shared().readTree(line.substring(6)));
                    events.add(event);
                    if (event.path("type").asString().equals("state")
                            && is(event.path("data"), "finished")) {
                        break;
                    }
                    event = JsonMapper.shared().createObjectNode();
                }
            }
        } finally {
            connection.disconnect();
        }
        return events;
    }

    private static List<String> states(List<JsonNode> events) {
        return events.stream()
                .filter(event -> event.path("type").asString().equals("state"))
                .map(event -> event.path("data").path("state").asString())
                .toList();
    }

    @Test
    void aJobIsSentFollowedToItsEndAndShownLikeOneOfThisMachine() throws Exception {
        try (var site = ServedSite.documentation(10);
                var crawlServer = serve(quick());
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{\"max-pages\":500}");
            var ended = apiClient.awaitEnd(job);
            assertThat(is(ended, "finished")).as(ended.toString()).isTrue();
            assertThat(ended.path("reason").asString()).startsWith("All URLs in scope");
            assertThat(pages(ended)).isEqualTo(11);
            assertThat(ended.path("localPages").asLong()).isEqualTo(11);
            assertThat(ended.path("settings").toString()).isEqualTo("{\"max-pages\":500}");
            assertThat(ended.path("started").isString()).isTrue();
            var base = "/api/v1/jobs/" + job;
            var found = apiClient.get(base + "/pages?q=number3");
            assertThat(found.path("total").asInt()).isEqualTo(1);
            var seq = found.path("items").path(0).path("seq").asLong();
            assertThat(apiClient.call("GET", base + "/pages/" + seq + "/markdown").body())
                    .contains("# Chapter 3");
            assertThat(apiClient.get(base + "/tree").path("items")).isNotEmpty();
            assertThat(apiClient.get(base + "/errors").path("total").asInt()).isEqualTo(3);
            assertThat(
                            apiClient
                                    .get(base + "/why?url=" + site.url("/guide/3.html"))
                                    .path("state")
                                    .asString())
                    .isEqualTo("done");
            assertThat(apiClient.call("GET", base + "/exports/jsonl").body().lines()).hasSize(11);
            assertThat(states(events(apiClient, job, 0)))
                    .containsExactly("queued", "running", "finished");
            assertThat(apiClient.get("/api/v1/jobs").path("total").asInt()).isEqualTo(1);
        }
    }

    @Test
    void theSameKeyTwiceIsTheSameJobAndWhatIsTheOperatorsIsForbidden() throws Exception {
        try (var site = ServedSite.documentation(1);
                var crawlServer = serve(quick());
                var apiClient = new ApiClient(crawlServer.port())) {
            var body = "{\"seeds\":[\"%s\"]}".formatted(site.url("/"));
            var ids = new ArrayList<String>();
            for (var status : List.of(202, 200)) {
                var answer =
                        apiClient.send(
                                apiClient
                                        .request("/api/v1/jobs")
                                        .header("Content-Type", "application/json")
                                        .header("Idempotency-Key", "only once")
                                        .POST(BodyPublishers.ofString(body))
                                        .build());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
                ids.add(JsonMapper.shared().readTree(answer.body()).path("id").toString());
            }
            assertThat(ids.getFirst()).isEqualTo(ids.getLast());
            var refused =
                    apiClient.call(
                            "PATCH",
                            "/api/v1/jobs/" + ids.getFirst(),
                            "{\"settings\":{\"proxy\":\"http://127.0.0.1:1\"}}");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("settings.proxy");
        }
    }

    private static boolean hasPages(Path worker, int job) throws IOException {
        var log =
                worker.resolve("jobs")
                        .resolve(Integer.toString(job))
                        .resolve(DirectoryLayout.PAGE_LOG);
        return Files.exists(log) && Files.readString(log).contains("\"kind\":\"page\"");
    }

    @Test
    void aSecondWorkerHelpsAndTheCountsAreTheFleets() throws Exception {
        var spec = WebSpec.light(41, 12, 60).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var other = data.resolve("other");
        Files.createDirectories(other);
        try (var web = LoopbackWeb.serve(spec);
                var crawlServer =
                        serve(
                                quick().put("dns-server", web.nameServer())
                                        .put("retry-delay", "100ms")
                                        .put("error-backoff", "10ms")
                                        .put("delay", "500ms")
                                        .put("delay-ip", "0"),
                                other);
                var apiClient = new ApiClient(crawlServer.port());
                var helper =
                        FleetWorker.join(
                                new WorkerSettings(settings(redis, "helper"), other, 16, true))) {
            var working =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            helper.run();
                                        } catch (InterruptedException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            await(() -> apiClient.get("/api/v1/fleet").path("workers").size() == 2);
            var job = apiClient.submit(web.hub(), "{\"scope\":\"any\"}");
            await(() -> hasPages(other, job) && hasPages(data.resolve("service"), job));
            var faster = "{\"settings\":{\"delay\":\"20ms\"}}";
            assertThat(apiClient.call("PATCH", "/api/v1/jobs/" + job, faster).statusCode())
                    .isEqualTo(200);
            var ended = apiClient.await(job, now -> now.path("ended").isString());
            assertThat(is(ended, "finished")).as(ended.toString()).isTrue();
            assertThat(pages(ended)).isEqualTo(web.truth().pages().size());
            await(() -> helper.status().isEmpty());
            var here = apiClient.get("/api/v1/jobs/" + job).path("localPages").asLong();
            assertThat(here).isBetween(1L, pages(ended) - 1);
            assertThat(
                            apiClient
                                    .call("GET", "/api/v1/jobs/" + job + "/exports/jsonl")
                                    .body()
                                    .lines())
                    .as("with the folder of the other worker")
                    .hasSize(web.truth().pages().size());
            var theirs = new ArrayList<String>();
            PageLog.read(
                    other.resolve("jobs/" + job).resolve(DirectoryLayout.PAGE_LOG),
                    entry -> theirs.add(entry.url()));
            var why =
                    apiClient.get(
                            "/api/v1/jobs/%d/why?url=%s"
                                    .formatted(job, URLEncoder.encode(theirs.getLast(), UTF_8)));
            assertThat(why.path("attempts")).as(why.toString()).isNotEmpty();
            var fleet = apiClient.get("/api/v1/fleet");
            assertThat(fleet.path("mode").asString()).isEqualTo("fleet");
            assertThat(fleet.path("self").asString()).isEqualTo("service");
            assertThat(fleet.path("workers").valueStream().map(each -> each.path("name")))
                    .map(JsonNode::asString)
                    .containsExactly("helper", "service");
            assertThat(fleet.path("shards").size()).isEqualTo(8);
            assertThat(fleet.path("hosts").path("idle").asInt()).isPositive();
            assertThat(fleet.path("redis").path("usedBytes").asLong()).isPositive();
            assertThat(fleet.path("warnings").toString()).contains("no append-only file");
            helper.stop();
            working.join();
        }
    }

    @Test
    void aJobThatVisitsItsPagesAgainSaysThatItHasNoFiguresOfThem() throws Exception {
        try (var site = ServedSite.documentation(3);
                var crawlServer = serve(quick());
                var apiClient = new ApiClient(crawlServer.port())) {
            var once = apiClient.submit(site.url("/number1"), "{\"max-depth\":0}");
            assertThat(apiClient.get("/api/v1/jobs/" + once + "/revisits").path("pages").asInt())
                    .isZero();
            var _ = apiClient.awaitEnd(once);
            var before = site.requests();
            var job = apiClient.submit(site.url("/"), "{\"revisit\":\"1s\"}");
            await(() -> site.requests() > before + 12);
            var refused = apiClient.call("GET", "/api/v1/jobs/" + job + "/revisits");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
            assertThat(refused.body()).contains("because it is a job of a fleet");
            assertThat(apiClient.call("POST", "/api/v1/jobs/" + job + "/stop").statusCode())
                    .isEqualTo(200);
            var _ = apiClient.awaitEnd(job);
        }
    }

    @Test
    void aJobIsPausedResumedStoppedAndTakenUpAgain() throws Exception {
        try (var site = ServedSite.documentation(50);
                var crawlServer = serve(quick().put("delay", "300ms"));
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var path = "/api/v1/jobs/" + job;
            var _ = apiClient.await(job, now -> pages(now) >= 2);
            var paused = apiClient.call("POST", path + "/pause");
            assertThat(paused.body()).contains("\"state\":\"paused\"");
            var _ = apiClient.await(job, now -> now.path("counts").path("leased").asLong() == 0);
            var asked = site.requests();
            Thread.sleep(1_200);
            assertThat(site.requests()).isEqualTo(asked);
            assertThat(apiClient.call("POST", path + "/resume").body())
                    .contains("\"state\":\"running\"");
            await(() -> site.requests() > asked);
            assertThat(apiClient.call("POST", path + "/stop").body())
                    .contains("\"state\":\"stopped\"", "on request");
            assertThat(apiClient.call("POST", path + "/resume").statusCode()).isEqualTo(200);
            var ended = apiClient.await(job, now -> is(now, "finished"));
            assertThat(pages(ended)).isEqualTo(51);
            assertThat(states(events(apiClient, job, 0)).getLast()).isEqualTo("finished");
        }
    }

    @Test
    void otherSettingsAreTakenUpWhileItRunsAndAfterItsEnd() throws Exception {
        try (var site = ServedSite.documentation(80);
                var crawlServer = serve(quick().put("delay", "100ms"));
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var path = "/api/v1/jobs/" + job;
            var _ = apiClient.await(job, now -> pages(now) >= 1);
            var changed = apiClient.call("PATCH", path, "{\"settings\":{\"max-pages\":4}}");
            assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
            var limited = apiClient.await(job, now -> is(now, "finished"));
            assertThat(limited.path("reason").asString()).contains("Page limit reached");
            assertThat(pages(limited)).isBetween(4L, 80L);
            var more = "{\"settings\":{\"max-pages\":500,\"delay\":\"0\"},\"weight\":7}";
            assertThat(apiClient.call("PATCH", path, more).statusCode()).isEqualTo(200);
            assertThat(apiClient.call("POST", path + "/resume").statusCode()).isEqualTo(200);
            var ended = apiClient.await(job, now -> is(now, "finished") && pages(now) == 81);
            assertThat(ended.path("weight").asInt()).isEqualTo(7);
            assertThat(ended.path("reason").asString()).startsWith("All URLs in scope");
        }
    }

    @Test
    void aDeletedJobIsNowhereAnyMore() throws Exception {
        try (var site = ServedSite.documentation(20);
                var fleet = Fleet.open(settings(redis, "visitor"));
                var crawlServer = serve(quick().put("delay", "100ms"));
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var path = "/api/v1/jobs/" + job;
            var _ = apiClient.await(job, now -> pages(now) >= 1);
            assertThat(apiClient.call("DELETE", path).statusCode()).isEqualTo(204);
            assertThat(apiClient.call("GET", path).statusCode()).isEqualTo(404);
            await(() -> fleet.job(new JobId(job)).isEmpty());
            await(() -> !Files.exists(data.resolve("service/jobs").resolve("" + job)));
            assertThat(fleet.ledgers(Instant.now())).isEmpty();
            assertThat(apiClient.get("/api/v1/jobs").path("total").asInt()).isZero();
        }
    }

    @Test
    void afterARestartAllJobsAreThereAndEventIdsContinue() throws Exception {
        try (var site = ServedSite.documentation(20)) {
            int job;
            long last;
            try (var crawlServer = serve(quick().put("delay", "100ms"));
                    var apiClient = new ApiClient(crawlServer.port())) {
                job = apiClient.submit(site.url("/"), "{}");
                var now = apiClient.await(job, each -> pages(each) >= 3);
                last = Long.parseLong(now.path("lastEventId").asString());
            }
            try (var crawlServer = serve(quick());
                    var apiClient = new ApiClient(crawlServer.port())) {
                var events = events(apiClient, job, last);
                var ids =
                        events.stream()
                                .filter(event -> event.has("id"))
                                .map(event -> event.path("id").asLong())
                                .toList();
                assertThat(ids).isSorted().doesNotHaveDuplicates();
                assertThat(ids.getFirst()).isGreaterThan(last);
                assertThat(events.toString()).doesNotContain("\"reset\"");
                assertThat(states(events)).containsExactly("finished");
                assertThat(pages(apiClient.awaitEnd(job))).isEqualTo(21);
                assertThat(apiClient.get("/api/v1/jobs/" + job + "/pages?kind=page").path("total"))
                        .hasToString("21");
            }
        }
    }

    @Test
    void withoutRedisItSaysSoAndGoesOnWhenRedisIsBack(@TempDir Path other) throws Exception {
        var mortal = RedisProcess.start(other, "--appendonly", "yes", "--appendfsync", "always");
        try (var site = ServedSite.documentation(8);
                var crawlServer =
                        CrawlServer.start(
                                terms(mortal, quick().put("delay", "100ms")),
                                CrawlServer.HttpSettings.onLoopback(0));
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var path = "/api/v1/jobs/" + job;
            var _ = apiClient.await(job, now -> pages(now) >= 1);
            assertThat(apiClient.call("GET", "/api/v1/ready").statusCode()).isEqualTo(200);
            mortal.kill();
            await(() -> apiClient.call("GET", path).statusCode() == 503);
            for (var call : List.of("/api/v1/jobs", path + "/pages", "/api/v1/fleet")) {
                var answer = apiClient.call("GET", call);
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                        .startsWith("application/problem+json");
                assertThat(answer.body()).contains("Redis");
            }
            assertThat(apiClient.call("POST", path + "/pause").statusCode()).isEqualTo(503);
            await(() -> apiClient.call("GET", "/api/v1/ready").statusCode() == 503);
            assertThat(apiClient.call("GET", "/api/v1/health").statusCode()).isEqualTo(200);
            mortal.restart();
            await(() -> apiClient.call("GET", path).statusCode() == 200);
            var ended = apiClient.await(job, now -> is(now, "finished"));
            assertThat(pages(ended)).isEqualTo(9);
            assertThat(apiClient.call("GET", "/api/v1/ready").statusCode()).isEqualTo(200);
        } finally {
            mortal.close();
        }
    }

    @Test
    void jobsThatWereSentByTheCommandLineAreShownToo() throws Exception {
        try (var site = ServedSite.documentation(3);
                var fleet = Fleet.open(settings(redis, "visitor"));
                var crawlServer = serve(quick());
                var apiClient = new ApiClient(crawlServer.port())) {
            var config =
                    CrawlConfig.read(
                            quick().put(Settings.SEEDS, List.of(site.url("/")))
                                    .put("max-depth", "1"));
            var job =
                    fleet.submit(
                            "once",
                            YamlFile.write(config.settingValues()),
                            List.of(site.url("/")),
                            Instant.now());
            await(() -> apiClient.call("GET", "/api/v1/jobs/" + job.number()).statusCode() == 200);
            var ended = apiClient.awaitEnd(job.number());
            assertThat(pages(ended)).isEqualTo(4);
            assertThat(ended.path("settings").has("min-free-disk")).isFalse();
            assertThat(ended.path("settings").path("max-depth").asString()).isEqualTo("1");
            assertThat(states(events(apiClient, job.number(), 0)).getLast()).isEqualTo("finished");
        }
    }

    @Test
    void twoServicesOverOneFleetShowTheSameAndOneOfThemCallsTheWebhook() throws Exception {
        var heard = new ConcurrentLinkedQueue<String>();
        var ear = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ear.createContext(
                "/",
                exchange -> {
                    heard.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        ear.start();
        var second =
                new FleetJobs.FleetJobsSettings(
                        settings(redis, "second"),
                        data.resolve("second"),
                        16,
                        20,
                        true,
                        quick(),
                        List.of());
        try (var site = ServedSite.documentation(5);
                var one = serve(quick());
                var two = CrawlServer.start(second, CrawlServer.HttpSettings.onLoopback(0));
                var apiClient = new ApiClient(one.port());
                var other = new ApiClient(two.port())) {
            var sent =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            """
                            {"seeds":["%s"],"webhook":{"url":"http://127.0.0.1:%d/","events":["job.started","job.finished"]}}
                            """
                                    .formatted(site.url("/"), ear.getAddress().getPort()));
            var job = JsonMapper.shared().readTree(sent.body()).path("id").asInt();
            await(() -> other.call("GET", "/api/v1/jobs/" + job).statusCode() == 200);
            var here = apiClient.await(job, now -> is(now, "finished"));
            var there = other.await(job, now -> is(now, "finished"));
            assertThat(there.path("counts")).isEqualTo(here.path("counts"));
            assertThat(there.path("ended")).isEqualTo(here.path("ended"));
            assertThat(pages(there)).isEqualTo(6);
            await(() -> heard.size() > 1);
            Thread.sleep(1_500); // The other service would have sent its own by now.
            assertThat(heard).hasSize(2);
            assertThat(heard).last().asString().contains("job.finished", "\"pages\":6");
            assertThat(other.call("DELETE", "/api/v1/jobs/" + job).statusCode()).isEqualTo(204);
            await(() -> apiClient.call("GET", "/api/v1/jobs/" + job).statusCode() == 404);
        } finally {
            ear.stop(0);
        }
    }

    @Test
    void aDirectoryIsForAFleetOrForThisMachineAlone() throws Exception {
        try (var _ = serve(quick())) {
            assertThat(data.resolve("service/fleet")).exists();
        }
        assertThatThrownBy(() -> ApiClient.serve(data.resolve("service")))
                .hasMessageContaining("jobs of a fleet");
        try (var _ = ApiClient.serve(data.resolve("local"))) {
            assertThat(data.resolve("local/frontier")).exists();
        }
        var fleetJobsSettings = terms(redis, quick());
        var misplaced =
                new FleetJobs.FleetJobsSettings(
                        fleetJobsSettings.fleet(),
                        data.resolve("local"),
                        4,
                        4,
                        true,
                        fleetJobsSettings.settings(),
                        List.of());
        assertThatThrownBy(
                        () -> CrawlServer.start(misplaced, CrawlServer.HttpSettings.onLoopback(0)))
                .hasMessageContaining("without a fleet");
    }
}
