package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The OpenAPI document types every call, and what the service sends has these types. */
@Slow
class OpenApiTest {

    @TempDir static Path data;
    private static ServedSite site;
    private static CrawlServer crawlServer;
    private static ApiClient apiClient;
    private static JsonNode document;

    @BeforeAll
    static void crawlASite() throws Exception {
        site = ServedSite.documentation(10);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
        document = apiClient.get("/api/v1/openapi.json");
        var job = apiClient.submit(site.url("/"), "{\"max-pages\":\"100\",\"delay\":\"150ms\"}");
        var _ = apiClient.awaitEnd(job);
        var failed = apiClient.submit("http://127.0.0.1:1/", "{\"max-retries\":\"0\"}");
        var _ = apiClient.awaitEnd(failed);
        created(
                "/schedules",
                "{\"cron\":\"@yearly\",\"job\":{\"seeds\":[\"%s\"]}}".formatted(site.url("/")));
        created("/schedules/1/run", "{}");
        var template = "{\"settings\":{\"max-pages\":5},\"keep\":{\"runs\":3}}";
        assertThat(apiClient.call("PUT", "/api/v1/templates/small", template).statusCode())
                .isEqualTo(201);
        created("/jobs/1/exports", "{\"format\":\"csv\"}");
        Eventually.until(
                "the export is ready",
                () ->
                        apiClient
                                .get("/api/v1/jobs/1/exports/tasks/1")
                                .path("state")
                                .asString()
                                .equals("ready"));
        Eventually.until(
                "the job of the schedule has ended",
                () -> apiClient.get("/api/v1/jobs?state=finished").path("total").asInt() == 2);
    }

    private static void created(String path, String body) throws Exception {
        var response = apiClient.call("POST", "/api/v1" + path, body);
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    }

    @AfterAll
    static void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private static JsonNode resolve(JsonNode schema) {
        return schema.has("$ref")
                ? document.at(schema.path("$ref").asString().substring(1))
                : schema;
    }

    /** Adds a sentence for everything in a value that its schema does not have. */
    private static void check(JsonNode given, JsonNode value, String place, Set<String> problems) {
        var schema = resolve(given);
        if (schema.has("anyOf")) {
            var least = new TreeSet<String>();
            var first = true;
            for (var each : schema.path("anyOf")) {
                var own = new TreeSet<String>();
                check(each, value, place, own);
                if (first || own.size() < least.size()) {
                    least = own;
                }
                first = false;
            }
            problems.addAll(least);
            return;
        }
        if (!schema.has("allOf") && !types(schema).contains(type(value))) {
            problems.add(
                    "%s is %s, not %s"
                            .formatted(place, type(value), String.join(", ", types(schema))));
            return;
        }
        if (schema.has("enum") && schema.path("enum").valueStream().noneMatch(value::equals)) {
            problems.add("%s is %s, which is not listed".formatted(place, value));
        }
        if (value.isArray()) {
            value.forEach(each -> check(schema.path("items"), each, place + "[]", problems));
        }
        if (value.isObject()) {
            var properties = JsonMapper.shared().createObjectNode();
            var required = new TreeSet<String>();
            addProperties(schema, properties, required);
            required.stream()
                    .filter(name -> !value.has(name))
                    .forEach(name -> problems.add(place + "." + name + " is missing"));
            for (var each : value.properties()) {
                var name = place + "." + each.getKey();
                if (properties.has(each.getKey())) {
                    check(properties.get(each.getKey()), each.getValue(), name, problems);
                } else if (schema.path("additionalProperties").isObject()) {
                    check(schema.path("additionalProperties"), each.getValue(), name, problems);
                } else if (!schema.path("additionalProperties").asBoolean(false)) {
                    problems.add(name + " is not described: " + each.getValue());
                }
            }
        }
    }

    private static void addProperties(
            JsonNode schema, ObjectNode properties, Set<String> required) {
        schema.path("allOf").forEach(each -> addProperties(resolve(each), properties, required));
        schema.path("required").forEach(name -> required.add(name.asString()));
        schema.path("properties")
                .properties()
                .forEach(each -> properties.set(each.getKey(), each.getValue()));
    }

    private static List<String> types(JsonNode schema) {
        var type = schema.path("type");
        var names = new ArrayList<String>();
        if (type.isArray()) {
            type.forEach(each -> names.add(each.asString()));
        } else {
            names.add(type.asString(""));
        }
        if (names.contains("number")) {
            names.add("integer");
        }
        return names;
    }

    private static String type(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case STRING, BINARY -> "string";
            case BOOLEAN -> "boolean";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case NULL, MISSING -> "null";
        };
    }

    @Test
    void everyResponseHasTheTypesOfItsSchema() throws Exception {
        var problems = new TreeSet<String>();
        var checked = 0;
        for (var route : crawlServer.routes()) {
            var schema =
                    document.path("paths")
                            .path(route.path())
                            .path(route.method().toLowerCase(Locale.ROOT))
                            .path("responses")
                            .path("200")
                            .path("content")
                            .path("application/json")
                            .path("schema");
            if (!route.method().equals("GET")
                    || route.path().endsWith("openapi.json")
                    || schema.isMissingNode()) {
                continue;
            }
            for (var job : new String[] {"1", "2"}) {
                var path =
                        route.path()
                                        .replace(
                                                "{id}",
                                                route.path().contains("schedules") ? "1" : job)
                                        .replace("{seq}", "2")
                                        .replace("{host}", URI.create(site.url("/")).getHost())
                                        .replace("{task}", "1")
                                        .replace("{name}", "small")
                                + (route.path().endsWith("/why") ? "?url=" + site.url("/") : "");
                var response = apiClient.callWithinRate("GET", path);
                if (response.statusCode() == 200) {
                    var json = JsonMapper.shared().readTree(response.body());
                    check(schema, json, route.path(), problems);
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(30);
        assertThat(problems).isEmpty();
    }

    @Test
    void everyEventHasTheTypesOfItsSchema() throws Exception {
        var schemas =
                document.at("/paths").path("/api/v1/jobs/{id}/events").path("get").path("x-events");
        var problems = new TreeSet<String>();
        var seen = new HashSet<String>();
        var job = apiClient.submit(site.url("/"), "{\"delay\":\"200ms\"}");
        var request = apiClient.request("/api/v1/jobs/" + job + "/events?lastEventId=0").build();
        try (var client = HttpClient.newHttpClient();
                var lines = client.send(request, BodyHandlers.ofLines()).body()) {
            var type = new String[] {""};
            lines.takeWhile(line -> !line.contains("\"state\":\"finished\",\"reason\""))
                    .forEach(
                            line -> {
                                if (line.startsWith("event: ")) {
                                    type[0] = line.substring("event: ".length());
                                } else if (line.startsWith("data: ")) {
                                    seen.add(type[0]);
                                    check(
                                            schemas.path(type[0]),
                                            JsonMapper.shared()
                                                    .readTree(line.substring("data: ".length())),
                                            type[0],
                                            problems);
                                }
                            });
        }
        assertThat(seen).contains("state", "progress", "page", "error", "host");
        assertThat(problems).isEmpty();
    }

    @Test
    void everyCallHasItsOwnOperationIdAndTheDocumentNamesAServer() {
        assertThat(document.path("servers").size()).isPositive();
        var ids = new ArrayList<String>();
        for (var route : crawlServer.routes()) {
            ids.add(
                    document.path("paths")
                            .path(route.path())
                            .path(route.method().toLowerCase(Locale.ROOT))
                            .path("operationId")
                            .asString(""));
        }
        assertThat(ids).allMatch(id -> id.matches("[a-z]+[A-Za-z]*")).doesNotHaveDuplicates();
    }

    @Test
    void everySchemaHasATypeDownToItsFields() {
        var untyped = new TreeSet<String>();
        document.at("/components/schemas")
                .properties()
                .forEach(each -> requireTypes(each.getValue(), each.getKey(), untyped));
        document.path("paths")
                .properties()
                .forEach(path -> findSchemas(path.getValue(), path.getKey(), untyped));
        assertThat(untyped).isEmpty();
    }

    private static void findSchemas(JsonNode node, String place, Set<String> untyped) {
        for (var each : node.properties()) {
            if (each.getKey().equals("schema")) {
                requireTypes(each.getValue(), place, untyped);
            } else {
                findSchemas(each.getValue(), place, untyped);
            }
        }
        if (node.isArray()) {
            node.forEach(each -> findSchemas(each, place, untyped));
        }
    }

    private static void requireTypes(JsonNode schema, String place, Set<String> untyped) {
        if (schema.has("$ref")) {
            if (resolve(schema).isMissingNode()) {
                untyped.add(place + " refers to nothing");
            }
            return;
        }
        for (var join : List.of("allOf", "anyOf")) {
            schema.path(join).forEach(each -> requireTypes(each, place, untyped));
        }
        var types = types(schema);
        if (types.equals(List.of("")) && !schema.has("allOf") && !schema.has("anyOf")) {
            untyped.add(place + " has no type");
        }
        if (types.contains("array") && schema.path("items").isMissingNode()) {
            untyped.add(place + " has no items");
        }
        if (schema.has("properties") && schema.path("required").isMissingNode()) {
            untyped.add(place + " does not say which properties are required");
        }
        schema.path("required")
                .forEach(
                        name -> {
                            if (!schema.path("properties").has(name.asString())) {
                                untyped.add(place + " requires an unknown " + name);
                            }
                        });
        if (types.contains("object")
                && !schema.has("properties")
                && schema.path("additionalProperties").isMissingNode()) {
            untyped.add(place + " has no properties");
        }
        schema.path("properties")
                .properties()
                .forEach(
                        each ->
                                requireTypes(
                                        each.getValue(), place + "." + each.getKey(), untyped));
        if (schema.has("items")) {
            requireTypes(schema.path("items"), place + "[]", untyped);
        }
        if (schema.path("additionalProperties").isObject()) {
            requireTypes(schema.path("additionalProperties"), place + ".*", untyped);
        }
    }
}
