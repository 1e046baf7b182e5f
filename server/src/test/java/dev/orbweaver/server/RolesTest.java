package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.AccessControl.Access;
import dev.orbweaver.server.TokenFile.Quotas;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Tokens with roles and quotas, and the audit log. */
@Slow
class RolesTest {

    @TempDir Path data;
    private Path tokens;
    private CrawlServer crawlServer;
    private ServedSite site;
    private final List<ApiClient> clients = new ArrayList<>();
    private ApiClient admin;
    private ApiClient operator;
    private ApiClient viewer;

    @BeforeEach
    void serve() throws Exception {
        site = ServedSite.documentation(30);
        tokens = data.resolve("tokens.txt");
        var ada = TokenFile.create(tokens, "ada", Role.ADMIN, Quotas.NONE);
        var olga = TokenFile.create(tokens, "olga", Role.OPERATOR, Quotas.NONE);
        var vera = TokenFile.create(tokens, "vera", Role.VIEWER, Quotas.NONE);
        open();
        admin = client(ada);
        operator = client(olga);
        viewer = client(vera);
    }

    private void open() throws Exception {
        var open = CrawlServer.HttpSettings.onLoopback(0);
        crawlServer =
                CrawlServer.start(
                        ApiClient.settings(data.resolve("data")),
                        new CrawlServer.HttpSettings(
                                open.address(),
                                0,
                                Optional.of(tokens),
                                1_000_000,
                                open.clientsMax(),
                                open.openJobsMax(),
                                open.heartbeatMillis()));
    }

    private ApiClient client(String token) {
        var client = new ApiClient(crawlServer.port(), Optional.of(token));
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(ApiClient::close);
        crawlServer.close();
        site.close();
    }

    private static String problem(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body()).path("detail").asString();
    }

    private static String filled(String path) {
        return path.replace("{id}", "1")
                .replace("{seq}", "1")
                .replace("{task}", "1")
                .replace("{format}", "csv");
    }

    @Test
    void everythingThatARoleMayNotDoIsRefusedAndInTheAuditLog() throws Exception {
        var job = operator.submit(site.url("/"), "{\"delay\":\"1h\"}");
        var attempts = new ArrayList<String>();
        for (var route : crawlServer.routes()) {
            var path = filled(route.path());
            if (route.access() == Access.OPERATOR || route.access() == Access.ADMIN) {
                var body =
                        route.method().equals("GET") ? Optional.<String>empty() : Optional.of("{}");
                var said = problem(call(viewer, route.method(), path, body), 403);
                assertThat(said)
                        .isEqualTo(
                                "A token with the role viewer may not do this; use one with the role %s."
                                        .formatted(
                                                route.access() == Access.ADMIN
                                                        ? "admin"
                                                        : "operator"));
                attempts.add("vera viewer " + route.method() + " " + path + " 403");
            }
            if (route.access() == Access.ADMIN) {
                var _ = problem(operator.call(route.method(), path), 403);
                attempts.add("olga operator " + route.method() + " " + path + " 403");
            }
        }
        while (attempts.size() < 30) { // The same calls, as a client that does not give up.
            var _ = problem(viewer.call("DELETE", "/api/v1/jobs/1"), 403);
            attempts.add("vera viewer DELETE /api/v1/jobs/1 403");
        }
        assertThat(operator.get("/api/v1/jobs/" + job).path("state").asString())
                .isEqualTo("running");
        var logged = new ArrayList<String>();
        admin.get("/api/v1/audit?limit=500")
                .path("items")
                .forEach(entry -> logged.add(line(entry)));
        assertThat(logged.reversed())
                .startsWith("olga operator POST /api/v1/jobs 202")
                .endsWith(attempts.toArray(String[]::new));
        System.out.println("RolesTest: %d attempts refused and logged".formatted(attempts.size()));
    }

    private static HttpResponse<String> call(
            ApiClient client, String method, String path, Optional<String> body) throws Exception {
        return body.isPresent() ? client.call(method, path, body.get()) : client.call(method, path);
    }

    private static String line(JsonNode entry) {
        assertThat(Instant.parse(entry.path("time").asString())).isNotNull();
        assertThat(entry.path("address").asString()).isEqualTo("127.0.0.1");
        return "%s %s %s %s %d"
                .formatted(
                        entry.path("caller").asString(),
                        entry.path("role").asString(),
                        entry.path("method").asString(),
                        entry.path("path").asString(),
                        entry.path("status").asInt());
    }

    @Test
    void everyRoleMayDoWhatIsItsOwn() throws Exception {
        var job = operator.submit(site.url("/"), "{}");
        var done = operator.awaitEnd(job);
        assertThat(done.path("createdBy").asString()).isEqualTo("olga");
        assertThat(viewer.get("/api/v1/jobs/" + job)).isEqualTo(done);
        assertThat(viewer.call("GET", "/metrics").statusCode()).isEqualTo(200);
        assertThat(viewer.call("GET", "/api/v1/jobs/1/exports/csv").statusCode()).isEqualTo(200);
        assertThat(viewer.get("/api/v1/session").path("role").asString()).isEqualTo("viewer");
        var listed = admin.get("/api/v1/tokens").path("items");
        assertThat(listed.valueStream().map(token -> token.path("name").asString()))
                .containsExactly("ada", "olga", "vera");
        assertThat(listed.toString()).doesNotContain("hash");
    }

    @Test
    void aTokenIsStoredAsAHashAndWorksUntilItIsRevoked() throws Exception {
        var token = TokenFile.create(tokens, "new", Role.VIEWER, Quotas.NONE);
        assertThat(Files.readString(tokens)).doesNotContain(token).contains("sha256:");
        assertThat(Files.getPosixFilePermissions(tokens)).hasSize(2); // Of its owner.
        var client = client(token);
        awaitStatus(client, 200);
        TokenFile.revoke(tokens, "new");
        awaitStatus(client, 401);
        assertThat(status(viewer)).isEqualTo(200);
    }

    /** Calls slowly, because wrong tokens are rate-limited. */
    private static void awaitStatus(ApiClient client, int status) throws Exception {
        Eventually.until(
                "status " + status,
                () -> {
                    Thread.sleep(200);
                    return status(client) == status;
                });
    }

    private static int status(ApiClient client) throws IOException, InterruptedException {
        return client.call("GET", "/api/v1/jobs").statusCode();
    }

    private ApiClient withQuotas(Quotas quotas) throws Exception {
        var client = client(TokenFile.create(tokens, "quota", Role.OPERATOR, quotas));
        awaitStatus(client, 200);
        return client;
    }

    @Test
    void aTokenHasNoMoreOpenJobsAndConcurrencyThanItsQuotas() throws Exception {
        var client =
                withQuotas(new Quotas(OptionalInt.of(2), OptionalInt.empty(), OptionalInt.of(10)));
        var body = "{\"seeds\":[\"%s\"],\"settings\":{\"delay\":\"1h\",\"concurrency\":\"%d\"}}";
        assertThat(
                        problem(
                                client.call(
                                        "POST", "/api/v1/jobs", body.formatted(site.url("/"), 11)),
                                429))
                .contains("the token quota leaves 10");
        var first = client.call("POST", "/api/v1/jobs", body.formatted(site.url("/"), 4));
        assertThat(first.statusCode()).as(first.body()).isEqualTo(202);
        var second = client.submit(site.url("/"), "{\"delay\":\"1h\"}");
        assertThat(client.get("/api/v1/jobs/" + second).at("/settings/concurrency").asInt())
                .as("what is left")
                .isEqualTo(6);
        assertThat(
                        problem(
                                client.call(
                                        "POST", "/api/v1/jobs", body.formatted(site.url("/"), 1)),
                                429))
                .isEqualTo(
                        "The quota of 2 open jobs of the token quota is used up; wait until one"
                                + " ends, or stop one.");
        var schedule =
                client.call(
                        "POST",
                        "/api/v1/schedules",
                        "{\"cron\":\"@yearly\",\"job\":{\"seeds\":[\"%s\"]}}"
                                .formatted(site.url("/")));
        assertThat(schedule.statusCode()).as(schedule.body()).isEqualTo(201);
        assertThat(client.call("POST", "/api/v1/schedules/1/run").statusCode()).isLessThan(300);
        Eventually.until(
                "the run is rejected",
                () ->
                        client.get("/api/v1/schedules/1/runs")
                                .toString()
                                .contains("quota of 2 open jobs"));
        assertThat(operator.submit(site.url("/"), "{\"max-pages\":\"1\"}")).isPositive();
    }

    @Test
    void aJobIsStoppedWhenThePagesOfItsTokenAreUsedUp() throws Exception {
        var client =
                withQuotas(new Quotas(OptionalInt.empty(), OptionalInt.of(5), OptionalInt.empty()));
        var job = client.submit(site.url("/"), "{\"delay\":\"150ms\"}");
        var stopped = client.await(job, now -> now.path("ended").isString());
        assertThat(stopped.path("state").asString()).isEqualTo("stopped");
        assertThat(stopped.path("reason").asString())
                .isEqualTo(
                        "The quota of 5 pages a day of the token quota is used up; it is renewed"
                                + " at 00:00 UTC.");
        assertThat(stopped.path("counts").path("pages").asInt()).isBetween(5, 25);
        for (var path : List.of("/api/v1/jobs/" + job + "/resume", "/api/v1/scrape")) {
            var response = client.call("POST", path, "{\"url\":\"%s\"}".formatted(site.url("/")));
            assertThat(problem(response, 429)).contains("5 pages a day");
        }
    }

    @Test
    void theAuditLogIsRotatedAndBounded() throws Exception {
        var directory = data.resolve("audit");
        var log = new AuditLog(directory, 2_000);
        for (var i = 0; i < 200; i++) {
            log.add(
                    new AuditLog.Entry(
                            Instant.EPOCH.plusSeconds(i), "ann", "admin", "::1", "POST", "/x", i));
        }
        var newest = new AuditLog(directory, 2_000).newest(500);
        assertThat(newest).hasSizeBetween(40, 100);
        assertThat(newest.getFirst().status()).isEqualTo(199);
        for (var i = 1; i < newest.size(); i++) {
            assertThat(newest.get(i).status()).isEqualTo(199 - i);
        }
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(AuditLog.FILES_MAX).allMatch(file -> size(file) <= 2_000);
        }
        assertThat(Files.getPosixFilePermissions(directory.resolve(AuditLog.FILE))).hasSize(2);
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
