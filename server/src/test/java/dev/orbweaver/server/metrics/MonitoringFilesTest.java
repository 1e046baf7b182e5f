package dev.orbweaver.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.ServedSite;
import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The Grafana dashboard and the alert rules use only metrics and labels that the service has. */
@Slow
class MonitoringFilesTest {

    /** A metric, with or without a selector. Functions are followed by a parenthesis. */
    private static final Pattern METRIC =
            Pattern.compile("\\b((?:orbweaver|jvm|process)_[a-z_]+)\\b(\\{[^}]*})?");

    private static final Pattern LABEL = Pattern.compile("([a-z]+)(?:=~|!~|!=|=)\"");
    private static final Pattern BY = Pattern.compile("by \\(([a-z, ]+)\\)");

    /** Added by Prometheus. */
    private static final Set<String> OWN_LABELS = Set.of("instance", "job", "le");

    @TempDir Path data;

    private static List<String> dashboardQueries() throws IOException {
        var dashboard =
                JsonMapper.shared()
                        .readTree(
                                Files.readString(ProjectFiles.of("deploy/grafana-dashboard.json")));
        var queries = new ArrayList<String>();
        for (JsonNode panel : dashboard.path("panels")) {
            panel.path("targets").forEach(target -> queries.add(target.path("expr").asString()));
        }
        dashboard
                .at("/templating/list")
                .forEach(variable -> queries.add(variable.path("query").asString()));
        return queries;
    }

    private static List<String> alertQueries() throws IOException {
        return Files.readAllLines(ProjectFiles.of("deploy/prometheus-alerts.yaml")).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("expr: "))
                .map(line -> line.substring("expr: ".length()))
                .toList();
    }

    private Exposition metrics() throws Exception {
        try (var site = ServedSite.documentation(3);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var done = apiClient.submit(site.url("/"), "{}");
            var failed = apiClient.submit("http://127.0.0.1:1/", "{\"max-retries\":\"0\"}");
            var _ = apiClient.awaitEnd(done);
            var _ = apiClient.awaitEnd(failed);
            return new Exposition(apiClient.call("GET", "/metrics").body());
        }
    }

    @Test
    void everyMetricAndLabelOfAQueryExists() throws Exception {
        var metrics = metrics();
        var queries = new ArrayList<>(dashboardQueries());
        assertThat(queries).hasSizeGreaterThan(15);
        var alerts = alertQueries();
        assertThat(alerts).hasSizeGreaterThan(6);
        queries.addAll(alerts);
        for (var query : queries) {
            var labels = new TreeSet<String>();
            var used = new TreeSet<>(OWN_LABELS);
            METRIC.matcher(query)
                    .results()
                    .forEach(
                            metric -> {
                                var name = metric.group(1);
                                assertThat(metrics.names()).as(query).contains(name);
                                metrics.of(name).keySet().forEach(key -> labels(key, used));
                                labels(Optional.ofNullable(metric.group(2)).orElse(""), labels);
                            });
            BY.matcher(query)
                    .results()
                    .forEach(by -> labels.addAll(List.of(by.group(1).split(", ", -1))));
            if (!query.startsWith("up{")) {
                assertThat(used).as(query).containsAll(labels);
            }
        }
    }

    private static void labels(String selector, Set<String> names) {
        LABEL.matcher(selector).results().forEach(label -> names.add(label.group(1)));
    }

    @Test
    void promtoolAcceptsTheRules() throws Exception {
        var report =
                Exposition.promtool(
                        data, "check", "rules", ProjectFiles.of("deploy/prometheus-alerts.yaml"));
        assertThat(report).contains("SUCCESS: 9 rules found");
    }
}
