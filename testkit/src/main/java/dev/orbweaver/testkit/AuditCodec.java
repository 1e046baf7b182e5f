package dev.orbweaver.testkit;

import dev.orbweaver.testkit.AuditReport.EarlyHit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Encodes rules and reports as lines of text: a keyword and its values, separated by tabs. */
final class AuditCodec {

    /** The line that ends a reply. */
    static final String END = "end";

    private AuditCodec() {}

    @FunctionalInterface
    interface LineSource {
        String next() throws IOException;
    }

    static String rules(AuditRules rules) {
        return line(
                rules.hostDelay(),
                rules.ipDelay(),
                rules.domainDelay(),
                rules.perHost(),
                rules.tolerance(),
                rules.honourCrawlDelay());
    }

    static AuditRules rules(List<String> values) {
        return new AuditRules(
                Duration.parse(values.get(0)),
                Duration.parse(values.get(1)),
                Duration.parse(values.get(2)),
                Integer.parseInt(values.get(3)),
                Duration.parse(values.get(4)),
                Boolean.parseBoolean(values.get(5)));
    }

    static List<String> write(AuditReport report) {
        var lines = new ArrayList<String>();
        lines.add(line("requests", report.requests()));
        lines.add(line("unsure", report.uncertain()));
        report.earlyOnHost().forEach(hit -> lines.add(line("host", hit)));
        report.earlyOnIp().forEach(hit -> lines.add(line("ip", hit)));
        report.earlyOnDomain().forEach(hit -> lines.add(line("domain", hit)));
        report.forbidden().forEach(url -> lines.add(line("forbidden", url)));
        report.beforeRobots().forEach(url -> lines.add(line("before", url)));
        report.unknown().forEach(url -> lines.add(line("unknown", url)));
        report.trapRequests().forEach(url -> lines.add(line("wasted", url)));
        lines.addAll(write(report.repeated()));
        return lines;
    }

    static List<String> write(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(count -> line("count", count.getKey(), count.getValue()))
                .toList();
    }

    static AuditReport readReport(LineSource lineSource) throws IOException {
        var requests = 0L;
        var unsure = 0L;
        var hits = new HashMap<String, List<EarlyHit>>();
        var urls = new HashMap<String, List<String>>();
        var repeated = new HashMap<String, Integer>();
        for (var line = lineSource.next(); !line.equals(END); line = lineSource.next()) {
            var values = values(line);
            var word = values.getFirst();
            switch (word) {
                case "requests" -> requests = Long.parseLong(values.get(1));
                case "unsure" -> unsure = Long.parseLong(values.get(1));
                case "host", "ip", "domain" ->
                        hits.computeIfAbsent(word, any -> new ArrayList<>()).add(hit(values));
                case "forbidden", "before", "unknown", "wasted" ->
                        urls.computeIfAbsent(word, any -> new ArrayList<>()).add(values.get(1));
                case "count" -> repeated.put(values.get(1), Integer.parseInt(values.get(2)));
                default -> throw new IOException("invalid line of a report: " + line);
            }
        }
        return new AuditReport(
                requests,
                unsure,
                hits.getOrDefault("host", List.of()),
                hits.getOrDefault("ip", List.of()),
                hits.getOrDefault("domain", List.of()),
                urls.getOrDefault("forbidden", List.of()),
                urls.getOrDefault("before", List.of()),
                urls.getOrDefault("unknown", List.of()),
                urls.getOrDefault("wasted", List.of()),
                repeated);
    }

    static Map<String, Integer> readCounts(LineSource lineSource) throws IOException {
        return readReport(lineSource).repeated();
    }

    static List<String> values(String line) {
        return Arrays.stream(line.split("\t", -1)).map(AuditCodec::unescape).toList();
    }

    private static EarlyHit hit(List<String> values) {
        return new EarlyHit(
                values.get(1),
                values.get(2),
                Integer.parseInt(values.get(3)),
                values.get(4),
                Long.parseLong(values.get(5)),
                Long.parseLong(values.get(6)));
    }

    private static String line(String word, EarlyHit hit) {
        return line(
                word,
                hit.gate(),
                hit.url(),
                hit.connection(),
                hit.before(),
                hit.gapNanos(),
                hit.requiredNanos());
    }

    static String line(Object... values) {
        return Arrays.stream(values)
                .map(value -> escape(value.toString()))
                .collect(Collectors.joining("\t"));
    }

    /** Escapes a target, which may contain any byte except a line end. */
    private static String escape(String text) {
        return text.replace("\\", "\\b")
                .replace("\t", "\\t")
                .replace("\r", "\\r")
                .replace("\n", "\\n");
    }

    private static String unescape(String text) {
        return text.replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\t", "\t")
                .replace("\\b", "\\");
    }
}
