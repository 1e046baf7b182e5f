package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Changes of a job that visits its pages again, as events and for a webhook. */
@Slow
@Timeout(180)
class ChangesApiTest {

    private static final String TEXT = "<p>" + "The manual explains each part. ".repeat(20);
    private static final String SECRET = "a secret of the job";

    private static final Duration POLL = Duration.ofMillis(20);

    private static final Jobs.JobListener UNUSED =
            new Jobs.JobListener() {
                @Override
                public JobRecord onStateChange(JobId job, Jobs.StateWriter stateWriter)
                        throws IOException {
                    return stateWriter.write(0);
                }

                @Override
                public void captured(JobId job, Capture capture) {}

                @Override
                public void committed(JobId job) {}

                @Override
                public void deleted(JobId job) {}
            };

    @TempDir Path data;
    private HttpServer site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;
    private volatile String news = "old";
    private volatile String link = "";
    private volatile boolean gone;

    /** Signature, body and timestamp of each call of the webhook. */
    private final LinkedBlockingQueue<List<String>> calls = new LinkedBlockingQueue<>();

    private final AtomicInteger failures = new AtomicInteger();

    @BeforeEach
    void start() throws Exception {
        site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        site.createContext("/", this::respond);
        site.createContext("/hook", this::receive);
        site.start();
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + site.getAddress().getPort() + path;
    }

    private void respond(HttpExchange exchange) throws IOException {
        var text =
                switch (exchange.getRequestURI().getPath()) {
                    case "/" -> "<a href=/news>1</a> <a href=/gone>2</a>" + link + TEXT;
                    case "/news" -> TEXT + news + " news of the manual";
                    case "/gone" -> gone ? "" : TEXT + "a page that goes";
                    case "/found" -> TEXT + "a page that is found later";
                    default -> "";
                };
        var body = text.getBytes(UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(
                    body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            var fails = failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            if (!fails) {
                calls.add(
                        List.of(
                                exchange.getRequestHeaders().getFirst("X-Orbweaver-Signature"),
                                body,
                                exchange.getRequestHeaders().getFirst("X-Orbweaver-Timestamp")));
            }
            exchange.sendResponseHeaders(fails ? 500 : 200, -1);
        }
    }

    private int submit() throws Exception {
        var created =
                apiClient.call(
                        "POST",
                        "/api/v1/jobs",
                        "{\"seeds\":[\"%s\"],\"settings\":{\"revisit\":\"1s\",\"delay\":\"0\",\"sitemaps\":\"false\"},\"webhook\":{\"url\":\"%s\",\"secret\":\"%s\"}}"
                                .formatted(url("/"), url("/hook"), SECRET));
        assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
        return JsonMapper.shared().readTree(created.body()).path("id").asInt();
    }

    /** Reads events until one of this kind. */
    private List<JsonNode> changes(int job, long after, String kind) throws IOException {
        var connection =
                (HttpURLConnection)
                        apiClient
                                .uri("/api/v1/jobs/" + job + "/changes/events")
                                .toURL()
                                .openConnection();
        connection.setReadTimeout(120_000);
        connection.setRequestProperty("Last-Event-ID", Long.toString(after));
        var changes = new ArrayList<JsonNode>();
        try (var in =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8))) {
            var id = -1L;
            while (changes.isEmpty() || !changes.getLast().path("kind").asString().equals(kind)) {
                var line = in.readLine();
                if (line.startsWith("id: ")) {
                    id = Long.parseLong(line.substring(4));
                } else if (line.startsWith("data: ")) {
                    changes.add(JsonMapper.shared().readTree(line.substring(6)));
                    assertThat(changes.getLast().path("seq").asLong()).isEqualTo(id);
                }
            }
        } finally {
            connection.disconnect();
        }
        return changes;
    }

    private void awaitPages(int job, int pages) throws Exception {
        Eventually.until(
                "all pages are stored",
                () ->
                        apiClient.get("/api/v1/jobs/" + job + "/revisits").path("pages").asInt()
                                >= pages);
    }

    @Test
    void newChangedAndMissingPagesAreStreamedAndReplayedAfterARestart() throws Exception {
        var job = submit();
        awaitPages(job, 3);
        news = "changed";
        var changed = changes(job, 0, "text").getLast();
        assertThat(changed.path("url").asString()).isEqualTo(url("/news"));
        var difference = apiClient.get(changed.path("difference").asString());
        assertThat(difference.path("removed").toString()).contains("old news of the manual");
        assertThat(difference.path("added").toString()).contains("changed news of the manual");
        assertThat(difference.path("linesOmitted").asInt()).isZero();
        gone = true;
        var missing = changes(job, changed.path("seq").asLong(), "missing");
        assertThat(missing).hasSize(1);
        assertThat(missing.getLast().has("difference")).isFalse();
        var none =
                apiClient.call(
                        "GET",
                        "/api/v1/jobs/%d/changes/%d"
                                .formatted(job, missing.getLast().path("seq").asLong()));
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.body()).contains("has no change of text in line");
        assertThat(missing.getLast().path("url").asString()).isEqualTo(url("/gone"));
        link = "<a href=/found>3</a>";
        var found = changes(job, missing.getLast().path("seq").asLong(), "new").getLast();
        assertThat(found.path("url").asString()).isEqualTo(url("/found"));
        var before = changes(job, 0, "new");
        crawlServer.close();
        crawlServer = ApiClient.serve(data);
        apiClient.close();
        apiClient = new ApiClient(crawlServer.port());
        assertThat(changes(job, 0, "new")).isEqualTo(before);
        assertThat(before).extracting(change -> change.path("seq").asLong()).isSorted();
    }

    @Test
    void theWebhookReceivesEachChangeOnceAlsoAfterFailuresAndARestart() throws Exception {
        var job = submit();
        awaitPages(job, 3);
        failures.set(2);
        news = "changed";
        var first = nextCall(job);
        assertThat(failures).hasValue(0);
        assertThat(first)
                .extracting(change -> change.path("url").asString())
                .contains(url("/news"));
        assertThat(first)
                .filteredOn(change -> change.path("kind").asString().equals("text"))
                .allSatisfy(
                        change ->
                                assertThat(change.path("difference").asString())
                                        .isEqualTo(
                                                "/api/v1/jobs/%d/changes/%d"
                                                        .formatted(
                                                                job, change.path("seq").asLong())));
        crawlServer.close();
        crawlServer = ApiClient.serve(data);
        apiClient.close();
        apiClient = new ApiClient(crawlServer.port());
        gone = true;
        var second = nextCall(job);
        assertThat(second)
                .extracting(change -> change.path("url").asString())
                .contains(url("/gone"))
                .doesNotContain(url("/news"));
    }

    @Test
    void aBatchThatIsNotConfirmedIsSentAgainBeforeLaterOnes() throws Exception {
        var confirmed = new AtomicBoolean();
        var bodies = new LinkedBlockingQueue<List<Long>>();
        try (var jobs = ApiClient.settings(data.resolve("other")).open(UNUSED)) {
            var job =
                    jobs.submit(
                            new JobRequest(
                                    List.of(url("/")),
                                    "{}",
                                    1,
                                    Optional.empty(),
                                    Optional.of(
                                            new JobRecord.Webhook(
                                                    url("/hook"),
                                                    SECRET,
                                                    WebhookEvents.DEFAULT,
                                                    0))));
            write(jobs.directory(job.id()), 1, 600);
            try (var webhooks = new ChangeWebhooks(jobs, delivery(bodies, confirmed), POLL)) {
                webhooks.start();
                var first = bodies.take();
                assertThat(first).hasSizeBetween(100, ChangeWebhooks.BATCH_MAX).startsWith(1L);
                assertThat(bodies.take()).isEqualTo(first);
                confirmed.set(true);
                var next = bodies.take();
                while (next.equals(first)) {
                    next = bodies.take();
                }
                assertThat(next.getFirst()).isEqualTo(first.getLast() + 1);
                while (next.getLast() < 600) {
                    next = bodies.take();
                }
            }
            bodies.clear();
            write(jobs.directory(job.id()), 601, 602);
            try (var webhooks = new ChangeWebhooks(jobs, delivery(bodies, confirmed), POLL)) {
                webhooks.start();
                assertThat(bodies.take()).containsExactly(601L, 602L);
            }
        }
    }

    private static ChangeWebhooks.Delivery delivery(
            LinkedBlockingQueue<List<Long>> bodies, AtomicBoolean confirmed) {
        return (_, body) -> {
            bodies.add(
                    JsonMapper.shared()
                            .readTree(body)
                            .path("changes")
                            .valueStream()
                            .map(change -> change.path("seq").asLong())
                            .toList());
            return confirmed.get();
        };
    }

    private static void write(Path directory, int from, int to) throws IOException {
        Files.createDirectories(directory.resolve(DirectoryLayout.SINKS));
        var lines = new StringBuilder();
        for (var seq = from; seq <= to; seq++) {
            lines.append(
                    "{\"seq\":%d,\"before\":0,\"kind\":\"text\",\"url\":\"http://a.test/%d\",\"time\":\"2026-11-19T12:00:00Z\",\"since\":\"2026-11-18T12:00:00Z\"}\n"
                            .formatted(seq, seq));
        }
        Files.writeString(
                directory.resolve(DirectoryLayout.CHANGES),
                lines,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Returns the changes of the next call. */
    private List<JsonNode> nextCall(int job) throws Exception {
        var call = calls.poll(2, TimeUnit.MINUTES);
        assertThat(call).isNotNull();
        assertThat(call.get(0))
                .isEqualTo(
                        "sha256="
                                + Webhooks.sign(SECRET, call.get(2), call.get(1).getBytes(UTF_8)));
        var body = JsonMapper.shared().readTree(call.get(1));
        assertThat(body.path("event").asString()).isEqualTo("job.changes");
        assertThat(body.path("id").asInt()).isEqualTo(job);
        return body.path("changes").valueStream().toList();
    }
}
