package dev.orbweaver.e2e.hostile;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What came of a hostile host: its lines in the page log, the requests that it received, and the
 * crawl's directory.
 *
 * @param requests the heads as they arrived
 * @param output the crawler's standard output and error
 */
public record HostileOutcome(
        Path directory, List<JsonNode> lines, List<String> requests, int exitCode, String output) {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String WARM = "://warm.zoo.test:";
    private static final String CLEAN = "http://127.0.0.2:";

    /** Reads the page log as it is now; lines of the two ordinary hosts are left out. */
    static HostileOutcome read(Path directory, List<String> requests, int exitCode, String said)
            throws IOException {
        var lines = new ArrayList<JsonNode>();
        for (var line : log(directory)) {
            var url = line.path("url").asString("");
            if (!url.startsWith(CLEAN) && !url.contains(WARM)) {
                lines.add(line);
            }
        }
        return new HostileOutcome(directory, lines, List.copyOf(requests), exitCode, said);
    }

    /** URLs of the clean host that were stored. */
    static long cleanPages(Path directory) throws IOException {
        return log(directory).stream()
                .filter(line -> line.path("url").asString("").startsWith(CLEAN))
                .filter(line -> line.path("kind").asString("").equals("page"))
                .count();
    }

    private static List<JsonNode> log(Path directory) throws IOException {
        var file = directory.resolve("pages.log");
        if (!Files.exists(file)) {
            return List.of();
        }
        var text = Files.readString(file);
        // The last line may be written just now.
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(JSON::readTree).toList();
    }

    /** Of one host alone, where several were crawled together. */
    HostileOutcome of(HostileHost host, List<String> arrived) {
        var name = "://" + host.name() + ".zoo.test:";
        var own =
                lines.stream()
                        .filter(line -> line.path("url").asString("").contains(name))
                        .toList();
        return new HostileOutcome(directory, own, List.copyOf(arrived), exitCode, output);
    }

    /** Whether a line blames the crawler itself. */
    static boolean isOwnFault(JsonNode line) {
        var cause = line.path("cause").asString("");
        return cause.equals("internal") || cause.equals("parse");
    }

    /** How many lines of the page log fit. */
    long count(Predicate<JsonNode> wanted) {
        return lines.stream().filter(wanted).count();
    }

    /** Whether a line has this kind and, where it failed, this cause. */
    static Predicate<JsonNode> is(String kind, String cause) {
        return line ->
                line.path("kind").asString("").equals(kind)
                        && line.path("cause").asString("").equals(cause);
    }

    static Predicate<JsonNode> page(String path) {
        return line ->
                line.path("kind").asString("").equals("page")
                        && line.path("url").asString("").endsWith(path);
    }

    /** All lines in a few words, such as {@code page 200 x2, failed:timeout}. */
    String summary() {
        var counts = new TreeMap<String, Integer>();
        lines.forEach(line -> counts.merge(describeLine(line), 1, Integer::sum));
        return counts.isEmpty()
                ? "no line"
                : counts.entrySet().stream()
                        .map(e -> e.getKey() + (e.getValue() > 1 ? " x" + e.getValue() : ""))
                        .collect(Collectors.joining(", "));
    }

    private static String describeLine(JsonNode line) {
        var word = new StringBuilder(line.path("kind").asString(""));
        if (line.path("status").asInt(0) > 0) {
            word.append(' ').append(line.path("status").asInt());
        }
        if (!line.path("cause").asString("").isEmpty()) {
            word.append(':').append(line.path("cause").asString());
        }
        return line.has("truncated") ? word.append(" truncated").toString() : word.toString();
    }
}
