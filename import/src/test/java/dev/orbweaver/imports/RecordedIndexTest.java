package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.imports.SourceServer.Reply;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Replays recorded responses of index servers. The server answers a request with what was recorded
 * for its index, URL pattern and page; a response of 5xx is sent once, then what followed it. The
 * expected URLs are read from the recordings by code that shares nothing with the sources.
 */
class RecordedIndexTest {

    /** Recordings of a pattern in the shared test cases; there may be more. */
    private static final int RECORDINGS_MIN = 17;

    /** The recorded list of all crawls, newest first. */
    private static final String COLLINFO = "cdx/test_get_cc_endpoints.jsonl";

    @TempDir private Path directory;

    @TestFactory
    Stream<DynamicTest> theUrlsOfEveryRecordingAreRead() throws IOException {
        var tests = new ArrayList<DynamicTest>();
        try (var files = Files.list(Vectors.path("cdx"))) {
            for (var file : files.filter(RecordedIndexTest::isRecording).sorted().toList()) {
                var recordings = recordings(file);
                for (var recording : recordings.values()) {
                    var name = file.getFileName() + " " + recording.host + " " + recording.pattern;
                    tests.add(DynamicTest.dynamicTest(name, () -> replay(recording)));
                }
            }
        }
        assertThat(tests).hasSizeGreaterThanOrEqualTo(RECORDINGS_MIN);
        return tests.stream();
    }

    private static boolean isRecording(Path file) {
        return file.toString().endsWith(".jsonl");
    }

    /** What was recorded of one server for one URL pattern. */
    private static final class Recording {

        private final String host;
        private final String pattern;

        /** Responses by path and page, in the order in which they were recorded. */
        private final Map<String, List<JsonNode>> responses = new LinkedHashMap<>();

        private final Set<String> paths = new LinkedHashSet<>();

        Recording(String host, String pattern) {
            this.host = host;
            this.pattern = pattern;
        }

        boolean isWayback() {
            return !host.contains("commoncrawl");
        }

        void add(String path, JsonNode exchange) {
            paths.add(path);
            responses
                    .computeIfAbsent(path + " " + page(exchange), _ -> new ArrayList<>())
                    .add(exchange);
        }

        List<JsonNode> responses(String path, String page) {
            return responses.getOrDefault(path + " " + page, List.of());
        }

        /** Returns the response to the n-th request for a page. */
        JsonNode response(String path, String page, int number) {
            var all = responses(path, page);
            return all.get(Math.min(number, all.size() - 1));
        }

        /** Returns how many pages were recorded that the server did not call invalid. */
        long pages(String path) {
            return responses.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(path + " "))
                    .filter(entry -> status(entry.getValue().getLast()) != 400)
                    .count();
        }
    }

    private static String page(JsonNode exchange) {
        return exchange.path("request_params").path("page").asString("0");
    }

    private static int status(JsonNode exchange) {
        return exchange.path("response_status_code").asInt();
    }

    private static Map<String, Recording> recordings(Path file) throws IOException {
        var recordings = new LinkedHashMap<String, Recording>();
        for (var line : Files.readAllLines(file)) {
            var exchange = JsonMapper.shared().readTree(line);
            var pattern = exchange.path("request_params").path("url").asString("");
            if (!pattern.isEmpty()) {
                var url = exchange.path("url").asString();
                var path = url.indexOf('/', "https://".length());
                var host = url.substring("https://".length(), path);
                recordings
                        .computeIfAbsent(host + " " + pattern, _ -> new Recording(host, pattern))
                        .add(url.substring(path), exchange);
            }
        }
        return recordings;
    }

    private void replay(Recording recording) throws Exception {
        var asked = new LinkedHashMap<String, Integer>();
        var collinfo = collinfo(recording);
        try (var server =
                SourceServer.start(
                        request -> {
                            if (request.path().equals("/collinfo.json")) {
                                return Reply.json(collinfo);
                            }
                            assertThat(request.parameter("url")).isEqualTo(recording.pattern);
                            if (!request.parameter("showNumPages").isEmpty()) {
                                return pages(recording, request.path());
                            }
                            var page = request.query().getOrDefault("page", "0");
                            var number = asked.merge(request.path() + page, 1, Integer::sum) - 1;
                            return reply(recording.response(request.path(), page, number));
                        })) {
            var run =
                    recording.isWayback()
                            ? SourceRun.of(
                                    directory,
                                    "wayback:" + recording.pattern,
                                    "wayback-endpoint",
                                    server.url(recording.paths.iterator().next()))
                            : SourceRun.of(
                                    directory,
                                    "common-crawl:" + recording.pattern + "#crawls=1000",
                                    "common-crawl-endpoint",
                                    server.url("/"));

            assertThat(new TreeSet<>(run.urls())).isEqualTo(expected(recording));
            // A page of a server that is no index server is an error, and nothing else is.
            assertThat(run.failure.isEmpty()).isEqualTo(!isForeign(recording));
            if (!recording.isWayback()) {
                assertThat(server.paths()).containsAll(recording.paths);
            }
        }
    }

    /** Returns the recorded list, unless a crawl of the recording is not in it. */
    private static String collinfo(Recording recording) throws IOException {
        var recorded = collinfo();
        var listed = recording.paths.stream().allMatch(path -> recorded.contains(path + "\""));
        return listed ? recorded : ownCollinfo(recording);
    }

    private static String collinfo() throws IOException {
        var exchange = JsonMapper.shared().readTree(Files.readString(Vectors.path(COLLINFO)));
        return exchange.path("response_text").asString();
    }

    private static String ownCollinfo(Recording recording) {
        var list = JsonMapper.shared().createArrayNode();
        for (var path : recording.paths) {
            list.addObject()
                    .put("id", path.substring(1).replace("-index", ""))
                    .put("cdx-api", "https://index.commoncrawl.org" + path);
        }
        return list.toString();
    }

    /** Where a page 0 without captures was recorded, the number of pages was 404 as well. */
    private static Reply pages(Recording recording, String path) {
        if (!recording.paths.contains(path)) {
            return new Reply(404, "text/plain", "{\"message\": \"No Captures found\"}");
        }
        var last = recording.responses(path, "0").getLast();
        return status(last) == 404
                ? reply(last)
                : Reply.json(
                        "{\"pages\": %d, \"pageSize\": 5, \"blocks\": 9}"
                                .formatted(recording.pages(path)));
    }

    private static Reply reply(JsonNode exchange) {
        return new Reply(
                status(exchange), "text/plain", exchange.path("response_text").asString(""));
    }

    private static boolean isForeign(Recording recording) {
        return recording.responses.values().stream()
                .flatMap(List::stream)
                .anyMatch(exchange -> exchange.path("response_text").asString("").startsWith("<!"));
    }

    private static Set<String> expected(Recording recording) {
        var urls = new TreeSet<String>();
        recording.responses.values().stream()
                .flatMap(List::stream)
                .filter(exchange -> status(exchange) == 200)
                .forEach(exchange -> addUrls(exchange.path("response_text").asString(), urls));
        return urls;
    }

    private static void addUrls(String text, Set<String> urls) {
        if (text.startsWith("[")) {
            var rows = JsonMapper.shared().readTree(text);
            for (var i = 1; i < rows.size(); i++) {
                urls.add(rows.get(i).get(2).asString());
            }
        } else {
            text.lines()
                    .map(line -> JsonMapper.shared().readTree(line).path("url").asString())
                    .forEach(urls::add);
        }
    }
}
