package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.temporal.ChronoUnit.SECONDS;

import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;

/** Schedules over REST, with a service that crawls. */
class SchedulesApiTest {

    private static final String ALL = "/api/v1/schedules";

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void start() throws Exception {
        site = ServedSite.documentation(3);
        open();
    }

    private void open() throws Exception {
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private JsonNode call(String method, String path, String body, int status) throws Exception {
        var response =
                body.isEmpty() ? apiClient.call(method, path) : apiClient.call(method, path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body().isEmpty()
                ? JsonMapper.shared().createObjectNode()
                : JsonMapper.shared().readTree(response.body());
    }

    private JsonNode create(String timetable) throws Exception {
        return call(
                "POST",
                ALL,
                "{%s,\"name\":\"docs\",\"job\":{\"seeds\":[\"%s\"],\"settings\":{\"max-depth\":0}}}"
                        .formatted(timetable, site.url("/")),
                201);
    }

    private JsonNode await(int id, Predicate<JsonNode> wanted) throws Exception {
        return Eventually.<JsonNode, Exception>value(
                Duration.ofMinutes(1),
                "schedule " + id + " in the expected state",
                () -> apiClient.get(ALL + "/" + id),
                wanted);
    }

    private int jobs() throws Exception {
        return apiClient.get("/api/v1/jobs").path("total").asInt();
    }

    @Test
    void aPlannedRunStartsOneJobAndNoOtherAfterARestart() throws Exception {
        var from = Instant.now().truncatedTo(SECONDS).plusSeconds(2);
        var id = create("\"every\":\"1h\",\"from\":\"" + from + "\"").path("id").asInt();
        var run = await(id, each -> each.has("lastRun")).path("lastRun");
        assertThat(run.path("at").asString()).isEqualTo(from.toString());
        assertThat(run.path("outcome").asString()).isEqualTo("started");
        assertThat(apiClient.awaitEnd(run.path("job").asInt()).path("state").asString())
                .isEqualTo("finished");
        apiClient.close();
        crawlServer.close();
        open();
        var after = apiClient.get(ALL + "/" + id);
        assertThat(after.path("next").asString()).isEqualTo(from.plusSeconds(3_600).toString());
        assertThat(after.path("lastRun").path("state").asString()).isEqualTo("finished");
        assertThat(apiClient.get(ALL + "/" + id + "/runs").path("total").asInt()).isEqualTo(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aRunOnRequestWaitsOrIsRefusedWhileTheJobOfTheLastOneIsOpen() throws Exception {
        site.respondAfter(1_500);
        var id = create("\"cron\":\"@yearly\",\"overlap\":\"skip\"").path("id").asInt();
        var first = call("POST", ALL + "/" + id + "/run", "", 202).path("lastRun");
        assertThat(first.path("manual").asBoolean()).isTrue();
        var refused = call("POST", ALL + "/" + id + "/run", "", 409);
        assertThat(refused.path("detail").asString())
                .isEqualTo("Job 1 had not ended. Wait until it ends, or stop it.");
        var _ = call("PATCH", ALL + "/" + id, "{\"overlap\":\"queue\"}", 200);
        assertThat(call("POST", ALL + "/" + id + "/run", "", 202).has("waiting")).isTrue();
        site.respondAfter(0);
        var last = await(id, each -> each.path("lastRun").path("job").asInt() == 2);
        assertThat(last.has("waiting")).isFalse();
        assertThat(jobs()).isEqualTo(2);
    }

    @Test
    void aRunWithRecrawlVisitsTheJobOfTheLastOneAgainUnlessTheTemplateWasChanged()
            throws Exception {
        site.html("/", "Home", "<p>The text of the first run.");
        var id = create("\"cron\":\"@yearly\",\"recrawl\":true").path("id").asInt();
        var _ = call("POST", ALL + "/" + id + "/run", "", 202);
        var _ = apiClient.awaitEnd(1);
        var since = Instant.now();
        site.html("/", "Home", "<p>The text of the second run.");
        var second = call("POST", ALL + "/" + id + "/run", "", 202).path("lastRun");
        assertThat(second.path("job").asInt()).isEqualTo(1);
        assertThat(second.path("outcome").asString()).isEqualTo("started");
        assertThat(apiClient.awaitEnd(1).path("state").asString()).isEqualTo("finished");
        var changes =
                Eventually.<JsonNode, Exception>value(
                        Duration.ofMinutes(1),
                        "the changes",
                        () -> apiClient.get("/api/v1/jobs/1/diff?since=" + since),
                        found -> found.has("counts"));
        assertThat(changes.at("/counts/changed").asInt()).isEqualTo(1);
        assertThat(changes.at("/items/0/added").toString()).contains("text of the second run");
        assertThat(call("POST", "/api/v1/jobs/1/recrawl", "{\"olderThan\":\"1d\"}", 202))
                .hasToString("{\"listed\":0,\"pending\":0}");
        assertThat(call("POST", "/api/v1/jobs/1/recrawl", "{}", 202).path("listed").asInt())
                .isPositive();
        var _ = apiClient.awaitEnd(1);
        var visits =
                Eventually.<JsonNode, Exception>value(
                        Duration.ofMinutes(1),
                        "the index has three visits",
                        () -> apiClient.get("/api/v1/jobs/1/pages?url=" + site.url("/")),
                        found -> found.path("total").asInt() >= 3);
        assertThat(visits.path("total").asInt()).isEqualTo(3);
        var wrong = call("POST", "/api/v1/jobs/1/recrawl", "{\"olderThan\":\"soon\"}", 400);
        assertThat(wrong.path("field").asString()).isEqualTo("olderThan");
        var template = "{\"job\":{\"seeds\":[\"%s\"]}}".formatted(site.url("/guide/1.html"));
        var _ = call("PATCH", ALL + "/" + id, template, 200);
        var third = call("POST", ALL + "/" + id + "/run", "", 202).path("lastRun");
        assertThat(third.path("job").asInt()).isEqualTo(2);
    }

    @Test
    void aScheduleCanBePausedChangedAndDeleted() throws Exception {
        var created = create("\"cron\":\"30 4 * * mon\",\"zone\":\"Europe/Berlin\"");
        var id = created.path("id").asInt();
        assertThat(created.path("missed").asString()).isEqualTo("catch-up");
        assertThat(created.path("job").path("settings").path("max-depth").asInt()).isZero();
        assertThat(Instant.parse(created.path("next").asString())).isAfter(Instant.now());
        var paused = call("PATCH", ALL + "/" + id, "{\"paused\":true}", 200);
        assertThat(paused.has("next")).isFalse();
        assertThat(paused.path("cron").asString()).isEqualTo("30 4 * * mon");
        var changed = call("PATCH", ALL + "/" + id, "{\"every\":\"36h\",\"paused\":false}", 200);
        assertThat(changed.path("every").asString()).isEqualTo("36h");
        assertThat(changed.has("cron")).isFalse();
        assertThat(changed.has("next")).isTrue();
        var _ = call("DELETE", ALL + "/" + id, "", 204);
        var _ = call("GET", ALL + "/" + id, "", 404);
        assertThat(create("\"cron\":\"@daily\"").path("id").asInt()).isEqualTo(id + 1);
    }

    @Test
    void aSecondScheduleOfTheSameNameIsAConflict() throws Exception {
        var _ = create("\"cron\":\"@daily\"");
        var body =
                "{\"cron\":\"@daily\",\"name\":\"docs\",\"job\":{\"seeds\":[\"%s\"]}}"
                        .formatted(site.url("/"));
        var problem = call("POST", ALL, body, 409);
        assertThat(problem.path("detail").asString())
                .isEqualTo("Schedule 1 has the name 'docs'; choose another name.");
    }

    @Test
    void secretsOfTheJobAreNotShown() throws Exception {
        var body =
                "{\"cron\":\"@daily\",\"job\":{\"seeds\":[\"%s\"],\"settings\":{\"credentials\":\"http://127.0.0.1 basic user:topsecret\"},\"webhook\":{\"url\":\"%s\",\"secret\":\"othersecret\"}}}"
                        .formatted(site.url("/"), site.url("/hook"));
        var shown = call("POST", ALL, body, 201).toString();
        assertThat(shown).doesNotContain("topsecret", "othersecret").contains("/hook");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|job",
                "{\"job\":{\"seeds\":[]}}|seeds",
                "{\"job\":{\"seeds\":[\"http://a.test/\"]}}|cron",
                "{\"cron\":\"never\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|cron",
                "{\"cron\":\"@daily\",\"zone\":\"X/Y\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|zone",
                "{\"cron\":\"@daily\",\"every\":\"1h\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|every",
                "{\"every\":\"1s\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|every",
                "{\"every\":\"1h\",\"from\":\"noon\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|from",
                "{\"cron\":\"@daily\",\"overlap\":\"both\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|overlap",
                "{\"cron\":\"@daily\",\"missed\":\"all\",\"job\":{\"seeds\":[\"http://a.test/\"]}}|missed",
                "{\"cron\":\"@daily\",\"paused\":1,\"job\":{\"seeds\":[\"http://a.test/\"]}}|paused",
                "{\"cron\":\"@daily\",\"name\":\""
                        + " \",\"job\":{\"seeds\":[\"http://a.test/\"]}}|name",
                "{\"cron\":\"@daily\",\"job\":{\"seeds\":[\"http://a.test/\"],\"settings\":{\"delay\":\"x\"}}}|settings.delay",
                "{\"cron\":\"@daily\",\"job\":{\"seeds\":[\"http://a.test/\"],\"settings\":{\"allow-private\":\"true\"}}}|settings.allow-private",
                "{\"when\":\"@daily\"}|when",
            })
    void anInvalidRequestIsRejectedWithItsField(String body, String field) throws Exception {
        assertThat(call("POST", ALL, body, 400).path("field").asString("")).isEqualTo(field);
    }
}
