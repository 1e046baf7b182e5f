package dev.orbweaver.server;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.testing.Eventually;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** An HTTP client of the REST API. */
public final class ApiClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;
    private final Optional<String> token;

    /** Creates a client for a loopback port. */
    public ApiClient(int port) {
        this(port, Optional.empty());
    }

    /** Creates a client that sends a token. */
    public ApiClient(int port, Optional<String> token) {
        this.port = port;
        this.token = token;
    }

    /** Settings that let a test crawl loopback quickly. */
    public static LocalJobs.LocalJobsSettings settings(Path data) {
        return new LocalJobs.LocalJobsSettings(
                data,
                64,
                50,
                true,
                new SettingValues().put("min-free-disk", "0").put("delay", "0"));
    }

    /** Starts a service on a free port. */
    public static CrawlServer serve(Path data) throws Exception {
        return CrawlServer.start(settings(data), CrawlServer.HttpSettings.onLoopback(0));
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(uri(path)).timeout(TIMEOUT);
        token.ifPresent(text -> request.header("Authorization", "Bearer " + text));
        return request;
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    /** Sends a request without a body. */
    public HttpResponse<String> call(String method, String path)
            throws IOException, InterruptedException {
        return send(request(path).method(method, BodyPublishers.noBody()).build());
    }

    /** Sends a request with a JSON body. */
    public HttpResponse<String> call(String method, String path, String json)
            throws IOException, InterruptedException {
        return send(
                request(path)
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(json))
                        .build());
    }

    /** Starts a request without a body. */
    CompletableFuture<HttpResponse<String>> start(String method, String path) {
        return client.sendAsync(
                request(path).method(method, BodyPublishers.noBody()).build(),
                BodyHandlers.ofString());
    }

    /** Starts a request with a JSON body. */
    CompletableFuture<HttpResponse<String>> start(String method, String path, String json) {
        return client.sendAsync(
                request(path)
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(json))
                        .build(),
                BodyHandlers.ofString());
    }

    /** Sends a request without a body, again where the rate is limited. */
    HttpResponse<String> callWithinRate(String method, String path)
            throws IOException, InterruptedException {
        var response = call(method, path);
        for (var attempt = 0; response.statusCode() == 429 && attempt < 10; attempt++) {
            Thread.sleep(1_000 * response.headers().firstValueAsLong("Retry-After").orElse(1));
            response = call(method, path);
        }
        return response;
    }

    /**
     * Returns the JSON response of a GET request, which is sent again where the rate is limited.
     */
    public JsonNode get(String path) throws IOException, InterruptedException {
        var response = callWithinRate("GET", path);
        if (response.statusCode() >= 400) {
            throw new IOException(path + ": " + response.statusCode() + " " + response.body());
        }
        return JsonMapper.shared().readTree(response.body());
    }

    /** Creates a job and returns its id. */
    public int submit(String seed, String settings) throws IOException, InterruptedException {
        var response =
                call(
                        "POST",
                        "/api/v1/jobs",
                        "{\"seeds\":[\"%s\"],\"settings\":%s}".formatted(seed, settings));
        if (response.statusCode() != 202) {
            throw new IOException(response.statusCode() + ": " + response.body());
        }
        return JsonMapper.shared().readTree(response.body()).path("id").asInt();
    }

    /** Waits until a job meets a condition, and returns it. */
    public JsonNode await(int job, Predicate<JsonNode> wanted)
            throws IOException, InterruptedException {
        try {
            return Eventually.<JsonNode, Exception>value(
                    TIMEOUT,
                    "job " + job + " in the expected state",
                    () -> get("/api/v1/jobs/" + job),
                    wanted);
        } catch (IOException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** Waits until a job has ended and all its pages are indexed. */
    public JsonNode awaitEnd(int job) throws IOException, InterruptedException {
        return await(
                job,
                now ->
                        now.path("ended").isString()
                                && now.path("search").path("indexed").asLong()
                                        >= now.path("counts").path("pages").asLong());
    }

    @Override
    public void close() {
        client.close();
    }
}
