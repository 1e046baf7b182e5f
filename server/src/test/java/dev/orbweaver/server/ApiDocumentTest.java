package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Runs the examples of docs/api.md. */
class ApiDocumentTest {

    private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");
    private static final Pattern CONTINUES =
            Pattern.compile("/jobs(/1/(resume|recrawl|seeds|dead-letters/retry))?$");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @TempDir Path data;

    /** The request of an example, parsed from its curl command. */
    private record Example(String method, String path, List<String> headers, String body) {

        static Example of(String command) {
            var words = new ArrayList<String>();
            var matcher = WORD.matcher(command);
            while (matcher.find()) {
                words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
            }
            assertThat(words.getFirst()).as(command).isEqualTo("curl");
            var method = "GET";
            var url = "";
            var body = "";
            var headers = new ArrayList<String>();
            for (var i = 1; i < words.size(); i++) {
                switch (words.get(i)) {
                    case "-X" -> method = words.get(++i);
                    case "-H" -> headers.add(words.get(++i));
                    case "-d" -> body = words.get(++i);
                    case "--max-time" -> i++;
                    case "-s", "-N", "-OJ" -> {}
                    default -> url = words.get(i);
                }
            }
            assertThat(url).as(command).startsWith("http://127.0.0.1:8080/");
            return new Example(
                    method, url.substring("http://127.0.0.1:8080".length()), headers, body);
        }
    }

    @Test
    void everyExampleGetsTheDocumentedResponse() throws Exception {
        var text = Files.readString(ProjectFiles.of("docs/api.md"));
        var examples = new ArrayList<Example>();
        var blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            blocks.group(1).replace("\\\n", " ").lines().map(Example::of).forEach(examples::add);
        }
        assertThat(examples).hasSizeGreaterThan(25);
        try (var site = ServedSite.documentation(10);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            for (var example : examples) {
                if (example.path.endsWith("/events")) {
                    continue; // It does not end; EventsTest covers it.
                }
                var there = site.url("");
                var request =
                        apiClient
                                .request(example.path.replace("http://127.0.0.1:8000", there))
                                .method(
                                        example.method,
                                        BodyPublishers.ofString(
                                                example.body.replace(
                                                        "http://127.0.0.1:8000", there)));
                example.headers.forEach(
                        header -> {
                            var colon = header.indexOf(':');
                            request.header(
                                    header.substring(0, colon),
                                    header.substring(colon + 1).strip());
                        });
                var response = apiClient.send(request.build());
                assertThat(response.statusCode())
                        .as("%s: %s", example, response.body())
                        .isBetween(200, 299);
                if (example.method.equals("POST")
                        && CONTINUES.matcher(example.path).find()) { // Job 1, or a new one.
                    var _ = apiClient.awaitEnd(1);
                }
            }
        }
    }
}
