package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** Live events over real HTTP. */
@Slow
class EventsTest {

    private static final int TIMEOUT_MILLIS = 120_000;

    /** One event as received by a client. */
    private record Event(String type, OptionalLong id, JsonNode data) {}

    /** A client subscribed to events. */
    private static final class Listener implements AutoCloseable {
        private final HttpURLConnection connection;
        private final BufferedReader in;

        Listener(ApiClient apiClient, int job, long lastId) throws IOException {
            connection =
                    (HttpURLConnection)
                            apiClient
                                    .uri("/api/v1/jobs/" + job + "/events")
                                    .toURL()
                                    .openConnection();
            connection.setReadTimeout(TIMEOUT_MILLIS);
            if (lastId >= 0) {
                connection.setRequestProperty("Last-Event-ID", Long.toString(lastId));
            }
            in =
                    new BufferedReader(
                            new InputStreamReader(
                                    connection.getInputStream(), StandardCharsets.UTF_8));
        }

        Event next() throws IOException {
            var type = "";
            var id = OptionalLong.empty();
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("event: ")) {
                    type = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    id = OptionalLong.of(Long.parseLong(line.substring(4)));
                } else if (line.startsWith("data: ")) {
                    return new Event(type, id, JsonMapper.shared().readTree(line.substring(6)));
                }
            }
            throw new IOException("the stream has ended");
        }

        List<Event> until(Predicate<Event> last) throws IOException {
            var events = new ArrayList<Event>();
            do {
                events.add(next());
            } while (!last.test(events.getLast()));
            return events;
        }

        @Override
        public void close() {
            connection.disconnect();
        }
    }

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void open() throws Exception {
        site = ServedSite.documentation(20);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private static boolean isEnd(Event event) {
        return event.type.equals("state") && event.data.path("state").asString().equals("finished");
    }

    private static List<Long> ids(List<Event> events) {
        return events.stream()
                .filter(event -> event.id.isPresent())
                .map(event -> event.id.getAsLong())
                .toList();
    }

    @Test
    void aSubscriberReceivesStatesPagesErrorsAndProgressInOrder() throws Exception {
        site.respondAfter(60);
        var job = apiClient.submit(site.url("/"), "{\"delay\":\"20ms\"}");
        try (var listener = new Listener(apiClient, job, 0)) {
            var events = listener.until(EventsTest::isEnd);
            assertThat(events.stream().map(Event::type))
                    .contains("state", "page", "error", "progress", "host");
            assertThat(ids(events)).isSorted().doesNotHaveDuplicates();
            var pages = events.stream().filter(event -> event.type.equals("page")).count();
            assertThat(pages).isEqualTo(21);
        }
    }

    @Test
    void aReconnectedClientReceivesEveryEventExactlyOnce() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        List<Event> all;
        try (var listener = new Listener(apiClient, job, 0)) {
            all = listener.until(EventsTest::isEnd);
        }
        assertThat(all.stream().filter(event -> event.type.equals("page"))).hasSize(21);
        assertThat(all.stream().filter(event -> event.type.equals("error"))).hasSize(3);
        assertThat(all.stream().filter(event -> event.type.equals("state"))).hasSize(3);
        var middle = ids(all).get(10);
        try (var listener = new Listener(apiClient, job, middle)) {
            var rest = ids(listener.until(EventsTest::isEnd));
            assertThat(rest).isEqualTo(ids(all).stream().filter(id -> id > middle).toList());
        }
    }

    @Test
    void eventIdsContinueAfterARestart() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var last = apiClient.awaitEnd(job).path("lastEventId").asLong();
        crawlServer.close();
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
        assertThat(apiClient.get("/api/v1/jobs/" + job).path("lastEventId").asLong())
                .isEqualTo(last);
        try (var listener = new Listener(apiClient, job, last)) {
            assertThat(apiClient.call("POST", "/api/v1/jobs/" + job + "/resume").statusCode())
                    .isEqualTo(200);
            var events = listener.until(EventsTest::isEnd);
            assertThat(ids(events).getFirst()).isEqualTo(last + 1);
        }
    }

    @Test
    void anUnknownEventIdMeansReset() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var last = apiClient.awaitEnd(job).path("lastEventId").asLong();
        try (var listener = new Listener(apiClient, job, last + 100)) {
            assertThat(listener.next().type).isEqualTo("reset");
        }
    }

    @Test
    void anIndexThatCannotBeOpenedIsAnErrorAndNotAnEndOfEvents() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        var index = crawlServer.jobs().directory(new JobId(job)).resolve("search");
        crawlServer.close();
        try (var files = Files.list(index)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(index);
        Files.writeString(index, "not a directory");
        crawlServer = ApiClient.serve(data);
        apiClient.close();
        apiClient = new ApiClient(crawlServer.port());
        var response = apiClient.call("GET", "/api/v1/jobs/" + job + "/events");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(500);
        assertThat(response.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/problem+json");
    }

    @Test
    void anUnreadableLogFailsAReplay() throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        var log = crawlServer.jobs().directory(new JobId(job)).resolve(DirectoryLayout.PAGE_LOG);
        var aside = Files.move(log, log.resolveSibling("aside"));
        Files.createDirectory(log);
        try {
            var response = apiClient.call("GET", "/api/v1/jobs/" + job + "/events?lastEventId=0");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(500);
            assertThat(response.body()).startsWith("{");
        } finally {
            Files.delete(log);
            var _ = Files.move(aside, log);
        }
    }

    /** Creates page log lines of four kilobytes, so that there are more than can be replayed. */
    @Test
    void anEventIdBeforeTheTailMeansResetAndALaterOneDoesNot() throws Exception {
        var links = new StringBuilder();
        for (var i = 0; i < 1_200; i++) {
            links.append("<a href=%d/%s>x</a>".formatted(i, "long".repeat(1_000)));
        }
        // Two pages, because the links of one page are limited in length.
        site.html("/", "Home", "<a href=/more/>x</a>" + links);
        site.html("/more/", "More", links.toString());
        var job = apiClient.submit(site.url("/"), "{\"concurrency-per-host\":\"16\"}");
        var last = apiClient.awaitEnd(job).path("lastEventId").asLong();
        assertThat(last).isGreaterThan(2_400);
        try (var listener = new Listener(apiClient, job, 3)) {
            assertThat(listener.next().type).isEqualTo("reset");
        }
        try (var listener = new Listener(apiClient, job, last - 100)) {
            var rest = listener.until(EventsTest::isEnd);
            assertThat(rest.stream().map(Event::type)).doesNotContain("reset");
            assertThat(ids(rest).getFirst()).isEqualTo(last - 99);
        }
    }

    @Test
    void anIdleSubscriberReceivesHeartbeats() throws Exception {
        var open = CrawlServer.HttpSettings.onLoopback(0);
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        crawlServer.close();
        crawlServer =
                CrawlServer.start(
                        ApiClient.settings(data),
                        new CrawlServer.HttpSettings(
                                open.address(),
                                0,
                                open.tokens(),
                                open.callsPerSecond(),
                                1,
                                open.openJobsMax(),
                                50));
        apiClient.close();
        apiClient = new ApiClient(crawlServer.port());
        try (var listener = new Listener(apiClient, job, -1)) {
            for (var beats = 0; beats < 3; ) {
                beats += listener.in.readLine().equals(": beat") ? 1 : 0;
            }
            var second = apiClient.call("GET", "/api/v1/jobs/" + job + "/events");
            assertThat(second.statusCode())
                    .as("one subscriber is allowed, and there is one")
                    .isEqualTo(429);
        }
    }

    @Test
    void manySubscribersAreServedAndDoNotStopTheCrawl() throws Exception {
        site.respondAfter(20);
        var job = apiClient.submit(site.url("/"), "{\"delay\":\"10ms\"}");
        var listeners = new ArrayList<Listener>();
        try {
            for (var i = 0; i < 200; i++) {
                listeners.add(new Listener(apiClient, job, 0));
            }
            assertThat(apiClient.awaitEnd(job).path("counts").path("pages").asInt()).isEqualTo(21);
            var heard = new HashSet<Integer>();
            for (var listener : listeners) {
                heard.add(
                        (int)
                                listener.until(EventsTest::isEnd).stream()
                                        .filter(event -> event.type.equals("page"))
                                        .count());
            }
            assertThat(heard).containsExactly(21);
        } finally {
            listeners.forEach(Listener::close);
        }
    }
}
