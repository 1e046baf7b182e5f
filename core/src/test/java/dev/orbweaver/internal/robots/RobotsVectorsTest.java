package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/** The external test cases for robots.txt. */
class RobotsVectorsTest {

    @ParameterizedTest
    @ValueSource(strings = {"allow-rfc9309", "allow-google", "allow-others"})
    void verdictsAreThoseOfTheStandardAndOfOtherParsers(String name) {
        var failures = new Failures();
        for (var c : Vectors.json("robots/" + name + ".json")) {
            var rules = parse(c, c.get("agent").asString());
            var verdict = rules.evaluate(pathAndQuery(c.get("url").asString()));
            failures.check(
                    c.get("level").asString(),
                    verdict.allowed() == c.get("allowed").asBoolean(),
                    verdict + " for " + c);
        }
        failures.report(name);
    }

    @Test
    void realFilesAreJudgedAsThreeOtherParsersDo() throws IOException {
        var failures = new Failures();
        for (var file : Vectors.json("robots/wild.json")) {
            var name = file.get("file").asString();
            var bytes = Files.readAllBytes(Vectors.path("robots/" + name));
            for (var c : file.get("cases")) {
                var rules = RobotsRules.parse(bytes, bytes.length, c.get("agent").asString());
                var verdict = rules.evaluate(pathAndQuery(c.get("url").asString()));
                failures.check(
                        "must",
                        verdict.allowed() == c.get("allowed").asBoolean(),
                        name + ": " + verdict + " for " + c);
            }
        }
        failures.report("wild");
    }

    @Test
    void productTokensAreToldFromOtherText() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/agent-token.json")) {
            var token = c.get("token").asString();
            var valid = !token.isEmpty() && ProductToken.prefix(token).equals(token);
            failures.check("must", valid == c.get("valid").asBoolean(), c.toString());
        }
        failures.report("agent-token");
    }

    @Test
    void theMatchedPartOfAUrlIsItsPathAndQuery() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/path-to-match.json")) {
            var path = pathAndQuery(c.get("url").asString());
            failures.check("must", path.equals(c.get("path").asString()), path + " for " + c);
        }
        failures.report("path-to-match");
    }

    @Test
    void linesAndDirectivesAreCountedAsGoogleDoes() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/line-statistics.json")) {
            var counts = new int[3];
            var bytes = bytes(c);
            new RobotsLines(bytes, bytes.length)
                    .forEach(
                            (number, key, _, _, _) -> {
                                counts[key == RobotsLines.Key.UNKNOWN ? 1 : 0]++;
                                counts[2] = number;
                            });
            var good =
                    counts[0] == c.get("valid_directives").asInt()
                            && counts[1] == c.path("unknown_directives").asInt(counts[1])
                            && counts[2] == c.path("last_line").asInt(counts[2]);
            failures.check("must", good, c.toString());
        }
        failures.report("line-statistics");
    }

    @Test
    void crawlDelaysAreThoseOfTheChosenGroup() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/crawl-delay.json")) {
            var delay = parse(c, c.get("agent").asString()).crawlDelay();
            var wanted = c.get("delay_seconds");
            var expected =
                    wanted.isNull()
                            ? Optional.<Duration>empty()
                            : Optional.of(Duration.ofMillis(Math.round(wanted.asDouble() * 1000)));
            failures.check("must", delay.equals(expected), delay + " for " + c);
        }
        failures.report("crawl-delay");
    }

    @Test
    void sitemapLinesAreFoundAnywhere() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/sitemap-lines.json")) {
            var found = Set.copyOf(parse(c, "neutralbot").sitemaps());
            var wanted = c.get("sitemaps").valueStream().map(JsonNode::asString).toList();
            failures.check("must", found.equals(Set.copyOf(wanted)), found + " for " + c);
        }
        failures.report("sitemap-lines");
    }

    @Test
    void noBytesMakeTheParserThrow() {
        for (var c : Vectors.json("robots/no-throw.json")) {
            assertThat(parse(c, "bot").evaluate("/any")).as(c.get("file").asString()).isNotNull();
        }
    }

    @Test
    void finishedExchangesLeadWhereTheStandardSays() {
        var failures = new Failures();
        for (var c : Vectors.json("robots/fetch-outcomes.json")) {
            var outcome = play(c);
            for (var expected : c.get("expect").properties()) {
                var said = evaluated(outcome, expected.getKey());
                var wanted = expected.getValue().asString();
                var good =
                        wanted.equals("no fetch") ? said.equals("deny") : wanted.startsWith(said);
                failures.check(c.get("level").asString(), good, said + " for " + c);
            }
        }
        failures.report("fetch-outcomes");
    }

    /** Executes the steps and keeps the last good rules as a cache would. */
    private static RobotsOutcome play(JsonNode c) {
        Optional<RobotsOutcome> cached = Optional.empty();
        RobotsOutcome outcome = RobotsOutcome.ofFailure("not asked");
        var steps = c.get("steps");
        var hops = 0;
        for (var i = 0; i <= RobotsOutcome.REDIRECTS_MAX + 1; i++) {
            var step = steps.get(Math.min(i, steps.size() - 1));
            outcome = step.has("error") ? RobotsOutcome.ofFailure("dns") : response(step, hops);
            if (outcome instanceof RobotsOutcome.Redirect) {
                hops++;
            } else if (i >= steps.size() - 1) {
                break;
            } else {
                cached = Optional.of(outcome);
            }
        }
        return outcome instanceof RobotsOutcome.Unreachable ? cached.orElse(outcome) : outcome;
    }

    private static RobotsOutcome response(JsonNode step, int hops) {
        var status = step.get("status").asInt();
        var body = body(step.path("body").asString(""));
        var location =
                status / 100 == 3
                        ? Optional.of(step.path("location").asString("/next"))
                        : Optional.<String>empty();
        return RobotsOutcome.ofStatus(status, body, body.length, "bot", hops, location);
    }

    /**
     * Returns a body; some are described rather than given, because they are half a megabyte long.
     */
    private static byte[] body(String given) {
        if (!given.startsWith("comment filler to byte ")) {
            return given.getBytes(StandardCharsets.UTF_8);
        }
        var comma = given.indexOf(", then ");
        var digits = given.substring("comment filler to byte ".length(), comma).replace(",", "");
        var rest = given.substring(comma + ", then ".length()).replace("\\n", "\n");
        var filler = "#".repeat(Integer.parseInt(digits.strip()) - 1) + "\n";
        return (filler + rest).getBytes(StandardCharsets.UTF_8);
    }

    private static String evaluated(RobotsOutcome outcome, String path) {
        return switch (outcome) {
            case RobotsOutcome.Rules(var rules) ->
                    rules.evaluate(path).allowed() ? "allow" : "deny";
            case RobotsOutcome.Unreachable(var _) -> "deny";
            case RobotsOutcome.Redirect(var _) -> "still following";
        };
    }

    private static RobotsRules parse(JsonNode c, String agent) {
        var bytes = bytes(c);
        return RobotsRules.parse(bytes, bytes.length, agent);
    }

    private static byte[] bytes(JsonNode c) {
        return c.has("robots_hex")
                ? HexFormat.of().parseHex(c.get("robots_hex").asString())
                : c.get("robots").asString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns path and query of a URL whose scheme may be missing, as in the vectors. */
    private static String pathAndQuery(String url) {
        var end = firstOf(url, "#", 0);
        var scheme = url.indexOf("://");
        var start = url.startsWith("//") ? 2 : 0;
        if (scheme >= 0 && scheme < firstOf(url, "/?#", 0)) {
            start = scheme + "://".length();
        }
        var path = firstOf(url, "/?", start);
        if (path >= end) {
            return "/";
        }
        var found = url.substring(path, end);
        return found.startsWith("/") ? found : "/" + found;
    }

    private static int firstOf(String text, String characters, int from) {
        for (var i = from; i < text.length(); i++) {
            if (characters.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return text.length();
    }
}
