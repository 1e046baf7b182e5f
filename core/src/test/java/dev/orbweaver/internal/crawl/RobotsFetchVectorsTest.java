package dev.orbweaver.internal.crawl;

import static dev.orbweaver.internal.crawl.VisitHarness.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.spi.Fetcher.Resolution;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.regex.Pattern;

/** Replays robots.txt responses of servers to visits; only the outcome of the pages is checked. */
class RobotsFetchVectorsTest {

    private static final int REQUESTS_MAX = 20;
    private static final String HOST = "http://a.test";
    private static final Pattern FILLED = Pattern.compile("(?s).*to byte ([\\d,]+), then (.*)");

    @Test
    void everyFetchOutcomeIsReadAsTheStandardSays() {
        var failures = new ArrayList<String>();
        var count = 0;
        for (var vector : Vectors.json("robots/fetch-outcomes.json")) {
            for (var expected : vector.path("expect").properties()) {
                count++;
                var fetched = fetched(vector, expected.getKey());
                if (fetched != expected.getValue().asString().startsWith("allow")) {
                    failures.add(
                            vector.path("id").asString()
                                    + " ("
                                    + vector.path("level").asString()
                                    + "): "
                                    + expected);
                }
            }
        }
        assertThat(count).isPositive();
        assertThat(failures).as(failures.size() + " of " + count).isEmpty();
    }

    private static boolean fetched(JsonNode vector, String path) {
        var visitHarness = new VisitHarness();
        var steps = vector.path("steps");
        for (var request = 0; request < REQUESTS_MAX; request++) {
            if (request > 0 && request < steps.size()) {
                visitHarness.advance(Duration.ofHours(25)); // Cached rules must be fetched again.
            }
            var visit = visitHarness.visit(HOST + path);
            var step = visit.begin(visitHarness.now);
            if (!(step instanceof Step.Resolve(var asked))) {
                return false;
            }
            if (asked.equals(url(HOST + path))) {
                return true;
            }
            var server = steps.get(Math.min(request, steps.size() - 1));
            if (server.has("error")) {
                return !(visit.resolved(new Resolution.NotFound("nxdomain"), visitHarness.now)
                        instanceof Step.End);
            }
            var _ =
                    visitHarness.respondRobots(
                            visit, asked, status(server), body(server), fields(server));
        }
        return false;
    }

    private static int status(JsonNode server) {
        return server.path("status").asInt();
    }

    private static String[] fields(JsonNode server) {
        if (status(server) / 100 != 3) {
            return new String[0];
        }
        var location = server.path("location").asString("/robots.txt");
        return new String[] {"Location: " + location.replaceAll("^self$", "/robots.txt")};
    }

    private static String body(JsonNode server) {
        var body = server.path("body").asString("");
        var filled = FILLED.matcher(body);
        if (!filled.matches()) {
            return body;
        }
        var bytes = Integer.parseInt(filled.group(1).replace(",", ""));
        return "#".repeat(bytes - 1) + "\n" + filled.group(2).replace("\\n", "\n");
    }
}
