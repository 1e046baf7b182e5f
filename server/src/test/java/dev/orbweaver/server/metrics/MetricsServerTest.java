package dev.orbweaver.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.TransferStats;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

class MetricsServerTest {

    private final Metrics metrics =
            new Metrics(
                    () ->
                            new Metrics.MetricsSnapshot(
                                    new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0),
                                    new FrontierStats(
                                            new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0),
                                            new FrontierStats.Hosts(0, 0, 0, 0, 0),
                                            Map.of(),
                                            Map.of()),
                                    Map.of(),
                                    0,
                                    0,
                                    0,
                                    Map.of(),
                                    0,
                                    List.of(),
                                    TransferStats.NONE));

    @AfterEach
    void close() {
        metrics.close();
    }

    private static HttpResponse<String> send(MetricsServer server, String method, String path)
            throws IOException, InterruptedException {
        var uri = URI.create("http://127.0.0.1:" + server.port() + path);
        try (var client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(uri)
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /metrics, 200, true",
        "HEAD, /metrics, 200, false",
        "POST, /metrics, 405, false",
        "GET, /, 404, false",
        "GET, /metrics/x, 404, false"
    })
    void onlyReadsOfTheMetricsPathAreServed(String method, String path, int status, boolean shows)
            throws Exception {
        try (var server = MetricsServer.start("127.0.0.1:0", metrics)) {
            var response = send(server, method, path);
            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(response.body().contains("orbweaver_pages_total 16.0")).isEqualTo(shows);
        }
    }

    @Test
    void theContentTypeIsThePrometheusTextFormat() throws Exception {
        try (var server = MetricsServer.start("0", metrics)) {
            assertThat(send(server, "GET", "/metrics").headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1"})
    void anInvalidMetricsAddressIsRejected(String place) {
        assertThatThrownBy(() -> MetricsServer.start(place, metrics))
                .isInstanceOf(IOException.class)
                .hasMessage("--metrics must be ADDR:PORT or PORT, not '" + place + "'");
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (var server = MetricsServer.start("127.0.0.1:0", metrics)) {
            var place = "127.0.0.1:" + server.port();
            assertThatThrownBy(() -> MetricsServer.start(place, metrics))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(place);
        }
    }
}
