package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Labels, copies, templates and bulk changes of jobs. */
@Slow
class JobManagementTest {

    @TempDir static Path data;
    private static ServedSite site;
    private static CrawlServer crawlServer;
    private static ApiClient apiClient;

    @BeforeAll
    static void serve() throws Exception {
        site = ServedSite.documentation(3);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterAll
    static void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private static JsonNode sent(int status, String method, String path, String body)
            throws Exception {
        var response = apiClient.call(method, "/api/v1" + path, body.replace('\'', '"'));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body());
    }

    private static String seeds() {
        return "'seeds':['" + site.url("/") + "']";
    }

    private static long found(String query) throws Exception {
        return apiClient.get("/api/v1/jobs?" + query).path("total").asLong();
    }

    @Test
    void labelsAreKeptFoundAndChangedWithoutAnEffectOnTheCrawl() throws Exception {
        var body =
                "{%s,'name':' The handbook ','tags':['Nightly','docs','docs'],'notes':'Ask Zoe'}"
                        .formatted(seeds());
        var job = sent(202, "POST", "/jobs", body);
        assertThat(job.path("name").asString()).isEqualTo("The handbook");
        assertThat(job.path("tags")).hasToString("[\"Nightly\",\"docs\"]");
        assertThat(job.path("notes").asString()).isEqualTo("Ask Zoe");
        assertThat(found("tag=nightly")).isEqualTo(1);
        assertThat(found("tag=night")).isZero();
        assertThat(found("q=HANDBOOK")).isEqualTo(1);
        assertThat(found("q=zoe")).isEqualTo(1);
        var id = job.path("id").asInt();
        var _ = apiClient.awaitEnd(id);
        var changed = sent(200, "PATCH", "/jobs/" + id, "{'name':null,'tags':['weekly']}");
        assertThat(changed.path("name").asString()).isEqualTo("127.0.0.1");
        assertThat(changed.path("notes").asString()).isEqualTo("Ask Zoe");
        assertThat(changed.path("state").asString()).isEqualTo("finished");
        assertThat(found("tag=nightly")).isZero();
        assertThat(found("tag=weekly")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'name':1              | name    | name must be a string.
                    'name':'a\\u0007b'    | name    | name must not contain control characters.
                    'tags':'docs'         | tags    | tags must be a list of at most 20 texts.
                    'tags':['a','']       | tags[1] | A tag must be a text of 1 to 50 characters
                    'notes':['a']         | notes   | notes must be a string.
                    """)
    void aWrongLabelIsRejectedWithItsName(String label, String field, String detail)
            throws Exception {
        var problem = sent(400, "POST", "/jobs", "{%s,%s}".formatted(seeds(), label));
        assertThat(problem.path("field").asString()).isEqualTo(field);
        assertThat(problem.path("detail").asString()).startsWith(detail);
    }

    @Test
    void longLabelsAreRejected() throws Exception {
        for (var label : new String[] {"'name':'%s'", "'notes':'%s'", "'tags':['%s']"}) {
            var long2001 = label.formatted("x".repeat(2_001));
            var _ = sent(400, "POST", "/jobs", "{%s,%s}".formatted(seeds(), long2001));
        }
    }

    @Test
    void aCloneHasTheRequestOfItsJobWithTheChangesOfTheBody() throws Exception {
        var body =
                "{%s,'settings':{'max-depth':0,'delay':'10ms'},'weight':7,'name':'First','tags':['a'],'keep':{'runs':3}}"
                        .formatted(seeds());
        var first = apiClient.awaitEnd(sent(202, "POST", "/jobs", body).path("id").asInt());
        var id = first.path("id").asInt();
        var added = "{'seeds':['%s']}".formatted(site.url("/?added"));
        var _ = sent(202, "POST", "/jobs/" + id + "/seeds", added);
        var changes = "{'name':'Second','settings':{'max-depth':1,'delay':null}}";
        var second =
                apiClient.awaitEnd(
                        sent(202, "POST", "/jobs/" + id + "/clone", changes).path("id").asInt());
        assertThat(second.path("name").asString()).isEqualTo("Second");
        assertThat(second.path("weight").asInt()).isEqualTo(7);
        assertThat(second.path("tags")).isEqualTo(first.path("tags"));
        assertThat(second.path("keep").path("runs").asInt()).isEqualTo(3);
        assertThat(second.path("settings")).hasToString("{\"max-depth\":1}");
        assertThat(second.path("family").asString()).isEqualTo("job:" + id);
        assertThat(second.path("counts").path("pages").asInt())
                .as("with the seed that was added")
                .isEqualTo(5);
        var third = sent(202, "POST", "/jobs/" + second.path("id") + "/clone", "{}");
        assertThat(third.path("family").asString()).isEqualTo("job:" + id);
        assertThat(found("family=job:" + id)).isEqualTo(3);
        var problem = sent(400, "POST", "/jobs/" + id + "/clone", "{'settings':{'nosuch':1}}");
        assertThat(problem.path("field").asString()).isEqualTo("settings.nosuch");
    }

    @Test
    void aTemplateCompletesRequestsAlsoOfSchedulesAndAfterARestart() throws Exception {
        var template =
                "{'settings':{'max-depth':0,'delay':'5ms','credentials':'http://127.0.0.1 basic user:topsecret'},'tags':['t'],'webhook':{'url':'%s','secret':'othersecret'}}"
                        .formatted(site.url("/hook"));
        var shown = sent(201, "PUT", "/templates/small-1", template);
        assertThat(shown.toString()).doesNotContain("topsecret", "othersecret");
        assertThat(sent(200, "PUT", "/templates/small-1", template)).isEqualTo(shown);
        assertThat(apiClient.get("/api/v1/templates").path("total").asInt()).isEqualTo(1);
        var job =
                sent(
                        202,
                        "POST",
                        "/jobs",
                        "{%s,'template':'small-1','settings':{'delay':'6ms'}}".formatted(seeds()));
        assertThat(job.path("settings").path("max-depth").asInt()).isZero();
        assertThat(job.path("settings").path("delay").asString()).isEqualTo("6ms");
        assertThat(job.path("family").asString()).isEqualTo("template:small-1");
        var schedule =
                sent(
                        201,
                        "POST",
                        "/schedules",
                        "{'cron':'@yearly','paused':true,'job':{%s,'template':'small-1'}}"
                                .formatted(seeds()));
        assertThat(schedule.path("job").path("tags")).hasToString("[\"t\"]");
        var id = schedule.path("id").asInt();
        var started = sent(202, "POST", "/schedules/" + id + "/run", "{}");
        var run = started.path("lastRun").path("job").asInt();
        assertThat(apiClient.get("/api/v1/jobs/" + run).path("family").asString())
                .isEqualTo("schedule:" + id);
        assertThat(apiClient.get("/api/v1/audit").path("items").toString())
                .as("the start by the schedule is logged")
                .contains("\"caller\":\"schedule:%d\"".formatted(id), "/api/v1/jobs/" + run);
        var stored = new TemplateStore(new RealDisk(), data);
        assertThat(stored.find("small-1").orElseThrow().path("tags")).hasToString("[\"t\"]");
        assertThat(Files.getPosixFilePermissions(data.resolve("templates/small-1.json")))
                .hasSize(2); // Of its owner.
        assertThat(apiClient.call("DELETE", "/api/v1/templates/small-1").statusCode())
                .isEqualTo(204);
        var missing = sent(400, "POST", "/jobs", "{%s,'template':'small-1'}".formatted(seeds()));
        assertThat(missing.path("detail").asString())
                .isEqualTo("Template 'small-1' not found; GET /api/v1/templates lists all.");
        var wrong = sent(400, "PUT", "/templates/other", "{'settings':{'max-depth':'deep'}}");
        assertThat(wrong.path("field").asString()).isEqualTo("settings.max-depth");
        assertThat(sent(400, "PUT", "/templates/a%20b", "{'weight':2}").path("field").asString())
                .isEqualTo("name");
    }

    @Test
    void severalJobsAreChangedAtOnceWithAResultForEach() throws Exception {
        var slow = "{%s,'settings':{'delay':'1h'}}".formatted(seeds());
        var one = sent(202, "POST", "/jobs", slow).path("id").asInt();
        var two = sent(202, "POST", "/jobs", slow).path("id").asInt();
        var ids = "'ids':[%d,%d,999999]".formatted(one, two);
        var paused = sent(200, "POST", "/jobs/bulk", "{%s,'action':'pause'}".formatted(ids));
        assertThat(paused.path("results"))
                .hasToString(
                        "[{\"id\":%d,\"status\":200,\"state\":\"paused\"},{\"id\":%d,\"status\":200,\"state\":\"paused\"},{\"id\":999999,\"status\":404,\"detail\":\"Job 999999 not found.\"}]"
                                .formatted(one, two));
        var _ = sent(200, "POST", "/jobs/bulk", "{%s,'action':'stop'}".formatted(ids));
        var again = sent(200, "POST", "/jobs/bulk", "{%s,'action':'pause'}".formatted(ids));
        assertThat(again.path("results").get(0).path("status").asInt()).isEqualTo(409);
        var gone = sent(200, "POST", "/jobs/bulk", "{%s,'action':'delete'}".formatted(ids));
        assertThat(gone.path("results").get(1))
                .hasToString("{\"id\":%d,\"status\":204}".formatted(two));
        assertThat(apiClient.call("GET", "/api/v1/jobs/" + one).statusCode()).isEqualTo(404);
        assertThat(apiClient.get("/api/v1/audit").path("items").toString())
                .contains("\"method\":\"DELETE\",\"path\":\"/api/v1/jobs/%d\"".formatted(one))
                .contains("\"path\":\"/api/v1/jobs/%d/stop\"".formatted(two));
        var wrong = sent(400, "POST", "/jobs/bulk", "{'ids':[1],'action':'explode'}");
        assertThat(wrong.path("field").asString()).isEqualTo("action");
    }

    @Test
    void diskUseIsMeasuredForEachJobAndInAll() throws Exception {
        var job = sent(202, "POST", "/jobs", "{%s}".formatted(seeds())).path("id").asInt();
        var _ = apiClient.awaitEnd(job);
        try (var usage = new DiskUsage(crawlServer.jobs(), data, Duration.ofMillis(10))) {
            assertThat(usage.total()).isEmpty();
            usage.start();
            Eventually.until("the disk is measured", () -> usage.bytes(new JobId(job)).isPresent());
            var ofJob = usage.bytes(new JobId(job)).orElseThrow();
            assertThat(ofJob).isPositive();
            var grown = data.resolve("jobs/" + job + "/grown");
            Files.write(grown, new byte[1 << 20]);
            Eventually.until(
                    "it is measured again",
                    () -> usage.bytes(new JobId(job)).orElseThrow() >= ofJob + (1 << 20));
            Eventually.until(
                    "all jobs are measured again",
                    () -> usage.total().orElseThrow().usedBytes() > ofJob + (1 << 20));
            Files.delete(grown);
        }
    }

    @Test
    void aKeyWithTheSameFieldsInAnotherOrderIsTheSameRequest() throws Exception {
        var seeds = "\"seeds\":[\"%s\"]".formatted(site.url("/"));
        var first = withKey("{%s,\"settings\":{\"delay\":0,\"max-depth\":0}}".formatted(seeds));
        var second = withKey("{\"settings\":{\"max-depth\":0,\"delay\":0},%s}".formatted(seeds));
        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
    }

    private static HttpResponse<String> withKey(String body) throws Exception {
        return apiClient.send(
                apiClient
                        .request("/api/v1/jobs")
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", "order")
                        .POST(BodyPublishers.ofString(body))
                        .build());
    }
}
