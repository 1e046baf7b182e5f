package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import static java.time.ZoneOffset.UTC;

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
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

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
                                100));
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
                .replace("{format}", "csv")
                .replace("{name}", "docs")
                .replace("{host}", "127.0.0.1")
                .replace("{delivery}", "1");
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
                assertThat(viewer.call("HEAD", path).statusCode()).isEqualTo(403);
                attempts.add("vera viewer HEAD " + path + " 403");
                assertThat(operator.call("HEAD", path).statusCode()).isEqualTo(403);
                attempts.add("olga operator HEAD " + path + " 403");
            }
        }
        assertThat(attempts).hasSizeGreaterThanOrEqualTo(30).doesNotHaveDuplicates();
        var _ = operator.await(job, now -> now.path("state").asString().equals("running"));
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
        assertThat(withoutDisk(viewer.get("/api/v1/jobs/" + job))).isEqualTo(withoutDisk(done));
        assertThat(viewer.call("GET", "/metrics").statusCode()).isEqualTo(200);
        assertThat(viewer.call("GET", "/api/v1/jobs/1/exports/csv").statusCode()).isEqualTo(200);
        assertThat(viewer.get("/api/v1/session").path("role").asString()).isEqualTo("viewer");
        var listed = admin.get("/api/v1/tokens").path("items");
        assertThat(listed.valueStream().map(token -> token.path("name").asString()))
                .containsExactly("ada", "olga", "vera");
        assertThat(listed.toString()).doesNotContain("hash");
    }

    /** Removes what is measured in the background. */
    private static JsonNode withoutDisk(JsonNode job) {
        return ((ObjectNode) job).without("diskBytes");
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
            var midnight = LocalDate.now(UTC).plusDays(1).atStartOfDay(UTC).toInstant();
            assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0))
                    .as("until 00:00 UTC")
                    .isCloseTo(Duration.between(Instant.now(), midnight).toSeconds(), within(60L));
        }
        Eventually.until(
                "the pages of today are those of the job",
                () ->
                        client.get("/api/v1/totals").path("pagesToday").asInt()
                                == client.get("/api/v1/jobs/" + job)
                                        .path("counts")
                                        .path("pages")
                                        .asInt());
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

    @Test
    void aJobContinuesAndIsChangedOnlyWithinTheQuotasOfItsToken() throws Exception {
        var client =
                withQuotas(new Quotas(OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(10)));
        var first = "/api/v1/jobs/" + client.submit(site.url("/"), "{\"concurrency\":\"4\"}");
        var _ = client.await(1, now -> now.path("ended").isString());
        var second =
                "/api/v1/jobs/"
                        + client.submit(site.url("/"), "{\"delay\":\"1h\",\"concurrency\":\"7\"}");
        var concurrency = "{\"settings\":{\"concurrency\":\"%d\"}}";
        for (var caller : List.of(client, operator)) {
            assertThat(problem(caller.call("PATCH", second, concurrency.formatted(11)), 429))
                    .contains("the token quota leaves 10");
            for (var call :
                    List.of(
                            "/resume {}",
                            "/dead-letters/retry {}",
                            "/seeds {\"seeds\":[\"" + site.url("/x") + "\"]}")) {
                var words = call.split(" ", 2);
                assertThat(problem(caller.call("POST", first + words[0], words[1]), 429))
                        .as(call)
                        .contains("quota of 1 open jobs");
            }
        }
        assertThat(admin.get(first).path("state").asString()).isEqualTo("finished");
        assertThat(client.call("PATCH", second, concurrency.formatted(10)).statusCode())
                .isEqualTo(200);
        assertThat(client.call("POST", second + "/stop").statusCode()).isEqualTo(200);
        var _ = client.await(2, now -> now.path("ended").isString());
        assertThat(client.call("PATCH", first, concurrency.formatted(11)).statusCode())
                .as("it has ended")
                .isEqualTo(200);
        assertThat(problem(client.call("POST", first + "/resume"), 429)).contains("leaves 10");
        assertThat(client.call("PATCH", first, concurrency.formatted(9)).statusCode())
                .isEqualTo(200);
        assertThat(client.call("POST", first + "/resume").statusCode()).isEqualTo(200);
    }

    @Test
    void concurrentCallsDoNotShareAQuota() throws Exception {
        var client =
                withQuotas(new Quotas(OptionalInt.of(1), OptionalInt.empty(), OptionalInt.empty()));
        var body = "{\"seeds\":[\"%s\"],\"settings\":{\"delay\":\"1h\"}}".formatted(site.url("/"));
        var calls = new ArrayList<CompletableFuture<HttpResponse<String>>>();
        for (var i = 0; i < 16; i++) {
            calls.add(client.start("POST", "/api/v1/jobs", body));
        }
        var statuses = new ArrayList<Integer>();
        for (var call : calls) {
            statuses.add(call.get().statusCode());
        }
        assertThat(statuses).containsOnlyOnce(202).containsOnly(202, 429);
    }

    @Test
    void theScheduleOfARevokedTokenSubmitsNoJobs() throws Exception {
        var client = withQuotas(Quotas.NONE);
        var schedule =
                client.call(
                        "POST",
                        "/api/v1/schedules",
                        "{\"cron\":\"@yearly\",\"job\":{\"seeds\":[\"%s\"]}}"
                                .formatted(site.url("/")));
        assertThat(schedule.statusCode()).as(schedule.body()).isEqualTo(201);
        TokenFile.revoke(tokens, "quota");
        awaitStatus(client, 401);
        assertThat(operator.call("POST", "/api/v1/schedules/1/run").statusCode()).isLessThan(300);
        Eventually.until(
                "the run is rejected",
                () ->
                        operator.get("/api/v1/schedules/1/runs")
                                .toString()
                                .contains(
                                        "The token quota, which created the schedule, was"
                                                + " revoked"));
        assertThat(operator.get("/api/v1/jobs").path("total").asInt()).isZero();
    }

    @Test
    void theStreamsOfARevokedTokenEnd() throws Exception {
        var job = operator.submit(site.url("/"), "{\"delay\":\"1h\"}");
        var client = withQuotas(Quotas.NONE);
        var events = client.start("GET", "/api/v1/jobs/" + job + "/events");
        var changes = client.start("GET", "/api/v1/jobs/" + job + "/changes/events");
        Eventually.until(
                "a subscriber",
                () -> admin.call("GET", "/metrics").body().contains("subscribers 1"));
        TokenFile.revoke(tokens, "quota");
        try {
            for (var stream : List.of(events, changes)) {
                var received = stream.get(15, TimeUnit.SECONDS);
                assertThat(received.statusCode()).isEqualTo(200);
                assertThat(received.body()).startsWith(": connected");
            }
        } finally {
            events.cancel(true);
            changes.cancel(true);
        }
    }

    @Test
    void callsWithoutAValidTokenCannotFloodTheAuditLog() throws Exception {
        var wrong = client("a-token-that-is-wrong");
        for (var i = 0; i < 40; i++) {
            assertThat(wrong.call("POST", "/api/v1/jobs", "{}").statusCode()).isIn(401, 429);
        }
        assertThat(wrong.call("POST", "/api/v1/session", "{").statusCode()).isIn(400, 429);
        var cookie = wrong.uri("/api/v1/jobs/1");
        for (var i = 0; i < 200; i++) {
            var request =
                    HttpRequest.newBuilder(cookie)
                            .header("Cookie", AccessControl.COOKIE + "=x")
                            .DELETE()
                            .build();
            assertThat(wrong.send(request).statusCode()).isEqualTo(401);
        }
        var logged = admin.get("/api/v1/audit?limit=500").path("items");
        assertThat(logged.valueStream().map(entry -> entry.path("status").asInt()))
                .hasSizeBetween(20, 110)
                .containsOnly(401);
    }

    private static void add(AuditLog log, int status) {
        log.add(new AuditLog.Entry(Instant.EPOCH, "ann", "admin", "::1", "POST", "/x", status));
    }

    private static List<Integer> statuses(AuditLog log) throws IOException {
        return log.newest(500).stream().map(AuditLog.Entry::status).toList();
    }

    @Test
    void anEntryAfterALineThatWasCutIsALineOfItsOwn() throws Exception {
        var directory = data.resolve("audit");
        add(new AuditLog(directory), 1);
        Files.write(
                directory.resolve(AuditLog.FILE),
                new byte[] {'{', '"', (byte) 0xc3},
                StandardOpenOption.APPEND);
        var log = new AuditLog(directory);
        add(log, 2);
        add(log, 3);
        assertThat(statuses(log)).containsExactly(3, 2, 1);
    }

    @Test
    void aRotationThatFailedIsNotRepeated() throws Exception {
        var directory = data.resolve("audit");
        var log = new AuditLog(directory, 300);
        for (var i = 0; i < 12; i++) {
            add(log, i);
        }
        var before = statuses(log);
        // As if the new file could not be created.
        Files.move(directory.resolve(AuditLog.FILE), directory.resolve("moved"));
        Files.createSymbolicLink(directory.resolve(AuditLog.FILE), data.resolve("none/such"));
        for (var i = 0; i < 5; i++) {
            add(log, 100 + i);
        }
        Files.delete(directory.resolve(AuditLog.FILE));
        add(log, 200);
        assertThat(statuses(log))
                .startsWith(200)
                .containsAll(before.subList(before.size() - 6, before.size()));
    }

    @Test
    void aTokenWithoutANameIsNamedByItsHash() throws Exception {
        var file = Files.writeString(data.resolve("unnamed"), "a-token-of-someone\n");
        var name = TokenFile.list(file).getFirst().name();
        assertThat(name).isEqualTo("token-" + Sha256.hex("a-token-of-someone").substring(0, 12));
        Files.writeString(file, "# a comment\n\nanother-long-token\na-token-of-someone\n");
        assertThat(TokenFile.list(file).getLast().name()).isEqualTo(name);
    }

    @Test
    void tokensThatAreCreatedAtOnceAreAllKept() throws Exception {
        var file = data.resolve("many");
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var created = new ArrayList<Future<String>>();
            for (var i = 0; i < 16; i++) {
                var name = "t" + i;
                created.add(
                        executor.submit(
                                () -> TokenFile.create(file, name, Role.VIEWER, Quotas.NONE)));
            }
            for (var each : created) {
                assertThat(each.get()).hasSize(64);
            }
        }
        assertThat(TokenFile.list(file)).hasSize(16);
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
