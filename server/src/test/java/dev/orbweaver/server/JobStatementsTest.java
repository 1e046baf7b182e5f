package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What the service says of a job is true, also after its end and after a restart. */
@Slow
class JobStatementsTest {

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void serve() throws Exception {
        site = ServedSite.documentation(40);
        open();
    }

    private void open() throws Exception {
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    private void restart() throws Exception {
        apiClient.close();
        crawlServer.close();
        open();
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private HttpResponse<String> keyed(String body) throws Exception {
        return apiClient.send(
                apiClient
                        .request("/api/v1/jobs")
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", "once")
                        .POST(BodyPublishers.ofString(body))
                        .build());
    }

    private static String problem(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body()).path("detail").asString();
    }

    @Test
    void theHistoryOfAJobIsKeptAfterItsEndAndARestart() throws Exception {
        var slow = apiClient.submit(site.url("/"), "{\"delay\":\"60ms\"}");
        var _ = apiClient.awaitEnd(slow);
        var fast = apiClient.submit(site.url("/"), "{\"delay\":\"0\"}");
        var _ = apiClient.awaitEnd(fast);
        assertThat(apiClient.get("/api/v1/jobs/" + fast + "/history").path("points").size())
                .as("points of a job that may take less than a second")
                .isGreaterThanOrEqualTo(1);
        restart();
        assertThat(requireAllResponses(slow)).isGreaterThanOrEqualTo(2);
        var _ = requireAllResponses(fast);
    }

    /** Returns the number of points. */
    private int requireAllResponses(int job) throws Exception {
        var points = apiClient.get("/api/v1/jobs/" + job + "/history").path("points");
        long ok = 0;
        long clientErrors = 0;
        for (var point : points) {
            ok += point.path("responses").path("ok").asLong();
            clientErrors += point.path("responses").path("clientErrors").asLong();
        }
        assertThat(ok).isEqualTo(41);
        assertThat(clientErrors).isBetween(3L, 5L); // Three of /gone/, and files of the host.
        assertThat(points.get(points.size() - 1).path("pages").asLong()).isEqualTo(41);
        return points.size();
    }

    @Test
    void progressCountsTowardsTheLimitAndNeverDecreases() throws Exception {
        var limited = apiClient.submit(site.url("/"), "{\"delay\":\"50ms\",\"max-pages\":\"20\"}");
        var open = apiClient.submit(site.url("/"), "{\"delay\":\"50ms\"}");
        var last = new double[2];
        Eventually.until(
                "both jobs have ended",
                () -> {
                    var one = apiClient.get("/api/v1/jobs/" + limited);
                    if (one.path("state").asString().equals("running")) {
                        var goal = one.path("goal");
                        assertThat(goal.path("setting").asString()).isEqualTo("max-pages");
                        assertThat(goal.path("limit").asInt()).isEqualTo(20);
                        assertThat(goal.path("reached").asInt())
                                .isEqualTo(one.path("counts").path("pages").asInt());
                        assertThat(one.path("progress").asDouble())
                                .isEqualTo(Math.min(1, goal.path("reached").asInt() / 20.0))
                                .isGreaterThanOrEqualTo(last[0]);
                    }
                    var other = apiClient.get("/api/v1/jobs/" + open);
                    assertThat(other.path("goal").isNull()).isTrue();
                    assertThat(other.path("progress").asDouble()).isGreaterThanOrEqualTo(last[1]);
                    last[0] = Math.max(last[0], one.path("progress").asDouble());
                    last[1] = other.path("progress").asDouble();
                    return hasEnded(one) && hasEnded(other);
                });
        assertThat(last[0]).isEqualTo(1);
        assertThat(last[1]).isEqualTo(1);
    }

    private static boolean hasEnded(JsonNode job) {
        return job.path("state").asString().equals("finished");
    }

    @Test
    void aHostHasItsDelayWithTheReasonAndItsRobotsTxt() throws Exception {
        var first = apiClient.submit(site.url("/"), "{\"preset\":\"careful\",\"max-pages\":\"1\"}");
        var _ = apiClient.awaitEnd(first);
        var ended =
                Eventually.value(
                        Eventually.LIMIT,
                        "the host is in the index",
                        () -> host(first),
                        found -> found.at("/robots/0/page").asInt() > 0);
        assertThat(ended.path("state").asString()).isEqualTo("idle");
        // The operator of this service sets the delay, which counts above that of the preset.
        assertThat(ended.path("delayMs").asInt()).isZero();
        assertThat(ended.path("delayReason").asString()).isEqualTo("setting");
        assertThat(ended.path("delaySource").asString()).isEqualTo("operator");
        assertThat(ended.at("/robots/0/source").asString()).isEqualTo("fetched");
        var unknown = apiClient.send(apiClient.request("/api/v1/jobs/1/hosts/no.example").build());
        assertThat(problem(unknown, 404)).isEqualTo("Job 1 has no URL of the host no.example.");
    }

    /** Returns the site's host in a job, or the problem as long as the job does not know it. */
    private JsonNode host(int job) throws Exception {
        var name = URI.create(site.url("/")).getHost();
        var response =
                apiClient.send(apiClient.request("/api/v1/jobs/" + job + "/hosts/" + name).build());
        return JsonMapper.shared().readTree(response.body());
    }

    @Test
    void onlyRunningTimeCounts() throws Exception {
        var job = apiClient.submit(site.url("/"), "{\"delay\":\"1h\"}");
        var path = "/api/v1/jobs/" + job;
        var _ = apiClient.await(job, now -> now.path("elapsedMs").asLong() > 0);
        assertThat(apiClient.call("POST", path + "/pause").statusCode()).isEqualTo(200);
        var paused = apiClient.get(path).path("elapsedMs").asLong();
        Thread.sleep(300); // Time in which the job does not run.
        assertThat(apiClient.get(path).path("elapsedMs").asLong()).isEqualTo(paused);
        restart();
        assertThat(apiClient.get(path).path("elapsedMs").asLong()).isEqualTo(paused);
        assertThat(apiClient.call("POST", path + "/resume").statusCode()).isEqualTo(200);
        var _ = apiClient.await(job, now -> now.path("elapsedMs").asLong() > paused);
        apiClient.close();
        crawlServer.close();
        var closedFor = System.nanoTime();
        Thread.sleep(500); // Time in which the service does not run.
        open();
        var down = (System.nanoTime() - closedFor) / 1_000_000;
        var now = apiClient.get(path);
        assertThat(now.path("state").asString()).isEqualTo("running");
        var started = Instant.parse(now.path("started").asString());
        assertThat(now.path("elapsedMs").asLong())
                .isLessThan(Duration.between(started, Instant.now()).toMillis() - 300 - down / 2);
    }

    @Test
    void aCommandThatAnEndedJobCannotObeyIsAConflict() throws Exception {
        var job = apiClient.submit(site.url("/guide/1.html"), "{\"max-depth\":\"0\"}");
        var path = "/api/v1/jobs/" + job;
        var _ = apiClient.awaitEnd(job);
        assertThat(problem(apiClient.call("POST", path + "/pause"), 409))
                .isEqualTo("Job 1 is finished and cannot be paused.");
        assertThat(problem(apiClient.call("POST", path + "/stop"), 409))
                .isEqualTo("Job 1 is finished and cannot be stopped.");
        assertThat(apiClient.get(path).path("state").asString()).isEqualTo("finished");
    }

    @Test
    void aKeyWithAnotherBodyIsRejected() throws Exception {
        var body = "{\"seeds\":[\"%s\"],\"settings\":{\"max-pages\":%d}}";
        assertThat(keyed(body.formatted(site.url("/"), 1)).statusCode()).isEqualTo(202);
        assertThat(keyed(body.formatted(site.url("/"), 1)).statusCode()).isEqualTo(200);
        assertThat(problem(keyed(body.formatted(site.url("/"), 2)), 422))
                .isEqualTo(
                        "Idempotency-Key was sent with another body before, for job 1; use a new"
                                + " key.");
        restart();
        assertThat(keyed(body.formatted(site.url("/"), 1)).statusCode()).isEqualTo(200);
        assertThat(keyed(body.formatted(site.url("/"), 3)).statusCode()).isEqualTo(422);
        assertThat(apiClient.get("/api/v1/jobs").path("total").asInt()).isEqualTo(1);
    }

    @Test
    void invalidJsonIsReportedWithoutWordsOfTheLibrary() throws Exception {
        assertThat(problem(apiClient.call("POST", "/api/v1/jobs", "{\"seeds\":\n  [x]}"), 400))
                .isEqualTo("The body is not valid JSON (line 2, column 4).");
    }

    @Test
    void listsThatDependOnTheIndexSayHowFarItIsBehind() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        var path = "/api/v1/jobs/" + job;
        var _ = apiClient.await(job, now -> now.path("search").path("lag").asInt(-1) == 0);
        for (var list : new String[] {"/pages", "/errors", "/tree"}) {
            assertThat(apiClient.get(path + list).path("indexLag").asInt(-1)).as(list).isZero();
        }
    }
}
