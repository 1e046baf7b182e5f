package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Events of jobs for webhooks: which, how often, and until when they are repeated. */
@Slow
class WebhookDeliveriesTest {

    @TempDir Path data;
    private ServedSite site;
    private HttpServer receiver;
    private CrawlServer crawlServer;
    private ApiClient apiClient;
    private volatile int status = 200;
    private final LinkedBlockingQueue<Call> calls = new LinkedBlockingQueue<>();

    private record Call(String id, String event, String signature, JsonNode body) {}

    @BeforeEach
    void start() throws Exception {
        site = ServedSite.documentation(3);
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", this::receive);
        receiver.start();
        open();
    }

    private void open() throws Exception {
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    private void shut() throws Exception {
        apiClient.close();
        crawlServer.close();
    }

    @AfterEach
    void close() throws Exception {
        shut();
        receiver.stop(0);
        site.close();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = exchange.getRequestHeaders();
            calls.add(
                    new Call(
                            headers.getFirst("X-Orbweaver-Delivery"),
                            headers.getFirst("X-Orbweaver-Event"),
                            String.valueOf(headers.getFirst("X-Orbweaver-Signature")),
                            JsonMapper.shared()
                                    .readTree(exchange.getRequestBody().readAllBytes())));
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private int submit(String events) throws Exception {
        var response =
                apiClient.call(
                        "POST",
                        "/api/v1/jobs",
                        "{\"seeds\":[\"%s\"],\"name\":\"Manual\",\"webhook\":{\"url\":\"http://127.0.0.1:%d/\",%s}}"
                                .formatted(site.url("/"), receiver.getAddress().getPort(), events));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return JsonMapper.shared().readTree(response.body()).path("id").asInt();
    }

    private Call next() throws InterruptedException {
        var call = calls.poll(2, TimeUnit.MINUTES);
        assertThat(call).isNotNull();
        return call;
    }

    private JsonNode deliveries(int job) throws Exception {
        return apiClient.get("/api/v1/jobs/" + job + "/webhook/deliveries").path("items");
    }

    private void awaitState(int job, String state) throws Exception {
        Eventually.until(
                "the newest message is " + state,
                () -> deliveries(job).path(0).path("state").asString("").equals(state));
    }

    @Test
    void theChosenEventsAreSentOnceAndLogged() throws Exception {
        var job = submit("\"events\":[\"job.started\",\"job.finished\"],\"everyPages\":4");
        var received = List.of(next(), next(), next());
        assertThat(received)
                .extracting(Call::event)
                .containsExactlyInAnyOrder("job.started", "job.finished", "job.pages");
        assertThat(received).extracting(Call::signature).containsOnly("null");
        for (var call : received) {
            assertThat(call.body.path("event").asString()).isEqualTo(call.event);
            assertThat(call.body.path("id").asInt()).isEqualTo(job);
            assertThat(call.body.path("name").asString()).isEqualTo("Manual");
        }
        var schema =
                apiClient
                        .get("/api/v1/openapi.json")
                        .at("/components/schemas/WebhookJobEvent/properties");
        assertThat(received.getFirst().body.propertyNames())
                .containsExactlyInAnyOrderElementsOf(schema.propertyNames());
        Eventually.until(
                "all are delivered",
                () ->
                        deliveries(job)
                                .valueStream()
                                .allMatch(each -> each.path("status").asInt(0) == 200));
        var logged = deliveries(job);
        assertThat(logged.valueStream().map(each -> each.path("id").asString()))
                .containsExactlyInAnyOrderElementsOf(received.stream().map(Call::id).toList());
        assertThat(logged.toString()).doesNotContain("\"body\"");
        var id = logged.get(0).path("id").asString();
        var path = "/api/v1/jobs/" + job + "/webhook/deliveries/";
        assertThat(apiClient.call("POST", path + id + "/redeliver").statusCode()).isEqualTo(202);
        assertThat(next().id).isEqualTo(id);
        assertThat(apiClient.call("POST", path + "none/redeliver").statusCode()).isEqualTo(404);
        assertThat(calls).isEmpty();
    }

    @Test
    void aMessageThatWasNotConfirmedIsRepeatedAfterARestartAndNoEventIsReportedTwice()
            throws Exception {
        status = 500;
        var job = submit("\"events\":[\"job.finished\"],\"secret\":\"12345678\"");
        var first = next();
        Eventually.until(
                "the attempt is logged",
                () -> deliveries(job).path(0).path("status").asInt(0) == 500);
        assertThat(deliveries(job).path(0).path("state").asString()).isEqualTo("pending");
        shut();
        status = 204;
        calls.clear();
        open();
        var second = next();
        assertThat(second.id).isEqualTo(first.id);
        assertThat(second.signature).startsWith("sha256=");
        awaitState(job, "delivered");
        assertThat(deliveries(job)).hasSize(1);
        shut();
        // The record of the job has the change of state; without a log it is reported again.
        Files.delete(data.resolve("jobs/" + job + "/sinks/webhook.json"));
        open();
        assertThat(next().event).isEqualTo("job.finished");
    }

    @Test
    void attemptsToReportChangesOfPagesAreCountedAndLogged() throws Exception {
        status = 503;
        var job = submit("\"events\":[\"job.stopped\"]");
        var _ = apiClient.awaitEnd(job);
        var jobs = crawlServer.jobs();
        var record = jobs.find(jobs.all().getFirst().id()).orElseThrow();
        try (var webhooks = new Webhooks(ApiClient.settings(data).addresses());
                var quick =
                        new WebhookDeliveries(
                                jobs,
                                webhooks,
                                InstantSource.system(),
                                List.of(Duration.ofMillis(1), Duration.ofMillis(1)))) {
            assertThat(quick.deliverChanges(record, "{}".getBytes(UTF_8))).isFalse();
            var log = quick.deliveries(record).getFirst();
            assertThat(log.state()).isEqualTo(WebhookLog.State.FAILED);
            assertThat(log.attempts()).isEqualTo(3);
            assertThat(log.status()).contains(503);
            assertThat(webhooks.failedAttempts()).isEqualTo(3);
        }
        assertThat(calls).hasSize(3);
    }

    @Test
    void theLogIsBoundedAndDropsWaitingMessagesLast() {
        var log = WebhookLog.NEW;
        var now = InstantSource.system().instant();
        var failed = new WebhookLog.Attempt(Optional.of(500), Optional.empty());
        for (var number = 0; number < WebhookLog.DELIVERIES_MAX; number++) {
            var delivery = WebhookLog.Delivery.pending("m" + number, "job.pages", now, "{}");
            log =
                    log.with(
                            number == 7
                                    ? delivery.attempted(failed, now, Optional.empty())
                                    : delivery);
        }
        log = log.with(WebhookLog.Delivery.pending("new", "job.finished", now, "{}"));
        assertThat(log.deliveries()).hasSize(WebhookLog.DELIVERIES_MAX);
        assertThat(log.find("m7")).isEmpty();
        assertThat(log.find("m0")).isPresent();
        log = log.with(WebhookLog.Delivery.pending("newer", "job.finished", now, "{}"));
        assertThat(log.find("m0")).isEmpty();
        assertThat(WebhookLog.fromJson(log.toJson())).isEqualTo(log);
    }
}
